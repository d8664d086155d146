# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Judges attention and random bits of a right device, and of devices with faults, by the definitions of CUDA's calls.

python3 -m unittest validation.custom_calls.cuda_calls_test
"""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import ROOT, Record, cases, run
from validation.custom_calls import cuda_device

TARGET = """schema: opbyop-target/1
name: cuda
description: calls for CUDA by formulas
worker: ["env", "PYTHONPATH={root}:{root}/device/python", "{python}", "-u",
         "{root}/validation/custom_calls/cuda_device.py", "{fault}"]
hello_timeout_s: 120
device: {{kind: xla, parallel: true}}
limits: {{timeout_s: 60, memory_mb: 8192}}
flushes_subnormals: true
stages:
  - {{name: parse}}
  - {{name: compile}}
  - {{name: load}}
  - {{name: execute}}
"""


class CudaCallsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        models = [f"fixtures/custom_calls/{name}.mlir" for name in ("attention", "random")]
        done = run("opbyop", "split", "--quiet", *models, "-o", cls.folder / "ops")
        assert done.returncode == 0, done.stdout + done.stderr
        cls.programs = {path.stem: path.read_text() for path in (cls.folder / "ops/cases").glob("custom_call*.mlir")}

    def records(self, fault: str) -> dict[str, Record]:
        target = self.folder / f"{fault}.yaml"
        target.write_text(TARGET.format(python=sys.executable, root=ROOT, fault=fault))
        results = self.folder / fault
        only = "--gtest_filter=*custom_call*"
        # The faults come at every try, so a second one, in a worker that starts again, would say nothing new.
        options = [f"--target={target}", "--policy=domain", "--retries=0", "-o", results]
        run("opbyop", "run", self.folder / "ops", *options, "--", only)
        records = {record["case"]: record for record in cases(results)}
        self.assertEqual(set(records), set(self.programs), "some cases were not run")
        return records

    def has(self, fault: str, text: str) -> bool:
        """Whether the fault changes what the program computes."""
        is_attention = "@__cudnn$fmha" in text
        return {
            "scale": is_attention,
            "other_heads": is_attention,
            "keys_exchanged": not is_attention,
            "counter_behind": not is_attention,
            "future": "CAUSAL" in text,
            "no_mask": "CAUSAL" in text,
            "no_bias": "Bias" in text,
            "sums": text.count("tensor<2x4x8xf32>") > 0,
        }[fault]

    def test_a_right_device_is_accepted(self) -> None:
        for case, record in self.records("none").items():
            with self.subTest(case):
                self.assertEqual(record["status"], "pass", record.get("diagnostic"))
                self.assertRegex(record["comparisons"][0]["rule"], r"as opbyop's (attention|threefry)\.mlir")

    def test_a_fault_is_refused(self) -> None:
        for fault in cuda_device.FAULTS[1:]:
            for case, record in self.records(fault).items():
                with self.subTest(case, fault=fault):
                    expected = "fail" if self.has(fault, self.programs[case]) else "pass"
                    self.assertEqual(record["status"], expected, record.get("diagnostic"))


if __name__ == "__main__":
    unittest.main()
