# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the iree worker on a machine that lacks the requested device."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

from opbyop_worker.protocol import ONLY, REPLY_FD
from opbyop_worker.testing import Parent, unary

# A Vulkan loader that finds no driver. Without a loader, the device is absent as well.
NO_DRIVER = "VK_ICD_FILENAMES=/nonexistent.json"
FLAGS = ["--device=vulkan", "--iree-hal-target-device=vulkan", "--iree-input-type=stablehlo"]
WORKER = ["env", NO_DRIVER, sys.executable, str(Path(__file__).with_name("worker.py"))]


class AbsentDeviceTest(unittest.TestCase):
    def test_it_compiles_and_its_hello_says_why_it_cannot_execute(self) -> None:
        with Parent([*WORKER, *FLAGS]) as parent:
            reason = parent.hello["compile_only"]
            self.assertRegex(reason, r"^IREE has no device vulkan here: \S")
            self.assertNotIn("\n", reason)
            self.assertNotIn("c/runtime/src", reason)
            case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
            self.addCleanup(case.cleanup)
            self.assertEqual(parent.ask("compile", **case.fields()).status, "pass")
            executed = parent.ask("execute", **case.fields())
            self.assertEqual(executed.stages, [("load", "unsupported")])
            self.assertEqual(executed.done["diagnostic"], reason)

    def test_a_driver_that_the_runtime_lacks_is_an_absent_device(self) -> None:
        with Parent([*WORKER, "--device=nosuch"]) as parent:
            self.assertIn("no driver 'nosuch' registered", parent.hello["compile_only"])

    def test_a_worker_that_only_executes_exits_with_a_sentence_without_its_device(self) -> None:
        reader, writer = os.pipe()
        environment = {**os.environ, REPLY_FD: str(writer), ONLY: "execute"}
        done = subprocess.run(
            [*WORKER, *FLAGS], env=environment, pass_fds=[writer], capture_output=True, text=True, check=False
        )
        os.close(writer)
        os.close(reader)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^IREE has no device vulkan here: .*\n$")


if __name__ == "__main__":
    unittest.main()
