"""`opbyop run --mode=whole`: models in one piece beside their ops.

python3 tools/whole_mode_test.py BIN_DIR SOURCE_DIR
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(argument).resolve() for argument in sys.argv[1:3])

# Two results of one type: a target that exchanges them is right on every op and wrong on the model.
MODEL = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
# The reference promises nothing of a quotient whose divisor may be zero: any answer lies within its bound.
LOOSE = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %a : tensor<4xf32>
  %1 = stablehlo.subtract %0, %0 : tensor<4xf32>
  %2 = stablehlo.divide %b, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


class WholeModeTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_folder = self.folder / "run"

    def opbyop(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        argv = [str(BIN / "opbyop"), *map(str, arguments)]
        return subprocess.run(argv, cwd=SOURCE, capture_output=True, text=True, timeout=200, check=False)

    def split(self, text: str) -> None:
        model = self.folder / "two.mlir"
        model.write_text(text)
        done = self.opbyop("split", model, "-o", self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def lying(self, fault: str) -> Path:
        target = self.folder / "lying.yaml"
        target.write_text((SOURCE / "fixtures/lying/lying.yaml").read_text().replace('"none"', f'"{fault}"'))
        return target

    def run_mode(self, mode: str, target: object) -> int:
        return self.opbyop("run", self.run_folder, f"--mode={mode}", "--target", target, "--fresh").returncode

    def whole(self) -> tuple[dict, dict]:
        lines = [json.loads(line) for line in (self.run_folder / "whole/results.jsonl").read_text().splitlines()]
        [record] = [line for line in lines if line["record"] == "case"]
        return lines[0], record

    def test_all_ops_pass_and_the_model_fails(self) -> None:
        self.split(MODEL)
        target = self.lying("results_exchanged")
        self.assertEqual(self.run_mode("isolated", target), 0)
        self.assertEqual(self.run_mode("whole", target), 1)
        header, record = self.whole()
        self.assertEqual(header["mode"], "whole")
        self.assertEqual((record["status"], record["stage"]), ("fail", "compare"))
        self.assertIn("of the range", record["diagnostic"])
        done = self.opbyop("report", self.run_folder, "-o", self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = (self.run_folder / "summary.md").read_text()
        self.assertIn("needs attention", summary)
        self.assertRegex(summary, r"\| two \| 2 \| 2 \| 2 \| 0 \| 0 \| 100\.0 % \| fail, error ")
        self.assertIn('"whole":{"status":', (self.run_folder / "index.html").read_text())

    def test_all_ops_and_the_model_pass(self) -> None:
        self.split(MODEL)
        for target in ("host", self.lying("none")):
            self.assertEqual(self.run_mode("isolated", target), 0)
            self.assertEqual(self.run_mode("whole", target), 0)
            _, record = self.whole()
            self.assertEqual(record["status"], "pass")
            self.assertEqual(len(record["comparisons"]), 2)
        self.opbyop("report", self.run_folder, "-o", self.run_folder)
        summary = (self.run_folder / "summary.md").read_text()
        self.assertIn("no unexpected result", summary)
        self.assertIn("| 100.0 % | pass, error ", summary)

    def test_a_bound_that_says_nothing_is_flagged(self) -> None:
        self.split(LOOSE)
        self.assertEqual(self.run_mode("whole", "host"), 0)
        _, record = self.whole()
        [comparison] = record["comparisons"]
        self.assertTrue(comparison["weak"])
        self.assertRegex(comparison["rule"], "^weak: pcc >= 0.999 and error <= 0.001 of the range; the bound ")

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
        self.assertEqual(program, "opbyop")
        out = self.folder / "repro"
        done = self.opbyop(*arguments, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(list(out.glob("*/output_1.npy")))

    def test_a_model_that_is_gone_is_named(self) -> None:
        self.split(MODEL)
        (self.folder / "two.mlir").unlink()
        done = self.opbyop("run", self.run_folder, "--mode=whole")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("two.mlir", done.stderr)
        self.assertFalse((self.run_folder / "whole").exists())

    def test_an_unknown_mode_is_a_usage_error(self) -> None:
        self.split(MODEL)
        self.assertEqual(self.opbyop("run", self.run_folder, "--mode=half").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
