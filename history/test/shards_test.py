# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests shards with a history: runs whose shards were never merged, and shards that are balanced by earlier times.

python3 -m unittest history.test.shards_test
"""

from __future__ import annotations

import unittest

from fixtures.programs import NO_INPUT, ProgramTest, cases, records

MODEL = """func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


class ShardsTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.run_folder = self.folder / "run"
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", self.run_folder)
        for shard in ("1/2", "2/2"):
            self.opbyop("run", self.run_folder, "--target", "host", "--shard", shard, "--", "--policy=domain")
        self.db = self.folder / "history.db"

    def import_run(self) -> str:
        return self.opbyop("history", "import", self.run_folder, "--db", self.db).stdout

    def test_they_are_imported_as_one_run_and_once(self) -> None:
        self.assertFalse((self.run_folder / "results.jsonl").exists())
        self.assertIn("imported 3 rows", self.import_run())
        self.assertIn("is there", self.import_run())
        self.assertFalse((self.run_folder / "results.jsonl").exists(), "a run is only read")

    def test_one_that_is_missing_leaves_missing_rows(self) -> None:
        (self.run_folder / "results-2-of-2.jsonl").unlink()
        ranks = self.opbyop("rank", "--run", self.run_folder, "--csv").stdout
        self.assertIn("missing", ranks)

    def test_two_runs_of_shards_are_compared(self) -> None:
        done = self.opbyop("diff", self.run_folder, self.run_folder)
        self.assertIn("nothing got worse", done.stdout)

    def balance_of(self, *balance: object) -> set[str]:
        """Runs two shards, and returns what their headers say they were balanced by."""
        run = self.folder / "next"
        self.opbyop("split", self.folder / "model.mlir", "-o", run)
        for shard in ("1/2", "2/2"):
            self.opbyop("run", run, "--target", "host", "--shard", shard, *balance, "--", "--policy=domain")
        self.opbyop("merge", run, "-o", run)
        self.assertEqual(len(cases(run)), 3)
        return {records(run / f"results-{k}-of-2.jsonl")[0]["balance"] for k in (1, 2)}

    def test_the_next_run_is_balanced_by_what_the_history_knows(self) -> None:
        self.import_run()
        for balance in (["--balance", self.db], ["--balance", "history"]):
            with self.subTest(balance=balance):
                self.environment = {"OPBYOP_HISTORY": str(self.db)}
                (said,) = self.balance_of(*balance)
                self.assertRegex(said, r"and 0 runs before it, 3 durations [0-9a-f]{12}$")

    def test_a_history_may_be_named_by_the_environment(self) -> None:
        self.import_run()
        self.environment = {"OPBYOP_BALANCE": "history", "OPBYOP_HISTORY": str(self.db)}
        (said,) = self.balance_of()
        self.assertIn("3 durations", said)

    def test_a_history_without_times_of_the_target_says_so(self) -> None:
        self.import_run()
        again = ["run", self.run_folder, "--target", "xla", "--shard", "1/2", "--balance", self.db]
        self.assertIn("no run of xla (isolated)", self.opbyop(*again, code=NO_INPUT).stderr)


if __name__ == "__main__":
    unittest.main()
