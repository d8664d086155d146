# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs every collective between eight processes on devices with one step of a collective wrong: all cases whose results
it changes must be red, and no other.

python3 -m unittest validation.fault_injection.mesh_test
"""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from fixtures import collectives
from fixtures.programs import Record, cases, faulty_target, run

# The ops that a fault changes. A sum is an all_reduce whose computation is add.
CHANGED = {
    "mesh_leaves_one_out": {"all_reduce", "reduce_scatter"},
    "mesh_doubles_one": {"sum", "reduce_scatter"},
    "mesh_wrong_shard": {"reduce_scatter", "all_to_all"},
    "mesh_one_bit": {"all_reduce", "all_gather", "all_to_all", "collective_broadcast"},
    "mesh_other_axis": {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "collective_broadcast"},
    "mesh_next_target": {"collective_permute"},
    "mesh_zeros_kept": {"collective_permute"},
    "mesh_next_id": {"partition_id"},
}


class MeshFaultsTest(unittest.TestCase):
    folder: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        program = cls.folder / "collectives.mlir"
        program.write_text(collectives.program())
        done = run("opbyop", "split", "--quiet", program, "-o", cls.folder / "run")
        assert done.returncode == 0, done.stderr

    def ends(self, fault: str) -> dict[str, Record]:
        target = faulty_target(self.folder / f"{fault}.yaml", fault)
        out = self.folder / fault
        # The inputs of the day may have an infinity, whose neighbour in one bit is no number.
        manifest = f"--manifest={self.folder}/run/manifest.yaml"
        done = run("conformance", manifest, f"--target={target}", f"--out={out}", "--fresh-seed=none")
        records = {record["case"]: record for record in cases(out)}
        self.assertEqual(len(records), len(collectives.REDUCERS) + 10, done.stdout + done.stderr)
        return records

    def test_a_right_device_passes(self) -> None:
        ends = self.ends("none")
        # There is one replica, so its id proves nothing.
        self.assertEqual({c: r["status"] for c, r in ends.items() if r["status"] != "pass"},
                         {c: "inconclusive" for c in ends if c.startswith("replica_id")})  # fmt: skip

    def test_each_fault_makes_every_case_red_whose_results_it_changes(self) -> None:
        right = self.ends("none")
        programs = {case: (self.folder / f"run/cases/{case}.mlir").read_text() for case in right}
        for fault, ops in CHANGED.items():
            with self.subTest(fault):
                for case, record in self.ends(fault).items():
                    op = case.split("_4x6")[0].split("_scalar")[0]
                    changed = op in ops or ("sum" in ops and op == "all_reduce" and "stablehlo.add" in programs[case])
                    status = record["status"]
                    if not changed:
                        self.assertEqual(status, right[case]["status"], case)
                        continue
                    self.assertIn(status, ("fail", "imprecise"), (case, record.get("diagnostic")))
                    self.assertRegex(record["diagnostic"], r"^(under [\w#]+: )?process \d, output 0", case)

    def test_a_race_is_red_in_one_of_many_executions(self) -> None:
        target = faulty_target(self.folder / "race.yaml", "mesh_race")
        out = self.folder / "race"
        manifest = f"--manifest={self.folder}/run/manifest.yaml"
        arguments = (
            "--select=op=stablehlo.all_to_all",
            "--select=op=stablehlo.all_gather",
            "--policy=domain",
            "--jobs=1",
            "--fresh-seed=none",
        )
        done = run("conformance", manifest, f"--target={target}", f"--out={out}", "--executions=150", *arguments)
        records = cases(out)
        self.assertTrue(records, done.stdout + done.stderr)
        for record in records:
            # In the first or the last of the runs for its timing, or in a later execution.
            self.assertEqual(record["status"], "fail", record["case"])
            self.assertRegex(record["diagnostic"], r"; execution \d+ of 150, those before it were right$")

    def test_one_bit_between_the_members_of_a_float_sum_is_imprecise(self) -> None:
        found = 0
        for case, record in self.ends("mesh_one_bit").items():
            program = (self.folder / f"run/cases/{case}.mlir").read_text()
            # In a sum of two terms one bit may be more than the only rounding explains.
            sum_of_four = "stablehlo.add" in program and collectives.ROWS in program
            if sum_of_four and case.startswith("all_reduce_4x6_f32"):
                self.assertEqual(record["status"], "imprecise", record["diagnostic"])
                self.assertIn("and both are the sum of one group", record["diagnostic"])
                found += 1
            if "stablehlo.maximum" in program:
                self.assertEqual(record["status"], "fail", record["diagnostic"])
                found += 1
        self.assertEqual(found, 2)


if __name__ == "__main__":
    unittest.main()
