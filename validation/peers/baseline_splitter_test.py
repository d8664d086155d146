# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import unittest

from jaxlib.mlir import ir

from fixtures.bindings import make_context
from validation.peers.baseline_splitter import Splitter, case_module

CALLED_TWICE = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @relu(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.maximum %a, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
TWO_REDUCTIONS = """
func.func @main(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%a init: %0) applies stablehlo.maximum across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
"""


class SplitterTest(unittest.TestCase):
    def split(self, text: str) -> tuple[Splitter, dict]:
        cases = {}
        self.context = make_context()
        with self.context:
            splitter = Splitter(ir.Module.parse(text), cases)
        splitter.split()
        return splitter, cases

    def test_follows_calls_folds_constants_and_removes_duplicates(self):
        splitter, cases = self.split(CALLED_TWICE)
        self.assertEqual(splitter.histogram, {"stablehlo.maximum": 2})
        self.assertEqual(len(cases), 1)

    def test_distinguishes_ops_by_their_regions(self):
        _, cases = self.split(TWO_REDUCTIONS)
        self.assertEqual(len(cases), 2)

    def test_writes_a_case_with_its_constants(self):
        _, cases = self.split(CALLED_TWICE)
        (op,) = cases.values()
        with self.context, ir.Location.unknown():
            module = case_module(op)
        self.assertTrue(module.operation.verify())
        main = module.body.operations[0]
        self.assertEqual(len(main.regions[0].blocks[0].arguments), 1)
        self.assertIn("stablehlo.broadcast_in_dim", str(module))


if __name__ == "__main__":
    unittest.main()
