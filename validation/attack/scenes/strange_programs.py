# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of a kilobyte that could exhaust their reader's time or memory, or crash it.

Every verb that reads a program must end within its limits, with one sentence that names the file. In `split`, such a
program must not affect the other models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from fixtures.programs import ROOT
from validation.attack import seed
from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

LEVELS = 40
REFUSED = frozenset({4, 5})
READ = DOCUMENTED - {129, 130, 143}
ENDS = "one sentence that names the file, within the limits of reading; never a crash, never without end"
LEAVES_OTHERS = "the good model's manifest, cases and results are those of a split without the others"
PARENT_KB = 3 << 20
LIMIT_S = 240.0

MAIN = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = {}\n  return %0 : tensor<2xf32>\n}}\n"
ABS = MAIN.format("stablehlo.abs %x : tensor<2xf32>")


def levels(first: str, line: Callable[[int, int], str], count: int = LEVELS) -> str:
    return "\n".join([first, *(line(n, n - 1) for n in range(1, count + 1))]) + "\n"


TUPLES = levels("!t0 = tuple<tensor<2xf32>, tensor<2xf32>>", lambda n, last: f"!t{n} = tuple<!t{last}, !t{last}>")
ARRAYS = levels('#a0 = "x"', lambda n, last: f"#a{n} = [#a{last}, #a{last}]")
MAPS = levels("#a0 = {a = 1 : i32}", lambda n, last: f"#a{n} = {{a = #a{last}, b = #a{last}}}")
SITES = levels('#l0 = loc("f.py":1:1)', lambda n, last: f"#l{n} = loc(callsite(#l{last} at #l{last}))")
FUSED = levels('#l0 = loc("f.py":1:1)', lambda n, last: f'#l{n} = loc(fused[#l{last}, "{n}"(#l{last})])')
FUNCTIONS = levels("!t0 = i32", lambda n, last: f"!t{n} = (!t{last}, !t{last}) -> ()")


def custom_call(attributes: str) -> str:
    call = f"stablehlo.custom_call @f(%x) {{{attributes}}} : (tensor<2xf32>) -> tensor<2xf32>"
    return MAIN.format(call)


def at_location(lines: str) -> str:
    return MAIN.format(f"stablehlo.abs %x : tensor<2xf32> loc(#l{LEVELS})") + lines


# Programs that no verb may accept: if expanded, a part of them would fill a disk.
NESTED = {
    "attributes": ARRAYS + MAIN.format(f"stablehlo.abs %x {{note = #a{LEVELS}}} : tensor<2xf32>"),
    "of_the_module": ARRAYS + f"module attributes {{note = #a{LEVELS}}} {{\n{ABS}}}",
    "of_an_argument": ARRAYS + ABS.replace("tensor<2xf32>)", f"tensor<2xf32> {{a.b = #a{LEVELS}}})", 1),
    "tuple_types": TUPLES + f"func.func @main(%x: !t{LEVELS}) -> !t{LEVELS} {{ return %x : !t{LEVELS} }}",
    "of_an_invalid_op": TUPLES
    + f"func.func @main(%x: !t{LEVELS}) -> tensor<2xf32> {{\n"
    + f'  %0 = "stablehlo.abs"(%x) : (!t{LEVELS}) -> tensor<2xf32>\n'
    "  return %0 : tensor<2xf32>\n}\n",
    "of_a_mismatch": TUPLES + f"func.func @main(%x: !t{LEVELS}) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}",
    "function_types": FUNCTIONS + ABS.replace("func.func @main", f"func.func private @g(!t{LEVELS})\nfunc.func @main"),
    "call_sites": at_location(SITES),
    "fused_locations": at_location(FUSED),
    "backend_config": MAPS + custom_call(f"api_version = 4 : i32, backend_config = #a{LEVELS}"),
}

