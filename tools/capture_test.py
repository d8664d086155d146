"""`opbyop capture`: a model's own intermediates as the inputs of its cases.

python3 tools/capture_test.py BIN_DIR SOURCE_DIR
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path()
SOURCE = pathlib.Path()

MODEL = """
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  %1 = stablehlo.multiply %0, %a : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
"""


class CaptureTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.model = self.folder / "m.mlir"
        self.model.write_text(MODEL)
        self.split = self.folder / "run"
        self.run_program("opbyop", "split", self.model, "-o", self.split)

    def run_program(self, program, *arguments, code=0):
        done = subprocess.run(
            [BIN / program, *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True, timeout=120, check=False
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def capture(self, *arguments):
        return self.run_program("opbyop", "capture", self.model, "-o", self.split, *arguments)

    def operands(self):
        """The files of the operands by op name."""
        cases = json.loads((self.split / "captured/index.json").read_text())["cases"]
        return {case.split("_")[0]: names for case, names in cases.items()}

    def conformance(self, code=0):
        return self.run_program(
            "conformance",
            f"--manifest={self.split / 'manifest.yaml'}",
            "--policy=captured",
            f"--out={self.folder / 'results'}",
            code=code,
        )

    def records(self):
        lines = (self.folder / "results/results.jsonl").read_text().splitlines()
        return [record for record in map(json.loads, lines) if record["record"] == "case"]

    def test_an_operand_is_what_the_op_before_it_gave(self):
        self.capture()
        operands = self.operands()
        argument = operands["add"][0]
        self.assertEqual(operands["add"], [argument])
        self.assertEqual(operands["multiply"][1], argument)
        self.assertEqual(len({argument, operands["multiply"][0], operands["negate"][0]}), 3)

    def test_equal_tensors_are_one_file(self):
        self.capture()
        self.assertEqual(len(list((self.split / "captured").glob("*.zst"))), 3)

    def test_the_same_seed_captures_the_same_and_another_does_not(self):
        self.capture()
        first = self.operands()
        shutil.rmtree(self.split / "captured")
        self.capture()
        self.assertEqual(self.operands(), first)
        shutil.rmtree(self.split / "captured")
        self.capture("--seed=7")
        self.assertNotEqual(self.operands(), first)

    def test_cases_above_the_limit_are_left_out_and_counted(self):
        done = self.capture("--tensor-limit=0.00001")
        self.assertIn("operands of 0 cases captured, 3 above the limits", done.stdout)
        self.assertEqual(self.operands(), {})

    def test_cases_run_on_the_captured_operands(self):
        self.capture()
        self.conformance()
        self.assertEqual([record["status"] for record in self.records()], ["pass"] * 3)

    def test_a_changed_capture_is_refused_by_its_checksum(self):
        self.capture()
        files = self.operands()["multiply"]
        store = self.split / "captured"
        shutil.copyfile(store / f"{files[1]}.zst", store / f"{files[0]}.zst")
        self.conformance(code=1)
        failed = {record["case"].split("_")[0]: record for record in self.records() if record["status"] != "pass"}
        self.assertEqual(list(failed), ["multiply"])
        self.assertIn("checksum", failed["multiply"]["diagnostic"])


if __name__ == "__main__":
    BIN, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1])
