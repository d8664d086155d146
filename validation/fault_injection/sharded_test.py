# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs ops with each way of being divided over eight devices on `host`, where all pass, and on devices with one step of
a partitioned program wrong, where all cases whose results it changes must be red.

python3 -m unittest validation.fault_injection.sharded_test
"""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from fixtures import sharded
from fixtures.programs import Record, cases, faulty_target, run

# The ways that a fault changes: those whose programs sum, gather along a divided dimension, or slice by the number of
# the device.
CHANGED = {
    "mesh_no_sum": {*sharded.SUMS, "maximum", "uneven maximum"},
    "mesh_leaves_one_out": {*sharded.SUMS, "maximum", "uneven maximum"},
    "mesh_doubles_one": {*sharded.SUMS},
    "mesh_padding_counts": {"uneven contracting", "uneven sum", "uneven maximum"},
    "mesh_reversed_parts": {
        "both operands differently", "cut along the axis", "elementwise resharded", "joined along the axis", "merged",
        "padded along the axis", "resharded result", "without a rule",
    },
    "mesh_next_id": {
        "batch", "both operands differently", "elementwise resharded", "resharded result", "uneven",
        "uneven contracting", "uneven maximum", "uneven sum", "without a rule",
    },
}  # fmt: skip


def type_of(tensor: Record) -> str:
    return "x".join([*map(str, tensor["shape"]), tensor["dtype"]])


class ShardedFaultsTest(unittest.TestCase):
    folder: ClassVar[Path]
    way_of: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        program = cls.folder / "sharded.mlir"
        program.write_text(sharded.program())
        done = run("opbyop", "split", "--quiet", program, "-o", cls.folder / "run")
        assert done.returncode == 0, done.stderr
        lines = (cls.folder / "run/manifest.yaml").read_text().splitlines()
        written = [json.loads(line[2:]) for line in lines if line.startswith('- {"id"')]
        ways = {tuple(dtype for dtype, _ in op.arguments): op.way for op in sharded.OPS}
        cls.way_of = {case["id"]: ways[tuple(map(type_of, case["inputs"]))] for case in written}
        assert sorted(cls.way_of.values()) == sorted(op.way for op in sharded.OPS), cls.way_of
        assert all("_8p_" in case["id"] and "shardings" in case for case in written), written

    def ends(self, name: str, target: object) -> dict[str, Record]:
        out = self.folder / name
        done = run("conformance", f"--manifest={self.folder}/run/manifest.yaml", f"--target={target}", f"--out={out}")
        records = {self.way_of[record["case"]]: record for record in cases(out)}
        self.assertEqual(len(records), len(sharded.OPS), done.stdout + done.stderr)
        return records

    def ends_with(self, fault: str) -> dict[str, Record]:
        return self.ends(fault, faulty_target(self.folder / f"{fault}.yaml", fault))

    def test_host_runs_every_way_on_eight_devices(self) -> None:
        records = self.ends("host", "host")
        self.assertEqual({way: r["diagnostic"] for way, r in records.items() if r["status"] != "pass"}, {})
        gathered = {way for way, r in records.items() if r["partitioning"] != "by rules"}
        self.assertEqual(gathered, {"without a rule"})
        self.assertEqual(records["without a rule"]["partitioning"], "gathered for stablehlo.fft")

    def test_a_right_device_passes(self) -> None:
        records = self.ends_with("none")
        self.assertEqual({way: r["diagnostic"] for way, r in records.items() if r["status"] != "pass"}, {})

    def test_each_fault_makes_every_case_red_whose_results_it_changes(self) -> None:
        for fault, ways in CHANGED.items():
            with self.subTest(fault):
                red = {way for way, record in self.ends_with(fault).items() if record["status"] != "pass"}
                self.assertEqual(red, ways)

    def test_a_wrong_element_names_the_process_that_computed_it(self) -> None:
        # The parts of the gathered dimension are in the opposite order on every device.
        record = self.ends_with("mesh_reversed_parts")["elementwise resharded"]
        self.assertRegex(record["diagnostic"], r"; process \d computed \[\d, \d+\] of output 0$")

    def test_copies_that_differ_in_one_bit_name_two_processes(self) -> None:
        for way, record in self.ends_with("mesh_one_bit").items():
            # The sum of narrow floats is one of f32, whose last bit is rounded away.
            if way in sharded.SUMS and "bf16" not in way:
                self.assertEqual(record["status"], "fail", way)
                self.assertRegex(
                    record["diagnostic"], r"output 0: process \d has other bits than process \d for element"
                )


if __name__ == "__main__":
    unittest.main()