# Programs that crash MLIR's own reader.
DEADLY = {
    "resource_of_alignment_0": MAIN.format("stablehlo.constant dense_resource<blob> : tensor<2xf32>")
    + '{-# dialect_resources: { builtin: { blob: "0x000000000000803F0000803F" } } #-}',
    "resource_of_alignment_3": MAIN.format("stablehlo.constant dense_resource<blob> : tensor<2xf32>")
    + '{-# dialect_resources: { builtin: { blob: "0x030000000000803F0000803F" } } #-}',
}


def doubling_calls() -> str:
    line = (
        "func.func private @f{}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n"
        "  %0 = func.call @f{}(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  %1 = func.call @f{}(%0) : (tensor<2xf32>) -> tensor<2xf32>\n  return %1 : tensor<2xf32>\n}}"
    )
    first = ABS.replace("@main", "private @f0")
    call = MAIN.format(f"func.call @f{LEVELS}(%x) : (tensor<2xf32>) -> tensor<2xf32>")
    return levels(first, lambda n, last: line.format(n, last, last)) + call


def empty_calls() -> str:
    line = "func.func private @f{}() {{\n  func.call @f{}() : () -> ()\n  func.call @f{}() : () -> ()\n  return\n}}"
    return (
        levels("func.func private @f0() { return }", lambda n, last: line.format(n, last, last))
        + f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  func.call @f{LEVELS}() : () -> ()\n"
        "  %0 = stablehlo.abs %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
    )


def doubling_composites() -> str:
    use = '"stablehlo.composite"({}) {{name = "a.b", decomposition = @f{}}} : (tensor<2xf32>) -> tensor<2xf32>'

    def line(n: int, last: int) -> str:
        return (
            f"func.func private @f{n}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = {use.format('%x', last)}\n"
            f"  %1 = {use.format('%0', last)}\n  return %1 : tensor<2xf32>\n}}"
        )

    return levels(ABS.replace("@main", "private @f0"), line) + MAIN.format(use.format("%x", LEVELS))


# Valid programs that execute 2^40 ops.
LONG = {"calls": doubling_calls(), "empty_calls": empty_calls(), "composites": doubling_composites()}

VERBS: dict[str, tuple[str, ...]] = {
    "opt": ("opbyop-opt", "{file}"),
    "split": ("opbyop", "split", "{file}", "-o", "{out}"),
    "eval": ("opbyop", "eval", "{file}"),
    "profile": ("opbyop", "profile", "{file}", "-o", "{out}"),
}


def run(arena: Arena, verb: str, file: Path) -> Seen:
    argv = [word.format(file=file, out=arena.folder / verb) for word in VERBS[verb]]
    return arena.start(*argv).wait(LIMIT_S)


def check(seen: Seen, codes: frozenset[int], file: Path | None = None) -> str:
    breaches = judge(seen, Promise(codes=codes, complete=False, parent_kb=PARENT_KB))
    said = seen.stdout + seen.stderr
    if not breaches and file is not None and file.name not in said:
        breaches = [f"its message does not name {file.name}: {said[-200:]}"]
    if len(seen.stderr) > 64 << 10:
        breaches.append(f"its message has {len(seen.stderr)} characters")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {(seen.stderr.strip().splitlines() or ['read'])[-1][-120:]}"


def nested(name: str, text: str, verb: str) -> None:
    @attack(f"program.nested_{name}.{verb}", ENDS, limit_s=2 * LIMIT_S, short=name == "tuple_types")
    def act(arena: Arena) -> str:
        file = arena.write("strange.mlir", text)
        return check(run(arena, verb, file), REFUSED | ({1} if verb == "opt" else frozenset()), file)


def deadly(name: str, text: str, verb: str) -> None:
    @attack(f"program.{name}.{verb}", ENDS, limit_s=2 * LIMIT_S)
    def act(arena: Arena) -> str:
        file = arena.write("strange.mlir", text)
        return check(run(arena, verb, file), READ)


