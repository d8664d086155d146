# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Small programs that were once refused or judged wrongly, each with its correct result.

python3 -m unittest validation.corpus.handout_test
"""

from __future__ import annotations

from pathlib import Path

from fixtures.corpora.folder import corpora
from fixtures.programs import NOTHING_JUDGED, ProgramTest, Record, cases, records

# The number of ops that a split finds. Files whose names end in .mlirbc hold the same program as bytecode.
OPS = {
    "e8m0_least_flushed.mlir": 1,
    "foreign_attributes.mlir": 2,
    "foreign_op.mlir": 3,
    "gather_of_four.mlir": 2,
    "harness_timeout.mlir": 15,
    "maximal_no_result.mlir": 5,
    "maximal_ranked_result.mlir": 1,
    "native_bytecode.mlir": 9,
    "native_bytecode.mlirbc": 9,
    "permute_of_four.mlir": 1,
    "propagation_edges.mlir": 1,
    "shard_map_one_row.mlir": 3,
    "sort_flush.mlir": 2,
    "vhlo_2023_sharding.mlir": 7,
    "vhlo_2023_sharding.mlirbc": 7,
    "vhlo_2023_topk.mlir": 3,
    "vhlo_2023_topk.mlirbc": 3,
    "whole_centered_mean.mlir": 6,
    "whole_constant_output.mlir": 5,
    "whole_edge_flush.mlir": 2,
    "whole_masked_inf.mlir": 5,
    "whole_rng_default.mlir": 1,
    "whole_rng_dropout.mlir": 3,
    "whole_scalar_zero.mlir": 5,
}
RIGHT_MODELS = ["centered_mean", "constant_output", "edge_flush", "masked_inf", "scalar_zero"]
# Only the distribution of their numbers is specified.
RANDOM_MODELS = ["rng_default", "rng_dropout"]
# They refer to four processes.
PROCESSES = ["gather_of_four", "permute_of_four"]


class HandoutTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.programs = corpora("handout3")

    def split(self, file: str, *options: str) -> Path:
        folder = self.folder / file
        self.opbyop("split", self.programs / file, "-o", folder, *options)
        return folder

    def model(self, name: str, target: str, code: int = 0) -> Record:
        """The record of the whole model."""
        folder = self.split(f"whole_{name}.mlir")
        self.opbyop("run", folder, "--mode=whole", "--target", target, code=code)
        [record] = [line for line in records(folder / "whole/results.jsonl") if line["record"] == "case"]
        return record

    def check_models(self, target: str) -> None:
        for name in RIGHT_MODELS:
            with self.subTest(name):
                self.assertEqual(self.model(name, target)["status"], "pass")
        for name in RANDOM_MODELS:
            with self.subTest(name):
                record = self.model(name, target, NOTHING_JUDGED)
                self.assertEqual(record["status"], "inconclusive")
                self.assertIn("random numbers", record["diagnostic"])

    def check_processes(self, target: str, status: str, reason: str, code: int) -> None:
        for name in PROCESSES:
            with self.subTest(name):
                folder = self.split(f"{name}.mlir")
                self.opbyop("run", folder, "--target", target, code=code)
                for case in cases(folder):
                    self.assertEqual(case["status"], status)
                    self.assertIn(reason, case.get("diagnostic", ""))


class Reading(HandoutTest):
    def test_every_program_is_listed(self) -> None:
        self.assertEqual({file.name for file in self.programs.glob("*.mlir*")}, set(OPS))

    def test_every_program_is_split_into_its_ops(self) -> None:
        for file, ops in OPS.items():
            with self.subTest(file):
                done = self.opbyop("split", self.programs / file, "-o", self.folder / file)
                self.assertRegex(done.stdout + done.stderr, rf"1 model, {ops} ops?, ")

    def test_every_program_is_read_as_bytecode_of_this_writer(self) -> None:
        for file in OPS:
            if file.endswith(".mlirbc") or "foreign" in file:
                continue
            with self.subTest(file):
                bytecode = self.folder / f"{file}bc"
                self.run_program("opbyop-opt", self.programs / file, "--emit-bytecode", "-o", bytecode)
                text = self.run_program("opbyop-opt", self.programs / file).stdout
                self.assertEqual(self.run_program("opbyop-opt", bytecode).stdout, text)


class Host(HandoutTest):
    def test_whole_models_are_not_accused(self) -> None:
        self.check_models("host")

    def test_ops_between_four_processes_run_on_four_threads(self) -> None:
        self.check_processes("host", "pass", "", code=0)

    def test_a_reference_without_time_is_no_fault_of_the_target(self) -> None:
        folder = self.split("harness_timeout.mlir", "--regions", "whole")
        self.opbyop("run", folder, "--target=host", code=NOTHING_JUDGED)
        self.assertEqual([case["status"] for case in cases(folder)], ["skipped"])

    def test_an_unknown_op_is_not_judged(self) -> None:
        folder = self.split("foreign_op.mlir")
        self.opbyop("run", folder, "--target=host")
        self.assertEqual({case["status"] for case in cases(folder)}, {"pass", "unsupported"})


class Xla(HandoutTest):
    def test_whole_models_are_not_accused(self) -> None:
        self.check_models("xla")

    def test_ops_between_four_processes_run_on_four_devices(self) -> None:
        self.check_processes("xla", "pass", "", code=0)

    def test_flushed_subnormals_are_not_accused(self) -> None:
        # The iota of the sort has no input, and is therefore not judged.
        for file in ("e8m0_least_flushed.mlir", "sort_flush.mlir"):
            with self.subTest(file):
                folder = self.split(file)
                self.opbyop("run", folder, "--target=xla")
                statuses = [case["status"] for case in cases(folder) if case["status"] != "inconclusive"]
                self.assertEqual(statuses, ["pass"])
