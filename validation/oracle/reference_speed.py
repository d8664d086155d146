# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares the speed of the reference with upstream's interpreter, on the same programs in one run.

    python -m validation.oracle.reference_speed build/bin/reference_benchmark

Times jaxlib's eval_module on each program once (it takes seconds), the reference several times, and prints both times
and their ratio.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from fixtures.bindings import make_context

PROGRAMS = {
    "dot_general 128^3 f32": """
func.func @main(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}""",
    "convolution 14x14x16 by 3x3x16x16 f32": """
func.func @main(%a: tensor<1x14x14x16xf32>, %b: tensor<3x3x16x16xf32>) -> tensor<1x12x12x16xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x14x14x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x12x12x16xf32>
  return %0 : tensor<1x12x12x16xf32>
}""",
    "add 262144 f32": """
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.add %a, %b : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}""",
    "tanh 262144 f32": """
func.func @main(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.tanh %a : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}""",
    "reduce 262144 f32": """
func.func @main(%a: tensor<512x512xf32>) -> tensor<512xf32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1]
    : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}""",
}
BUDGET = {"dot_general 128^3 f32": 1000}


def eval_module_seconds(text: str) -> float:
    random = np.random.Generator(np.random.PCG64(0))
    with make_context():
        module = ir.Module.parse(text)
        types = module.body.operations[0].type.inputs
        arguments = [
            ir.DenseElementsAttr.get(random.normal(size=t.shape).astype(np.float32))
            for t in map(ir.RankedTensorType, types)
        ]
        begin = time.perf_counter()
        stablehlo.eval_module(module, arguments)
        return time.perf_counter() - begin


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        print("usage: reference_speed REFERENCE_BENCHMARK", file=sys.stderr)
        return 2
    print(f"{'':40} {'eval_module':>12} {'reference':>12} {'quotient':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for what, text in PROGRAMS.items():
            path = pathlib.Path(folder) / "program.mlir"
            path.write_text(text)
            output = subprocess.run([argv[0], path], check=True, capture_output=True, text=True).stdout
            ours = float(output.split()[-1])
            theirs = eval_module_seconds(text)
            budget = f"   budget {BUDGET[what]}" if what in BUDGET else ""
            print(
                f"{what:40} {theirs:>10.3f} s {ours * 1e3:>9.3f} ms {theirs / ours:>9.0f}{budget}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
