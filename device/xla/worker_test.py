# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the xla worker through its protocol."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import ClassVar

import ml_dtypes
import numpy as np

from opbyop_worker import Grid
from opbyop_worker.testing import CaseFolder, GridChecks, sharded_product, unary

CUSTOM_CALL = """module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @nobody(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


# An LU decomposition in the form in which JAX exports it.
LU = """module {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {
      mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<
        output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>],
      result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
    } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
    return %0#0 : tensor<2x2xf32>
  }
}
"""

DYNAMIC = """module {
  func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.negate %arg0 : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
"""


# The first two devices exchange their parts.
EXCHANGE = """sdy.mesh @m = <["x"=8]>
func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"}
      (%b: tensor<2xf32>) {
    %1 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
"""


class WorkerTest(GridChecks, unittest.TestCase):
    argv: ClassVar = [sys.executable, str(Path(__file__).with_name("worker.py"))]
    compile_stages: ClassVar = [("parse", "pass"), ("compile", "pass")]

    def test_hello_names_the_toolchain(self) -> None:
        self.assertIn("jaxlib", self.parent.hello["version"])

    def test_a_sharded_product_gives_the_whole_result(self) -> None:
        self.assertTrue(self.parent.hello["shardings"])
        for inputs, output in (
            (["{devices=[1,8]<=[8]}", "{devices=[8,1]<=[8]}"], "{replicated}"),
            (["{devices=[4,2]<=[2,4]T(1,0)}", "{replicated}"], "{devices=[2,2,2]<=[8] last_tile_dim_replicate}"),
            (["{devices=[2,4]<=[8]}", "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"], "{replicated}"),
        ):
            case, expected = sharded_product(inputs, output)
            self.run_case(case)
            np.testing.assert_array_equal(case.output(), expected)

    def test_the_partitioner_is_that_of_the_target(self) -> None:
        case, expected = sharded_product(["{devices=[1,8]<=[8]}", "{devices=[8,1]<=[8]}"], "{replicated}")
        self.addCleanup(case.cleanup)
        for asked, by in (
            ({}, "by gspmd"),
            ({"partitioner": "gspmd"}, "by gspmd"),
            ({"partitioner": "shardy"}, "by shardy"),
        ):
            answer = self.parent.ask("compile", **case.fields(), **asked)
            self.assertEqual(answer.done["partitioning"], by)
            self.assertEqual(self.parent.ask("execute", **case.fields(), **asked).status, "pass")
            np.testing.assert_array_equal(case.output(), expected)

    def test_uneven_parts_have_padding_that_nobody_reads(self) -> None:
        for texts, output in ((["{devices=[1,8]<=[8]}", "{devices=[8,1]<=[8]}"], "{replicated}"),
                              (["{devices=[8,1]<=[8]}", "{replicated}"], "{devices=[8,1]<=[8]}")):  # fmt: skip
            case, expected = sharded_product(texts, output, (9, 10, 4))
            self.run_case(case)
            np.testing.assert_array_equal(case.output(), expected)

    def test_an_argument_is_sent_as_the_executable_divides_it(self) -> None:
        case, expected = sharded_product(["{devices=[8,1]<=[8]}", "{replicated}"], "{replicated}", (9, 10, 4))
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields(), partitioner="shardy")
        self.assertEqual(answer.done["partitioning"], "by shardy, argument 0 by {replicated}")
        self.assertEqual(self.parent.ask("execute", **case.fields(), partitioner="shardy").status, "pass")
        np.testing.assert_array_equal(case.output(), expected)

    def test_a_result_that_is_divided_in_another_way_is_a_failure(self) -> None:
        case, _ = sharded_product(["{devices=[8,1]<=[8]}", "{replicated}"], "{devices=[8,1]<=[8]}", (9, 10, 4))
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields(), partitioner="shardy")
        self.assertEqual(answer.status, "fail")
        self.assertIn("XLA gives result 0 the sharding {replicated}", answer.done["diagnostic"])

    def test_a_profile_has_the_instructions_and_the_program(self) -> None:
        self.assertTrue(self.parent.hello["profiles"])
        case = unary("stablehlo.negate", "f32", np.arange(64, dtype=np.float32))
        self.addCleanup(case.cleanup)
        self.assertEqual(self.parent.ask("compile", **case.fields()).status, "pass")
        done = self.parent.ask("execute", **case.fields(), profile=True).done
        self.assertNotIn("why_no_profile", done)
        self.assertIn(b"hlo_op", (case.dir / "profile.xspace").read_bytes())
        self.assertIn("ENTRY", (case.dir / "program.hlo").read_text())

    def test_only_shardy_runs_a_manual_computation(self) -> None:
        shardings = {"inputs": ["{devices=[8]<=[8]}"], "outputs": ["{devices=[8]<=[8]}"]}
        operand = np.arange(16, dtype=np.float32)
        case = CaseFolder(EXCHANGE, [(operand, "f32")], [((16,), "f32")], Grid(partitions=8), shardings)
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual(answer.status, "unsupported")
        self.assertIn("GSPMD has no manual computation", str(answer))
        for verb in ("compile", "execute"):
            self.assertEqual(self.parent.ask(verb, **case.fields(), partitioner="shardy").status, "pass")
        np.testing.assert_array_equal(case.output()[:4], [2, 3, 0, 1])

    def test_a_sharding_that_xla_does_not_take_over_is_no_pass(self) -> None:
        for text in ("{foo}", "{devices=[2,3]<=[8]}"):
            case, _ = sharded_product(["{replicated}", text], "{replicated}")
            self.addCleanup(case.cleanup)
            self.assertNotEqual(self.parent.ask("compile", **case.fields()).status, "pass", text)

    def test_wide_types_are_not_narrowed(self) -> None:
        case = unary("stablehlo.negate", "i64", np.array([2**40], np.int64))
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [-(2**40)])

    def test_types_that_numpy_lacks_are_transferred(self) -> None:
        case = unary("stablehlo.negate", "bf16", np.array([1.5], ml_dtypes.bfloat16))
        self.run_case(case)
        self.assertEqual(float(case.output()[0]), -1.5)

    def test_bad_text_fails_in_parse_with_its_place(self) -> None:
        case = CaseFolder("func.func @main( {", [], [])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual(answer.stages, [("parse", "fail")])
        self.assertIn("error:", answer.done["diagnostic"])

    def test_ops_that_xla_does_not_implement_are_unsupported(self) -> None:
        case = CaseFolder(CUSTOM_CALL, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"))
        self.assertIn("nobody", answer.done["diagnostic"])

    def test_custom_calls_without_a_handler_are_unsupported_whatever_their_interface(self) -> None:
        for target, api in (("nobody", 4), ("xla_ffi_python_cpu_callback", 4), ("xla_python_gpu_callback", 2)):
            typed = CUSTOM_CALL.replace("@nobody(%arg0)", f"@{target}(%arg0) {{api_version = {api} : i32}}")
            for text in (typed, f"{typed.replace('@' + target, chr(34).join(('@', target, '')))}"):
                case = CaseFolder(text, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
                self.addCleanup(case.cleanup)
                answer = self.parent.ask("compile", **case.fields())
                self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"), text)
                self.assertIn(target, answer.done["diagnostic"])

    def test_shapes_known_only_at_run_time_are_unsupported(self) -> None:
        case = CaseFolder(DYNAMIC, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"))
        self.assertIn("Unbounded dynamism", answer.done["diagnostic"])

    def test_lapack_is_loaded_for_custom_calls(self) -> None:
        case = CaseFolder(LU, [(np.array([[2, 4], [1, 5]], np.float32), "f32")], [((2, 2), "f32")])
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [[2, 4], [0.5, 3]])

    def test_intermediates_are_written_if_requested(self) -> None:
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
