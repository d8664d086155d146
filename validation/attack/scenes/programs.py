# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by text and bytes of any content on opbyop-opt, opbyop split and opbyop eval."""

from __future__ import annotations

from fixtures.programs import ROOT
from validation.attack import seed
from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

PROMISED = "an error that names the line, or a reading; never a crash"
TOOLS = {"opbyop-opt": [], "opbyop split": ["-o", "{out}"], "opbyop eval": []}
FEW, MANY = 10_000, 300_000
BOUND_KB = 4 << 20  # a module of this depth may need memory, but not all of the machine's

# Text that is nested this many times.
NESTS = {
    "square": lambda n: "[" * n,
    "round": lambda n: "(" * n,
    "curly": lambda n: "{" * n,
    "angle": lambda n: "<" * n,
    "closed_square": lambda n: "[" * n + "]" * n,
    "attribute_lists": lambda n: "module attributes {a = " + "[" * n + "]" * n + "} {}",
    "attribute_maps": lambda n: "module attributes {a = " + "{b = " * n + "1" + "}" * n + "} {}",
    "tuples": lambda n: "func.func private @f(" + "tuple<" * n + "i1" + ">" * n + ")",
    "functions": lambda n: "func.func private @f(" + "(" * n + ")",
    "vectors": lambda n: "func.func private @f(" + "vector<4x" * n + "i1" + ">" * n + ")",
    "modules": lambda n: "module {" * n + "}" * n,
    "regions": lambda n: '"a.b"() ({' * n + "}) : () -> ()" * n,
    "locations": lambda n: "module {} loc(" + "fused[" * n + '"x"' + "]" * n + ")",
    "callsites": lambda n: "module {} loc(" + 'callsite("a" at ' * n + '"x"' + ")" * n + ")",
    "affine": lambda n: "#m = affine_map<(d0) -> (" + "(" * n + "d0" + ")" * n + ")>",
    "dialect_type": lambda n: "func.func private @f(!a<" + "<" * n + ">" * n + ">)",
    "dense": lambda n: "module attributes {a = dense<" + "[" * n + "]" * n + "> : tensor<1xi1>} {}",
}


def check(seen: Seen, codes: frozenset[int]) -> str:
    breaches = judge(seen, Promise(codes=codes, complete=False, parent_kb=BOUND_KB))
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {(seen.stderr.strip().splitlines() or ['read'])[0][-100:]}"


def run(arena: Arena, tool: str, path: object, limit_s: float = 120) -> Seen:
    program, *verb = tool.split()
    flags = [flag.format(out=arena.folder / "split") for flag in TOOLS[tool]]
    return arena.start(program, *verb, path, *flags).wait(limit_s)


def nest(kind: str, depth: int, tool: str, short: bool) -> None:
    @attack(f"text.{kind}_{depth}.{tool.split()[-1]}", PROMISED, short=short)
    def act(arena: Arena) -> str:
        path = arena.write("nested.mlir", NESTS[kind](depth))
        return check(run(arena, tool, path), DOCUMENTED)


for each in NESTS:
    for count in (FEW, MANY):
        for name in TOOLS:
            nest(each, count, name, short=name == "opbyop-opt" and each in ("square", "attribute_lists", "regions"))


def odd_text(name: str, text: bytes) -> None:
    @attack(f"text.{name}", PROMISED)
    def act(arena: Arena) -> str:
        path = arena.write("odd.mlir", text)
        return "; ".join(f"{tool}: {check(run(arena, tool, path), DOCUMENTED)}" for tool in TOOLS)


for each, what in {
    "empty": b"",
    "zeros": bytes(100_000),
    "noise": bytes(range(256)) * 1000,
    "long_name": b"func.func @" + b"x" * 10_000_000 + b"() { return }",
    "long_string": b'module attributes {a = "' + b"x" * 10_000_000 + b'"} {}',
    "open_string": b'module attributes {a = "',
    "open_comment": b"/*" * 1000,
    "many_lines": b"\n" * 3_000_000,
    "huge_shape": b"func.func @main(%a: tensor<99999999999999999999xf32>) { return }",
    "overflowing_shape": b"func.func @main(%a: tensor<4611686018427387904x4611686018427387904xf32>) { return }",
    "huge_splat": b"func.func @main() -> tensor<1000000x1000000xf32> { %0 = stablehlo.constant dense<1.0> :"
    b" tensor<1000000x1000000xf32> return %0 : tensor<1000000x1000000xf32> }",
}.items():
    odd_text(each, what)


def mutated_artifact(tool: str, count: int, short: bool) -> None:
    @attack(f"artifact.mutated.{tool.split()[-1]}.{count}", PROMISED, short=short, limit_s=60 + 10 * count)
    def act(arena: Arena) -> str:
        original = (ROOT / "fixtures/models/ffnn.mlirbc").read_bytes()
        draw = seed.generator(f"artifact {tool}")
        refused = 0
        for number in range(count):
            data = bytearray(original)
            for _ in range(draw.randint(1, 8)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            path = arena.write("mutated.mlirbc", bytes(data[: draw.choice((len(data), draw.randrange(len(data))))]))
            seen = run(arena, tool, path, 60)
            if seen.code not in DOCUMENTED or seen.code is None or seen.code < 0:
                kept = arena.keep_sample(f"artifact-{seed.value}-{number}.mlirbc", path.read_bytes())
                raise Broken(f"number {number}: exit {seen.code}: {seen.stderr[-200:]}; kept as {kept}")
            refused += seen.code != 0
        return f"{refused} of {count} refused, none crashed"


for each in TOOLS:
    mutated_artifact(each, 10, short=each == "opbyop split")
    mutated_artifact(each, 150, short=False)
