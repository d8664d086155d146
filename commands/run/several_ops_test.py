# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests runs with cases of several ops, on right and on wrong devices.

python3 -m unittest commands.run.several_ops_test
"""

from __future__ import annotations

import re

from fixtures.programs import UNEXPECTED, ProgramTest, cases, faulty_target

# The pair of product and sum has two results of one type, because the product is used again: a device that swaps them
# is right on every op.
MODEL = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<4xf32>
  %1 = stablehlo.add %0, %a : tensor<4xf32>
  %2 = stablehlo.subtract %1, %0 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""

# A product whose last term a device may lose, and what is made of it.
PRODUCT = """
func.func @main(%a: tensor<4x32xf32>, %b: tensor<32x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<4x32xf32>, tensor<32x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.negate %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""

# Equal layers, each with a product.
LAYER = """
  %h{0} = stablehlo.dot_general %x{0}, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %t{0} = stablehlo.tanh %h{0} : tensor<4x8xf32>
  %n{0} = stablehlo.negate %t{0} : tensor<4x8xf32>
  %x{1} = stablehlo.add %n{0}, %x{0} : tensor<4x8xf32>
"""
LAYERS = (
    "func.func @main(%x0: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {\n"
    + "".join(LAYER.replace("{0}", str(i)).replace("{1}", str(i + 1)) for i in range(6))
    + "  return %x6 : tensor<4x8xf32>\n}\n"
)


class SeveralOpsTest(ProgramTest):
    def run_of(self, program: str, granularity: str, fault: str = "", code: int = 0) -> tuple[dict[str, str], str]:
        """The statuses by op and target of the case, and the summary."""
        folder = self.folder / "run"
        self.opbyop("split", "-q", self.write("model.mlir", program), "--granularity", granularity, "-o", folder)
        target = faulty_target(self.folder / "faulty.yaml", fault) if fault else "host"
        self.opbyop("run", folder, "--target", target, "--fresh", code=code)
        return {re.sub(r"_\d.*", "", c["case"]): c["status"] for c in cases(folder)}, (
            folder / "summary.md"
        ).read_text()

    def test_a_right_device_passes_with_every_granularity(self) -> None:
        for granularity, groups in [
            (
                "window:2",
                {"window_dot_general_tanh", "window_tanh_negate", "window_negate_add", "window_add_dot_general"},
            ),
            ("layer", {"layer"}),
            ("model", {"model_model"}),
        ]:
            with self.subTest(granularity):
                ends, summary = self.run_of(LAYERS, granularity)
                self.assertEqual(set(ends.values()), {"pass"})
                self.assertLessEqual(groups, set(ends))
                self.assertIn("no unexpected result", summary)

    def test_a_pair_that_is_wrong_though_its_ops_are_right_is_in_the_headline(self) -> None:
        ends, summary = self.run_of(MODEL, "window:2", "results_exchanged", code=UNEXPECTED)
        red = {case for case, status in ends.items() if status == "fail"}
        self.assertEqual(red, {"window_multiply_add"})
        self.assertIn("needs attention: 1 window is red though each of its ops passes", summary)
        self.assertRegex(summary, r"\| red together \| window\\?_multiply\\?_add")

    def test_a_pair_of_a_wrong_op_is_red_and_is_no_cause(self) -> None:
        ends, summary = self.run_of(PRODUCT, "window:2", "dot_drops_last_term", code=UNEXPECTED)
        self.assertEqual(ends, {"dot_general": "fail", "negate": "pass", "window_dot_general_negate": "fail"})
        self.assertNotIn("though each of", summary)
        self.assertIn("1 row of several ops is red with one of its ops", summary)
        causes = summary.split("## What to fix first")[1].split("## Stages")[0]
        self.assertIn("dot", causes)
        self.assertNotIn("window", causes)

    def test_a_layer_of_a_wrong_op_is_red(self) -> None:
        ends, _ = self.run_of(LAYERS, "layer", "dot_drops_last_term", code=UNEXPECTED)
        self.assertEqual((ends["layer"], ends["dot_general"], ends["tanh"]), ("fail", "fail", "pass"))
