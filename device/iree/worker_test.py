# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the iree worker through its protocol."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import ClassVar

import ml_dtypes
import numpy as np

from opbyop_worker.testing import CaseFolder, WorkerChecks, unary

sys.path.insert(0, str(Path(__file__).parent))
from compiler import PHASES

COMPILE = [(stage, "pass") for stage in ("parse", *PHASES, "flatbuffer")]
EXECUTE = [("load", "pass"), ("execute", "pass")]
CUSTOM_CALL = """module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @nobody(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
# The compiler updates the operand in place, but the buffer belongs to the caller.
ADD_AT_ZERO = """module {
  func.func @main(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<1x3xi64> {
    %c = stablehlo.constant dense<0> : tensor<1xi64>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<1x3xi64>, tensor<1xi64>, tensor<3xi64>) -> tensor<1x3xi64>
    return %0 : tensor<1x3xi64>
  }
}
"""  # noqa: E501


def target_flags() -> list[str]:
    """`flags:` of manifests/targets/iree.yaml, one `  - --flag` per line."""
    lines = (Path(__file__).parents[2] / "manifests/targets/iree.yaml").read_text().splitlines()
    return [line.split()[1] for line in lines if line.startswith("  - --")]


class WorkerTest(WorkerChecks, unittest.TestCase):
    argv: ClassVar = [sys.executable, str(Path(__file__).with_name("worker.py")), *target_flags()]
    compile_stages: ClassVar = COMPILE

    def test_hello_names_compiler_runtime_and_flags(self) -> None:
        for part in ("iree-base-compiler", "iree-base-runtime", "local-sync", "--iree-input-type=stablehlo"):
            self.assertIn(part, self.parent.hello["version"])

    def test_f64_stays_f64(self) -> None:
        case = unary("stablehlo.negate", "f64", np.array(1 + 2**-40, np.float64))
        self.run_case(case)
        self.assertEqual(float(case.output()), -(1 + 2**-40))

    def test_types_that_numpy_lacks_and_booleans_are_transferred(self) -> None:
        case = unary("stablehlo.negate", "bf16", np.array([1.5], ml_dtypes.bfloat16))
        self.run_case(case)
        self.assertEqual(float(case.output()[0]), -1.5)
        case = unary("stablehlo.not", "i1", np.array([True, False]))
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [False, True])

    def test_a_custom_call_without_a_handler_is_unsupported_in_its_phase_with_the_diagnostic(self) -> None:
        case = CaseFolder(CUSTOM_CALL, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual(answer.stages, [("parse", "pass"), ("input", "unsupported")])
        self.assertEqual(answer.status, "unsupported")
        self.assertIn("failed to legalize operation 'stablehlo.custom_call'", answer.done["diagnostic"])

    def test_bad_text_fails_in_parse(self) -> None:
        case = CaseFolder("func.func @main( {", [], [])
        self.addCleanup(case.cleanup)
        self.assertEqual(self.parent.ask("compile", **case.fields()).stages, [("parse", "fail")])

    def test_an_argument_that_the_program_overwrites_is_a_failure(self) -> None:
        inputs = [(np.array([[1, 2, 3]], np.int64), "i64"), (np.array([10, 10, 10], np.int64), "i64")]
        case = CaseFolder(ADD_AT_ZERO, inputs, [((1, 3), "i64")])
        self.addCleanup(case.cleanup)
        self.assertEqual(self.parent.ask("compile", **case.fields()).stages, COMPILE)
        answer = self.parent.ask("execute", **case.fields())
        self.assertEqual(answer.stages, [("load", "pass"), ("execute", "fail")])
        self.assertIn("wrote into the caller's buffer of argument 0", answer.done["diagnostic"])

    def test_intermediates_are_written_if_requested(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        self.addCleanup(case.cleanup)
        self.parent.ask("compile", save_intermediates=True, **case.fields())
        self.assertIn("flow.executable", (case.dir / "6_flow.mlir").read_text())
        self.assertTrue((case.dir / "14_flatbuffer.bin").read_bytes())

    def test_a_batch_runs_each_of_its_functions(self) -> None:
        cases = {
            "a": unary("stablehlo.negate", "f32", np.array([1], np.float32)),
            "b": unary("stablehlo.abs", "f32", np.array([-3], np.float32)),
        }
        for case in cases.values():
            self.addCleanup(case.cleanup)
        members = [{"case": name, "file": str(case.file)} for name, case in cases.items()]
        compiled = self.parent.ask("compile_batch", members=members)
        self.assertEqual((compiled.stages, compiled.status), (COMPILE, "pass"))
        for name, value in {"b": 3, "a": -1}.items():
            self.assertEqual(self.parent.ask("execute", **cases[name].fields(name)).stages, EXECUTE)
            self.assertEqual(cases[name].output().tolist(), [value])


if __name__ == "__main__":
    unittest.main()
