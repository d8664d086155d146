# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Splits IREE's IR of the phases `input` and `flow` and runs it op by op.

.venv-iree/bin/python -m unittest device.iree.workflow_test
"""

from __future__ import annotations

from pathlib import Path

from fixtures.programs import ProgramTest, Record, cases

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


class WorkflowTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.model = self.write("model.mlir", MODEL)

    def split(self, source: Path, name: str, *options: str) -> Path:
        self.opbyop("split", source, *options, "-o", self.folder / name)
        return self.folder / name

    def run_cases(self, folder: Path) -> dict[str, Record]:
        self.opbyop("run", folder, "--target", "iree", "--", "--jobs=1", "--baseline=none")
        return {record["case"]: record for record in cases(folder)}

    def expect_judged(self, records: dict[str, Record], stem: str) -> None:
        found = [record for case, record in records.items() if case.startswith(stem)]
        self.assertTrue(found, f"no case {stem} in {sorted(records)}")
        for record in found:
            self.assertEqual(record["status"], "pass", record)
            self.assertEqual(record.get("batched", 0), 0)
            for comparison in record["comparisons"]:
                self.assertTrue(comparison["rule"].endswith("raised to StableHLO"), comparison["rule"])

    def test_compile_split_execute_at_input(self) -> None:
        out = self.split(self.model, "input", "--after=input", "--target=iree")
        manifest = (out / "manifest.yaml").read_text()
        self.assertIn('stage: "iree/input"', manifest)
        self.assertIn("case.mlir:3", manifest, "locations come along")
        records = self.run_cases(out)
        for stem in ("linalg_matmul", "linalg_generic"):
            self.expect_judged(records, stem)
        self.assertFalse([case for case in records if case.startswith(("tensor_empty", "util_"))])

    def test_compile_split_execute_at_flow(self) -> None:
        out = self.split(self.model, "flow", "--after=flow", "--target=iree")
        records = self.run_cases(out)
        self.expect_judged(records, "flow_dispatch")
        text = next((out / "cases").glob("flow_dispatch*.mlir")).read_text()
        self.assertIn('"flow.executable"', text)
        views = [record for case, record in records.items() if case.startswith("hal_tensor_import")]
        self.assertTrue(views)
        self.assertEqual({record["status"] for record in views}, {"skipped"})

    def test_split_compile_split(self) -> None:
        ops = self.split(self.model, "ops")
        out = self.split(ops, "again", "--after=input", "--target=iree")
        manifest = (out / "manifest.yaml").read_text()
        self.assertIn('- name: "model"', manifest)
        self.expect_judged(self.run_cases(out), "linalg_matmul")
