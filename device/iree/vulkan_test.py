# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the iree worker on a Vulkan device: a GPU, or Mesa's llvmpipe. Skipped if there is none."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import ClassVar

import numpy as np

from opbyop_worker.testing import Parent, WorkerChecks, unary

sys.path.insert(0, str(Path(__file__).parent))
from compiler import PHASES

FLAGS = ["--device=vulkan", "--iree-hal-target-device=vulkan", "--iree-input-type=stablehlo"]
WORKER = [sys.executable, str(Path(__file__).with_name("worker.py")), *FLAGS]


class VulkanTest(WorkerChecks, unittest.TestCase):
    argv: ClassVar = WORKER
    compile_stages: ClassVar = [(stage, "pass") for stage in ("parse", *PHASES, "flatbuffer")]

    def test_hello_names_the_device(self) -> None:
        self.assertRegex(self.parent.hello["version"], r"on vulkan \(.+\) --iree-hal-target-device=vulkan")
        self.assertEqual("cores" in self.parent.hello, "llvmpipe" in self.parent.hello["version"])

    def test_tensors_of_every_alignment_survive_a_round_trip(self) -> None:
        for size in (1, 3, 17, 1023, 4096, 100_000):
            with self.subTest(size):
                values = np.arange(size, dtype=np.float32)
                case = unary("stablehlo.negate", "f32", values)
                self.run_case(case)
                np.testing.assert_array_equal(case.output(), -values)

    def test_an_empty_tensor_survives_a_round_trip(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros((0, 3), np.float32))
        self.run_case(case)
        self.assertEqual(case.output().shape, (0, 3))


if __name__ == "__main__":
    with Parent(WORKER) as worker:
        if absent := worker.hello.get("compile_only"):
            print("skipped:", absent, file=sys.stderr)
            sys.exit(77)
    unittest.main()