def long(name: str, text: str, verb: str) -> None:
    @attack(f"program.doubling_{name}.{verb}", ENDS, limit_s=2 * LIMIT_S)
    def act(arena: Arena) -> str:
        file = arena.write("strange.mlir", text)
        refuses = verb in ("eval", "profile")
        return check(run(arena, verb, file), frozenset({5}) if refuses else frozenset({0}), file if refuses else None)


for each in VERBS:
    for kind, program in NESTED.items():
        nested(kind, program, each)
    for kind, program in DEADLY.items():
        deadly(kind, program, each)
    for kind, program in LONG.items():
        long(kind, program, each)


def hostile_files(count: int) -> Iterator[tuple[str, bytes]]:
    """Nested ones, crashing ones, and random bytes."""
    for kind, program in {**NESTED, **DEADLY}.items():
        yield f"a_{kind}.mlir", program.encode()
    original = (ROOT / "fixtures/models/ffnn.mlirbc").read_bytes()
    draw = seed.generator("hostile files")
    for number in range(count - len(NESTED) - len(DEADLY)):
        data = bytearray(original)
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        yield f"b_{number}.mlirbc", bytes(data[: draw.choice((len(data), draw.randrange(1, len(data))))])


def results_of_the_good(arena: Arena, out: str) -> dict[str, str]:
    """The status on host of each case of the model `good`."""
    folder = arena.folder / out
    seen = arena.start("opbyop", "run", folder, "--target", "host", "--", "--gtest_filter=*/good__*").wait(900, folder)
    # The other models of the folder, which could not be split, make the run red or partial.
    breaches = judge(seen, Promise(codes=frozenset({0, 1, 6}), complete=False))
    if breaches:
        raise Broken("; ".join(breaches))
    return seen.results.ends()


def split_of_the_good(arena: Arena, folder: Path, out: str) -> tuple[int | None, dict[str, bytes]]:
    """The exit code, and the split of the model `good`: its cases by file."""
    seen = arena.start("opbyop", "split", folder, "-o", arena.folder / out).wait(1800)
    breaches = judge(seen, Promise(codes=DOCUMENTED, complete=False, parent_kb=PARENT_KB))
    if breaches:
        raise Broken("; ".join(breaches))
    lines = (arena.folder / out / "manifest.yaml").read_text().splitlines()
    files = {}
    for line in lines:
        if '"model":"good"' in line.replace(" ", ""):
            name = line.split('"file":')[1].split('"')[1]
            files[name] = (arena.folder / out / name).read_bytes()
    return seen.code, files


def beside_a_good_model(count: int, short: bool) -> None:
    @attack(f"program.beside_a_good_model.{count}", LEAVES_OTHERS, limit_s=3600, short=short)
    def act(arena: Arena) -> str:
        models = arena.make("models")
        good = (ROOT / "fixtures/models/ffnn.mlirbc").read_bytes()
        alone = arena.make("alone")
        # Case files name their first origin. The good model comes before the models that were derived from it.
        for folder in (models, alone):
            (folder / "good.mlirbc").write_bytes(good)
        for name, data in hostile_files(count):
            (models / f"z{name}").write_bytes(data)
        code, without = split_of_the_good(arena, alone, "without")
        arena.expect(code == 0 and bool(without), f"the good model alone: exit {code}, {len(without)} cases")
        code, among = split_of_the_good(arena, models, "among")
        arena.expect(code == 6, f"exit {code}, promised 6")
        arena.expect(among == without, f"the good model has {len(among)} cases among the others, {len(without)} alone")
        ends = results_of_the_good(arena, "without")
        arena.expect(len(ends) == len(without), f"{len(ends)} results of {len(without)} cases")
        beside = results_of_the_good(arena, "among")
        arena.expect(beside == ends, f"the results differ: {beside} among the others, {ends} alone")
        return f"{len(among)} cases and their results, the same next to {count} hostile files"


beside_a_good_model(20, short=True)
beside_a_good_model(200, short=False)
