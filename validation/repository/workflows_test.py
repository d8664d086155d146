# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the commands of docs/workflows.md, in order, and checks their output.

python3 -m unittest validation.repository.workflows_test
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import BIN, ROOT, Record, cases


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/workflows.md").read_text(), re.S)
    return [line for block in blocks for line in block.splitlines()]


def without_costs(of_set: Record) -> Record:
    return {key: value for key, value in of_set.items() if not key.endswith(("_ms", "_kb"))}


class WorkflowsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        for name in ("fixtures", "manifests", "docs"):
            (cls.folder / name).symlink_to(ROOT / name)
        environment = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
        cls.done = [
            subprocess.run(each.split(), cwd=cls.folder, env=environment, capture_output=True, text=True, check=False)
            for each in commands()
        ]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def records(self, name: str) -> list[Record]:
        return cases(self.folder / "out/flows" / name)

    def manifest(self, name: str) -> str:
        return (self.folder / "out/flows" / name / "manifest.yaml").read_text()

    def test_every_command_works(self) -> None:
        self.assertEqual(len(self.done), 18)
        for done in self.done:
            with self.subTest(done.args):
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])

    def test_functions_are_run_on_every_value(self) -> None:
        for record in self.records("values"):
            self.assertEqual((record["status"], record["comparisons"][0]["elements"]), ("pass", 65536), record["case"])
        self.assertEqual(len(self.records("values")), 6)
        self.assertEqual(self.records("part")[0]["comparisons"][0]["elements"], 4 << 20)

    def test_ops_of_the_compilers_ir_go_through_the_stages_that_follow(self) -> None:
        records = self.records("linalg")
        self.assertTrue(records)
        for record in records:
            stages = [stage["name"] for stage in record["stages"]]
            self.assertNotIn("stablehlo-to-linalg", stages)
            self.assertIn("linalg-to-llvm", stages)
        self.assertIn("pass", {record["status"] for record in records})

    def test_they_are_compared_with_the_reference(self) -> None:
        passed = [record for record in self.records("linalg") if record["status"] == "pass"]
        for record in passed:
            for comparison in record["comparisons"]:
                self.assertTrue(comparison["rule"].endswith("raised to StableHLO"), comparison["rule"])

    def test_ops_that_are_not_compared_are_inconclusive_with_a_reason(self) -> None:
        for name in ("linalg", "ops-linalg"):
            for record in self.records(name):
                self.assertIn(record["status"], ("pass", "inconclusive"))
                self.assertTrue(record["status"] == "pass" or record["diagnostic"])

    def test_ops_of_ops_belong_to_the_model(self) -> None:
        manifest = self.manifest("ops-linalg")
        self.assertIn('- name: "ffnn"', manifest)
        self.assertEqual(len(re.findall(r"^- name:", manifest, re.M)), 1)
        self.assertIn('stage: "host/stablehlo-to-linalg"', manifest)

    def test_the_whole_model_is_shown_with_its_ops(self) -> None:
        [record] = self.records("ops/whole")
        self.assertEqual(record["status"], "pass")
        summary = (self.folder / "out/flows/ops/summary.md").read_text()
        self.assertIn("whole model", summary)

    def test_a_bundle_ends_as_the_run_in_one_piece(self) -> None:
        whole = {record["case"]: record for record in self.records("ops")}
        executed = self.records("bundle")
        self.assertEqual(len(executed), len(whole))
        for record in executed:
            other = whole[record["case"]]
            for key in ("status", "stage", "comparisons", "seed"):
                self.assertEqual(record.get(key), other.get(key), (record["case"], key))
            self.assertEqual(
                *[[without_costs(one) for one in each["sets"]] for each in (record, other)], record["case"]
            )
            names = [[stage["name"] for stage in each["stages"]] for each in (record, other)]
            self.assertEqual(names[0], names[1])
