# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the pjrt worker through its protocol, on XLA's CPU client."""

from __future__ import annotations

import os
import subprocess
import unittest
from pathlib import Path
from typing import ClassVar

import ml_dtypes
import numpy as np

from opbyop_worker.testing import CaseFolder, GridChecks, Parent, sharded_product, unary

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ["OPBYOP_BIN_DIR"])
WORKER = str(BIN / "opbyop-pjrt-worker")

CUSTOM_CALL = """module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @nobody(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""

DONATES = """module {
  func.func @main(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<4xf32> {tf.aliasing_output = 0 : i32})
      -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


class WorkerTest(GridChecks, unittest.TestCase):
    argv: ClassVar = [WORKER, "--target", str(ROOT / "manifests/targets/xla-cpu-pjrt.yaml")]
    compile_stages: ClassVar = [("parse", "pass"), ("compile", "pass")]

    def test_hello_names_the_plugin_and_what_it_reads(self) -> None:
        hello = self.parent.hello
        self.assertIn("xla_cpu_pjrt.so, PJRT 0.", hello["version"])
        self.assertEqual(hello["properties"]["stablehlo_minimum_version"], "0.9.0")
        self.assertEqual(hello["properties"]["platform"], "cpu")
        self.assertGreater(hello["cores"], 0)

    def test_a_sharded_product_gives_the_whole_result(self) -> None:
        self.assertTrue(self.parent.hello["shardings"])
        for inputs, output in (
            (["{devices=[1,8]<=[8]}", "{devices=[8,1]<=[8]}"], "{replicated}"),
            (["{devices=[4,2]<=[2,4]T(1,0)}", "{replicated}"], "{devices=[2,2,2]<=[8] last_tile_dim_replicate}"),
            (["{devices=[2,4]<=[8]}", "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"], "{replicated}"),
        ):
            for partitioner in "gspmd", "shardy":
                case, expected = sharded_product(inputs, output)
                self.addCleanup(case.cleanup)
                fields = {**case.fields(), "partitioner": partitioner}
                compiled = self.parent.ask("compile", **fields)
                self.assertEqual((compiled.status, compiled.done["partitioning"]), ("pass", f"by {partitioner}"))
                executed = self.parent.ask("execute", **fields)
                self.assertEqual(executed.status, "pass", executed.done)
                np.testing.assert_array_equal(case.output(), expected)

    def test_an_uneven_argument_is_sent_as_the_executable_divides_it(self) -> None:
        for partitioner, changed in ("gspmd", ""), ("shardy", ", argument 0 by {replicated}"):
            case, expected = sharded_product(["{devices=[8,1]<=[8]}", "{replicated}"], "{replicated}", (9, 10, 4))
            self.addCleanup(case.cleanup)
            fields = {**case.fields(), "partitioner": partitioner}
            compiled = self.parent.ask("compile", **fields)
            self.assertEqual((compiled.status, compiled.done["partitioning"]), ("pass", f"by {partitioner}{changed}"))
            self.assertEqual(self.parent.ask("execute", **fields).status, "pass")
            np.testing.assert_array_equal(case.output(), expected)

    def test_a_text_that_is_no_sharding_does_not_reach_the_plugin(self) -> None:
        for text in ("{foo}", "{devices=[2,3]<=[8]}", "{manual}"):
            case, _ = sharded_product(["{replicated}", text], "{replicated}")
            self.addCleanup(case.cleanup)
            answer = self.parent.ask("compile", **case.fields())
            self.assertEqual(answer.stages, [("parse", "fail")])
            self.assertIn(f"'{text}' is no sharding", answer.done["diagnostic"])

    def test_types_that_numpy_lacks_are_transferred(self) -> None:
        case = unary("stablehlo.negate", "bf16", np.array([1.5], ml_dtypes.bfloat16))
        self.run_case(case)
        self.assertEqual(float(case.output()[0]), -1.5)

    def test_elements_below_a_byte_keep_their_sign(self) -> None:
        case = unary("stablehlo.negate", "i4", np.array([7, -3, 0], np.int8).view(ml_dtypes.int4))
        self.run_case(case)
        self.assertEqual(case.output().view(np.int8).tolist(), [-7, 3, 0])

    def test_bad_text_fails_in_parse(self) -> None:
        case = CaseFolder("func.func @main( {", [], [])
        self.addCleanup(case.cleanup)
        self.assertEqual(self.parent.ask("compile", **case.fields()).stages, [("parse", "fail")])

    def test_ops_that_the_plugin_does_not_implement_are_unsupported(self) -> None:
        case = CaseFolder(CUSTOM_CALL, [(np.zeros(4, np.float32), "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"))
        self.assertIn("nobody", answer.done["diagnostic"])

    def test_donated_inputs_serve_every_repeat(self) -> None:
        ones = np.ones(4, np.float32)
        case = CaseFolder(DONATES, [(ones, "f32"), (2 * ones, "f32")], [((4,), "f32")])
        self.addCleanup(case.cleanup)
        self.assertEqual(self.parent.ask("compile", **case.fields()).status, "pass")
        repeat = {"min": 5, "max": 5, "warmup": 2}
        answer = self.parent.ask("execute", **{**case.fields(), "repeat": repeat})
        self.assertEqual((answer.status, answer.done["timing"]["n"]), ("pass", 5), answer.done)
        self.assertEqual(case.output().tolist(), [3] * 4)

    def test_intermediates_are_written_if_requested(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        self.addCleanup(case.cleanup)
        self.parent.ask("compile", save_intermediates=True, **case.fields())
        self.assertIn('"stablehlo.negate"', (case.dir / "0_parse.mlir").read_text())
        self.assertIn(b"StableHLO_v1.", (case.dir / "0_parse.mlirbc").read_bytes())
        self.assertTrue((case.dir / "1_compile.bin").stat().st_size)

    def test_no_stage_follows_the_last_requested_one(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", until="parse", save_intermediates=True, **case.fields())
        self.assertEqual(answer.stages, [("parse", "pass")])

    def test_the_compilers_estimates_are_reported(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(100, np.float32))
        self.addCleanup(case.cleanup)
        done = self.parent.ask("compile", **case.fields()).done
        self.assertEqual(done["memory"]["arguments"], 400)
        self.assertGreater(done["cost"]["bytes_accessed"], 0)

    def test_a_worker_that_only_executes_starts_no_writer(self) -> None:
        with Parent(self.argv, only="execute") as parent:
            self.assertIn("xla_cpu_pjrt", parent.hello["version"])

    def test_a_missing_plugin_is_one_sentence_and_no_input(self) -> None:
        target = CaseFolder("", [], [])
        self.addCleanup(target.cleanup)
        file = target.dir / "t.yaml"
        file.write_text(
            "schema: opbyop-target/1\nname: t\nworker: [x]\nplugin: /no/such.so\n"
            "device: {kind: pjrt}\nstages: [{name: compile}]\n"
        )
        run = subprocess.run([WORKER, "--target", file], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, len(run.stderr.splitlines())), (3, 1), run.stderr)
        self.assertIn("/no/such.so", run.stderr)

    def test_the_process_of_the_plugin_has_no_mlir(self) -> None:
        maps = Path(f"/proc/{self.parent.pid}/maps").read_text()
        self.assertIn("xla_cpu_pjrt.so", maps)
        self.assertNotIn("libMLIR", maps)
        self.assertNotIn("libLLVM", maps)


if __name__ == "__main__":
    unittest.main()
