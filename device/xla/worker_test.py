"""The xla worker through its protocol."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import ml_dtypes
import numpy as np

from opbyop_worker.testing import CaseFolder, Parent, unary

ALL_PASS = [("parse", "pass"), ("compile", "pass")]
CUSTOM_CALL = """module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @nobody(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


class WorkerTest(unittest.TestCase):
    parent: Parent

    @classmethod
    def setUpClass(cls) -> None:
        cls.parent = Parent([sys.executable, str(Path(__file__).with_name("worker.py"))])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.parent.__exit__()

    def run_case(self, case: CaseFolder) -> None:
        self.addCleanup(case.cleanup)
        compiled = self.parent.ask("compile", **case.fields())
        self.assertEqual(compiled.stages, ALL_PASS, compiled.done)
        self.assertGreater(compiled.done["artifact_bytes"], 0)
        executed = self.parent.ask("execute", **case.fields())
        self.assertEqual(executed.stages, [("load", "pass"), ("execute", "pass")], executed.done)
        self.assertEqual(executed.done["timing"]["n"], 3)

    def test_hello_names_the_toolchain(self) -> None:
        self.assertIn("jaxlib", self.parent.hello["version"])

    def test_values_come_back(self) -> None:
        case = unary("stablehlo.negate", "f32", np.array([[1, -2], [0.5, 4]], np.float32))
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [[-1, 2], [-0.5, -4]])

    def test_kept_cases_run_in_any_order_and_tell_their_spans(self) -> None:
        cases = [unary(op, "f32", np.array([[1, -2]], np.float32)) for op in ("stablehlo.negate", "stablehlo.abs")]
        for i, case in enumerate(cases):
            self.addCleanup(case.cleanup)
            self.assertTrue(self.parent.ask("compile", keep=True, **case.fields(f"case{i}")).done["kept"])
        executed = self.parent.ask("execute", spans=True, **cases[0].fields("case0")).done
        self.assertEqual(cases[0].output().tolist(), [[-1, 2]])
        kinds = [span["kind"] for span in executed["spans"]]
        self.assertEqual([kinds.count(kind) for kind in ("transfer_in", "execute", "transfer_out")], [1, 1, 1])
        self.assertEqual(len(executed["runs_ns"]), 3)

    def test_wide_types_are_not_narrowed(self) -> None:
        case = unary("stablehlo.negate", "i64", np.array([2**40], np.int64))
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [-(2**40)])

    def test_types_that_numpy_lacks_cross(self) -> None:
        case = unary("stablehlo.negate", "bf16", np.array([1.5], ml_dtypes.bfloat16))
        self.run_case(case)
        self.assertEqual(float(case.output()[0]), -1.5)

    def test_bad_text_fails_in_parse_with_its_place(self) -> None:
        case = CaseFolder("func.func @main( {", [], [])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual(answer.stages, [("parse", "fail")])
        self.assertIn("error:", answer.done["diagnostic"])

    def test_what_xla_does_not_implement_is_unsupported(self) -> None:
        case = CaseFolder(CUSTOM_CALL, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"))
        self.assertIn("nobody", answer.done["diagnostic"])

    def test_intermediates_are_left_when_asked_for(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        self.addCleanup(case.cleanup)
        self.parent.ask("compile", save_intermediates=True, **case.fields())
        self.assertIn("HloModule", (case.dir / "1_compile.hlo").read_text())

    def test_execute_without_its_artifact_fails(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("execute", **case.fields("another"))
        self.assertEqual(answer.status, "fail")


if __name__ == "__main__":
    unittest.main()
