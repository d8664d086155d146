# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs whose sizes overflow and names that are too long: what is written can be read, and is the same program."""

from __future__ import annotations

import json
from pathlib import Path

from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

GOOD = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
BIG = 1 << 32
WRAP = f"{BIG}x{BIG}"  # 2^64 elements: 0 in 64 bits
ENDS = DOCUMENTED - {0, 129, 130, 143}

# Programs in which a 64-bit product equals that of another program.
PROGRAMS = {
    "argument": f"func.func @main(%a: tensor<{WRAP}xf32>) -> tensor<{WRAP}xf32> {{\n  %0 = stablehlo.add %a, %a : "
    f"tensor<{WRAP}xf32>\n  return %0 : tensor<{WRAP}xf32>\n}}\n",
    "plus_four": "func.func @main(%a: tensor<4x4611686018427387905xf32>) -> tensor<4x4611686018427387905xf32> {\n"
    "  %0 = stablehlo.negate %a : tensor<4x4611686018427387905xf32>\n"
    "  return %0 : tensor<4x4611686018427387905xf32>\n}\n",
    "bytes": f"func.func @main(%a: tensor<{1 << 61}xf64>) -> tensor<{1 << 61}xf64> {{\n  %0 = stablehlo.negate %a : "
    f"tensor<{1 << 61}xf64>\n  return %0 : tensor<{1 << 61}xf64>\n}}\n",
    "iota": f"func.func @main() -> tensor<i32> {{\n  %0 = stablehlo.iota dim = 0 : tensor<{WRAP}xi32>\n"
    "  %1 = stablehlo.constant dense<7> : tensor<i32>\n"
    f"  %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1] : "
    f"(tensor<{WRAP}xi32>, tensor<i32>) -> tensor<i32>\n  return %2 : tensor<i32>\n}}\n",
    "broadcast": f"func.func @main(%a: tensor<f32>) -> tensor<{WRAP}xf32> {{\n  %0 = stablehlo.broadcast_in_dim %a, "
    f"dims = [] : (tensor<f32>) -> tensor<{WRAP}xf32>\n  return %0 : tensor<{WRAP}xf32>\n}}\n",
    "reshape": f"func.func @main(%a: tensor<0xf32>) -> tensor<{WRAP}xf32> {{\n  %0 = stablehlo.reshape %a : "
    f"(tensor<0xf32>) -> tensor<{WRAP}xf32>\n  return %0 : tensor<{WRAP}xf32>\n}}\n",
    "constant": f"func.func @main() -> tensor<{WRAP}xf32> {{\n  %0 = stablehlo.constant dense<1.0> : "
    f"tensor<{WRAP}xf32>\n  return %0 : tensor<{WRAP}xf32>\n}}\n",
    "pad": f"func.func @main(%a: tensor<5xf32>, %p: tensor<f32>) -> tensor<5xf32> {{\n  %0 = stablehlo.pad %a, %p, "
    f"low = [0], high = [0], interior = [{1 << 62}] : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>\n"
    "  return %0 : tensor<5xf32>\n}\n",
    "concatenate": f"func.func @main(%a: tensor<{1 << 58}xi8>) -> tensor<0xi8> {{\n  %0 = stablehlo.concatenate "
    + ", ".join(["%a"] * 64)
    + ", dim = 0 : ("
    + ", ".join([f"tensor<{1 << 58}xi8>"] * 64)
    + ") -> tensor<0xi8>\n  return %0 : tensor<0xi8>\n}\n",
    "dynamic_iota": f"func.func @main() -> tensor<?x?xi32> {{\n  %s = stablehlo.constant dense<{BIG}> : tensor<2xi64>\n"
    "  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>\n"
    "  return %0 : tensor<?x?xi32>\n}\n",
    "dynamic_broadcast": "func.func @main(%a: tensor<f32>) -> tensor<?x?xf32> {\n"
    f"  %s = stablehlo.constant dense<{BIG}> : tensor<2xi64>\n"
    "  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>\n"
    "  return %0 : tensor<?x?xf32>\n}\n",
}
DYNAMIC = {"dynamic_iota", "dynamic_broadcast"}  # a split keeps them: their shapes are known only at run time


def ended(seen: Seen, codes: frozenset[int]) -> str:
    breaches = judge(seen, Promise(codes=codes, complete=False))
    return "; ".join(breaches)


def wraps(name: str) -> None:
    @attack(f"writers.sizes_that_wrap.{name}.eval", "an error that says so, never a value", short=True)
    def evaluated(arena: Arena) -> str:
        seen = arena.start("opbyop", "eval", arena.write("program.mlir", PROGRAMS[name])).wait(60)
        said = ended(seen, frozenset({4, 5}))
        arena.expect(not said, f"{said}; it prints {seen.stdout[-200:]}")
        return f"exit {seen.code}: {(seen.stdout + seen.stderr).strip().splitlines()[-1][:100]}"

    @attack(f"writers.sizes_that_wrap.{name}.split", "that model is left out, the others are run", short=True)
    def split(arena: Arena) -> str:
        good, bad = arena.write("good.mlir", GOOD), arena.write("bad.mlir", PROGRAMS[name])
        return written(arena, [good, bad], 0 if name in DYNAMIC else 6)


def written(arena: Arena, models: list[Path], code: int) -> str:
    """The split ends with the code, and a run reads its output."""
    folder = arena.folder / "split"
    seen = arena.start("opbyop", "split", *models, "-o", folder).wait(60)
    said = ended(seen, frozenset({code}))
    arena.expect(not said, said)
    listed = arena.run("conformance", f"--manifest={folder / 'manifest.yaml'}", "--gtest_list_tests")
    arena.expect(listed.code == 0, f"what was written is refused: exit {listed.code}: {listed.stderr[-200:]}")
    lines = (folder / "manifest.yaml").read_text().splitlines()
    ids = [json.loads(line[2:])["id"] for line in lines if line.startswith("- {")]
    arena.expect(any(each.startswith("add_4") for each in ids), f"the good model is not there: {ids}")
    ran = arena.run("opbyop", "run", folder, "--target=host", "--", "--baseline=none", limit_s=120)
    arena.expect(ran.code in (0, 6), f"the run: exit {ran.code}: {ran.stderr[-200:]}")
    return f"exit {seen.code}, then {len(ids)} cases, exit {ran.code}"


for each in PROGRAMS:
    wraps(each)


def named(length: int, code: int) -> None:
    @attack(f"writers.name_of_{length}_characters", "the model is left out if it must be; others are read", short=True)
    def act(arena: Arena) -> str:
        good = arena.write("good.mlir", GOOD)
        return written(arena, [good, arena.write(f"{'n' * length}.mlir", GOOD)], code)


named(200, 0)
named(201, 6)
named(240, 6)


@attack("writers.two_names_that_begin_alike", "both are left out, each under a name of its own", short=True)
def alike(arena: Arena) -> str:
    names = [arena.write(f"{'n' * 230}{end}.mlir", GOOD) for end in "ab"]
    return written(arena, [arena.write("good.mlir", GOOD), *names], 6)
