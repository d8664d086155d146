# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A history of runs whose shards were never merged.

python3 -m unittest history.shards_test
"""

from __future__ import annotations

import unittest

from fixtures.programs import ProgramTest

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


if __name__ == "__main__":
    unittest.main()
