# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs what JAX emits for linear algebra and selection on XLA, which is right, and with faults, which must be found.

python3 -m unittest validation.custom_calls.linear_algebra_test
"""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import ROOT, Record, cases, run
from validation.custom_calls import faulty_xla

TARGET = """schema: opbyop-target/1
name: faulty-xla
description: XLA with one fault in each routine
worker: ["{python}", "-u", "{root}/validation/custom_calls/faulty_xla.py", "{number}"]
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


class LinearAlgebraTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.programs = cls.split("cpu", "selection")

    @classmethod
    def split(cls, *files: str) -> dict[str, str]:
        """The programs of the custom calls, by case, in a folder with the name of the first file."""
        models = [f"fixtures/custom_calls/{file}.mlir" for file in files]
        done = run("opbyop", "split", "--quiet", *models, "-o", cls.folder / files[0])
        assert done.returncode == 0, done.stdout + done.stderr
        return {path.stem: path.read_text() for path in (cls.folder / files[0] / "cases").glob("custom_call*.mlir")}

    def records(self, number: int, file: str = "cpu", only: str = "*custom_call*") -> dict[str, Record]:
        """The records of the custom calls, by case, of a device with this fault of each routine."""
        target = self.folder / f"{number}.yaml"
        target.write_text(TARGET.format(python=sys.executable, root=ROOT, number=number))
        results = self.folder / f"results-{file}-{number}"
        # The faults come at every try, so a second one, in a worker that loads JAX again, would say nothing new.
        options = (f"--target={target}", "-o", results, "--retries=0", "--", f"--gtest_filter={only}")
        run("opbyop", "run", self.folder / file, *options)
        return {record["case"]: record for record in cases(results)}

    def test_xla_is_right(self) -> None:
        records = self.records(-1)
        self.assertEqual(set(records), set(self.programs), "some cases were not run")
        for case, record in records.items():
            with self.subTest(case):
                self.assertEqual(record["status"], "pass", record.get("diagnostic"))
                for comparison in record["comparisons"]:
                    self.assertIn("as opbyop's", comparison["rule"])

    def test_what_xla_expands_itself_is_right(self) -> None:
        """XLA has its own QR factorization and eigenvalues, for TPUs, and nothing for LuDecomposition."""
        programs = self.split("tpu")
        records = self.records(-1, "tpu")
        self.assertEqual(set(records), set(programs))
        for case, record in records.items():
            with self.subTest(case):
                expected = "unsupported" if "LuDecomposition" in programs[case] else "pass"
                self.assertEqual(record["status"], expected, record.get("diagnostic"))

    def test_each_fault_is_found_in_every_case_that_has_it(self) -> None:
        faults = {case: faulty_xla.faults_of(faulty_xla.results_of(text)) for case, text in self.programs.items()}
        self.assertTrue(all(faults.values()), "a routine has no fault")
        for number in range(max(map(len, faults.values()))):
            wrong = {case: of[number] for case, of in faults.items() if number < len(of)}
            records = self.records(number, only=":".join(f"*{case}*" for case in wrong))
            self.assertEqual(set(records), set(wrong), "some cases were not run")
            for case, record in records.items():
                result, change = wrong[case]
                with self.subTest(case, fault=change.__name__, result=result):
                    self.assertEqual(record["status"], "fail", record.get("diagnostic"))


if __name__ == "__main__":
    unittest.main()
