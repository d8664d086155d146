"""IREE's IR of the phases `input` and `flow`, split and run op by op.

python workflow_test.py BIN_DIR SOURCE_DIR
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(argument).resolve() for argument in sys.argv[1:3])

MODEL = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
  %3 = stablehlo.tanh %2 : tensor<4x2xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
  %6 = stablehlo.multiply %3, %5 : tensor<4x2xf32>
  return %6 : tensor<4x2xf32>
}
"""


class WorkflowTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "model.mlir").write_text(MODEL)

    def opbyop(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        argv = [str(BIN / "opbyop"), *map(str, arguments)]
        return subprocess.run(argv, cwd=SOURCE, capture_output=True, text=True, timeout=400, check=False)

    def split(self, source: Path, name: str, *options: str) -> Path:
        out = self.folder / name
        done = self.opbyop("split", source, *options, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return out

    def run_cases(self, folder: Path) -> dict[str, dict]:
        done = self.opbyop("run", folder, "--target", "iree", "--", "--jobs=1", "--baseline=none")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
        return {line["case"]: line for line in lines if line["record"] == "case"}

    def expect_judged(self, records: dict[str, dict], stem: str) -> None:
        found = [record for case, record in records.items() if case.startswith(stem)]
        self.assertTrue(found, f"no case {stem} in {sorted(records)}")
        for record in found:
            self.assertEqual(record["status"], "pass", record)
            self.assertEqual(record.get("batched", 0), 0)
            for comparison in record["comparisons"]:
                self.assertTrue(comparison["rule"].endswith("raised to StableHLO"), comparison["rule"])

    def test_compile_split_execute_at_input(self) -> None:
        out = self.split(self.folder / "model.mlir", "input", "--after=input", "--target=iree")
        manifest = (out / "manifest.yaml").read_text()
        self.assertIn('stage: "iree/input"', manifest)
        self.assertIn("case.mlir:3", manifest, "locations come along")
        records = self.run_cases(out)
        for stem in ("linalg_matmul", "linalg_generic"):
            self.expect_judged(records, stem)
        self.assertFalse([case for case in records if case.startswith(("tensor_empty", "util_"))])

    def test_compile_split_execute_at_flow(self) -> None:
        out = self.split(self.folder / "model.mlir", "flow", "--after=flow", "--target=iree")
        records = self.run_cases(out)
        self.expect_judged(records, "flow_dispatch")
        text = next((out / "cases").glob("flow_dispatch*.mlir")).read_text()
        self.assertIn('"flow.executable"', text)
        views = [record for case, record in records.items() if case.startswith("hal_tensor_import")]
        self.assertTrue(views)
        self.assertEqual({record["status"] for record in views}, {"skipped"})

    def test_split_compile_split(self) -> None:
        ops = self.split(self.folder / "model.mlir", "ops")
        out = self.split(ops, "again", "--after=input", "--target=iree")
        manifest = (out / "manifest.yaml").read_text()
        self.assertIn('- name: "model"', manifest)
        self.expect_judged(self.run_cases(out), "linalg_matmul")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
