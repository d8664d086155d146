# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the pjrt worker with a misbehaving plugin (fixtures/pjrt): the stage, its status and its diagnostic."""

from __future__ import annotations

import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy as np

from opbyop_worker import Grid
from opbyop_worker.testing import Answer, CaseFolder, Parent

BIN = Path(os.environ["OPBYOP_BIN_DIR"])

ADD = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

# Each row is the fault, the status, the stage, and words of the diagnostic.
FAULTS = (
    ("inputs:written", "fail", "execute", "wrote into input 0"),
    ("outputs:more", "fail", "compile", "2 outputs by the plugin, 1 by the program"),
    ("outputs:null", "fail", "execute", "no buffer for one of 1 outputs"),
    ("outputs:type", "fail", "execute", "elements of i16 by the plugin, f32 by the program"),
    ("outputs:dims", "fail", "execute", "shape [5] by the plugin, [4] by the program"),
    ("events:error", "fail", "load", "event failed"),
    ("missing:Client_Compile", "unsupported", "compile", "PJRT_Client_Compile"),
    ("missing:Buffer_ToHostBuffer", "unsupported", "execute", "PJRT_Buffer_ToHostBuffer"),
    ("unimplemented:LoadedExecutable_Execute", "unsupported", "execute", "UNIMPLEMENTED"),
    ("no-text:Client_Compile", "fail", "compile", "PJRT_Client_Compile failed without saying why"),
    ("null-text:Client_Compile", "fail", "compile", "PJRT_Client_Compile failed without saying why"),
    ("odd-code:Client_Compile", "fail", "compile", "code 99"),
    ("nothing:Client_Compile", "fail", "compile", "gave no executable"),
    ("nothing:Buffer_ToHostBuffer", "fail", "execute", "takes 0 bytes by the plugin, [4] of f32 are 16"),
    ("attributes:future", "unsupported", "parse", "the plugin reads StableHLO 99.0.0"),
)

# Faults that a worker tolerates.
HARMLESS = ("", "missing:Event_Await", "attributes:none", "version:0.20", "null:Client_PlatformName", "costs:nan")


class WorkerFaultsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.target = Path(folder.name) / "target.yaml"
        self.target.write_text(
            "schema: opbyop-target/1\nname: fixture\nworker: [x]\ndevice: {kind: pjrt}\n"
            f"plugin: {BIN / 'pjrt_fixture.so'}\n"
            "stages: [{name: parse}, {name: compile}, {name: load}, {name: execute}]\n"
        )
        numbers = np.arange(4, dtype=np.float32)
        self.case = CaseFolder(ADD, [(numbers, "f32"), (numbers, "f32")], [((4,), "f32")])
        self.addCleanup(self.case.cleanup)

    def ask(self, fault: str) -> Answer:
        argv = [str(BIN / "opbyop-pjrt-worker"), "--target", str(self.target)]
        with unittest.mock.patch.dict(os.environ, {"OPBYOP_PJRT_FAULT": fault}), Parent(argv) as parent:
            compiled = parent.ask("compile", **self.case.fields())
            if compiled.status != "pass":
                return compiled
            return parent.ask("execute", **{**self.case.fields(), "repeat": {"min": 2, "max": 2}})

    def test_a_fault_fails_its_stage(self) -> None:
        for fault, status, stage, words in FAULTS:
            with self.subTest(fault):
                answer = self.ask(fault)
                self.assertEqual((answer.stages[-1], answer.status), ((stage, status), status), answer.done)
                self.assertIn(words, answer.done["diagnostic"])

    def test_an_executable_for_one_device_is_no_sharded_case(self) -> None:
        numbers = np.arange(8, dtype=np.float32)
        halves = "{devices=[2]<=[2]}"
        self.case = CaseFolder(
            ADD.replace("tensor<4xf32>", "tensor<8xf32>"),
            [(numbers, "f32"), (numbers, "f32")],
            [((8,), "f32")],
            Grid(partitions=2),
            {"inputs": [halves, halves], "outputs": [halves]},
        )
        self.addCleanup(self.case.cleanup)
        answer = self.ask("")
        self.assertEqual((answer.stages[-1], answer.status), (("compile", "unsupported"), "unsupported"), answer.done)
        self.assertIn("1 replicas and 1 partitions, the case has 1 and 2", answer.done["diagnostic"])

    def test_a_plugin_that_lacks_only_optional_functions_passes(self) -> None:
        for fault in HARMLESS:
            with self.subTest(fault):
                self.assertEqual(self.ask(fault).status, "pass")
                self.assertEqual(self.case.output().tolist(), [0, 2, 4, 6])

    def test_without_a_device_the_worker_does_not_start(self) -> None:
        with self.assertRaisesRegex(EOFError, "left with 3"):
            self.ask("devices:none")


if __name__ == "__main__":
    unittest.main()
