# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop run --mode=whole`: models in one piece, in addition to their ops.

python3 -m unittest commands.run.whole_mode_test
"""

from __future__ import annotations

from fixtures.programs import BIN, NO_INPUT, UNEXPECTED, USAGE, ProgramTest, Record, faulty_target, records

# Two results of one type: a target that swaps them is right on every op and wrong on the model.
MODEL = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
# The reference has no bound for a quotient whose divisor is not zero, and may be after a rounding.
LOOSE = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %k = stablehlo.constant dense<1.00000012> : tensor<4xf32>
  %1 = stablehlo.multiply %0, %k : tensor<4xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<4xf32>
  %3 = stablehlo.divide %b, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
"""


class WholeModeTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.run_folder = self.folder / "run"

    def split(self, text: str) -> None:
        self.opbyop("split", self.write("two.mlir", text), "-o", self.run_folder)

    def run_mode(self, mode: str, target: object, code: int = 0) -> None:
        self.opbyop("run", self.run_folder, f"--mode={mode}", "--target", target, "--fresh", code=code)

    def whole(self) -> tuple[Record, Record]:
        lines = records(self.run_folder / "whole/results.jsonl")
        [record] = [line for line in lines if line["record"] == "case"]
        return lines[0], record

    def test_all_ops_pass_and_the_model_fails(self) -> None:
        self.split(MODEL)
        target = faulty_target(self.folder / "faulty.yaml", "results_exchanged")
        self.run_mode("isolated", target)
        self.run_mode("whole", target, code=UNEXPECTED)
        header, record = self.whole()
        self.assertEqual(header["mode"], "whole")
        self.assertEqual((record["status"], record["stage"]), ("fail", "compare"))
        self.assertIn("of the range", record["diagnostic"])
        self.opbyop("report", self.run_folder, "-o", self.run_folder, code=UNEXPECTED)
        summary = (self.run_folder / "summary.md").read_text()
        self.assertIn("needs attention", summary)
        self.assertRegex(summary, r"\| two \| 2 \| 2 \| 2 \| 0 \| 0 \| 100\.0 % \| fail, error ")
        self.assertIn('"whole":{"status":', (self.run_folder / "index.html").read_text())

    def test_all_ops_and_the_model_pass(self) -> None:
        self.split(MODEL)
        for target in ("host", faulty_target(self.folder / "faulty.yaml", "none")):
            self.run_mode("isolated", target)
            self.run_mode("whole", target)
            _, record = self.whole()
            self.assertEqual(record["status"], "pass")
            judged = {(comparison["policy"], comparison["output"]) for comparison in record["comparisons"]}
            self.assertEqual(judged, {(policy, i) for policy in ("domain", "edge") for i in (0, 1)})
        self.opbyop("report", self.run_folder, "-o", self.run_folder)
        summary = (self.run_folder / "summary.md").read_text()
        self.assertIn("no unexpected result", summary)
        self.assertIn("| 100.0 % | pass, error ", summary)

    def test_a_bound_that_is_too_wide_is_flagged(self) -> None:
        self.split(LOOSE)
        self.run_mode("whole", "host")
        _, record = self.whole()
        comparison = record["comparisons"][0]
        self.assertTrue(comparison["weak"])
        self.assertRegex(comparison["rule"], "^weak: error <= 0.001 of .*, whose bound .* says nothing$")

    def test_the_results_of_the_ops_stay(self) -> None:
        self.split(MODEL)
        self.run_mode("isolated", "host")
        before = (self.run_folder / "results.jsonl").read_bytes()
        self.run_mode("whole", "host")
        self.assertEqual((self.run_folder / "results.jsonl").read_bytes(), before)

    def test_the_repro_command_runs_the_model_again(self) -> None:
        self.split(MODEL)
        self.run_mode("whole", "host")
        _, record = self.whole()
        program, *arguments = record["repro"].split()
        self.assertEqual(program, str(BIN / "opbyop"))
        out = self.folder / "repro"
        self.opbyop(*arguments, "-o", out)
        self.assertTrue(list(out.glob("*/output_1.npy")))

    def test_a_missing_model_is_named(self) -> None:
        self.split(MODEL)
        (self.folder / "two.mlir").unlink()
        done = self.opbyop("run", self.run_folder, "--mode=whole", code=NO_INPUT)
        self.assertIn("two.mlir", done.stderr)
        self.assertFalse((self.run_folder / "whole").exists())

    def test_an_unknown_mode_is_a_usage_error(self) -> None:
        self.split(MODEL)
        self.opbyop("run", self.run_folder, "--mode=half", code=USAGE)
