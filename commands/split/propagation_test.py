# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop split --propagation shardy`.

python3 -m unittest commands.split.propagation_test
"""

from __future__ import annotations

import sys
from pathlib import Path

from fixtures.programs import ROOT, USAGE, ProgramTest

SHARDED = ("llama3_8b_sharded", "shard_map_collectives")


class PropagationTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {"OPBYOP_PYTHON": sys.executable}

    def split(self, model: Path, propagation: str) -> tuple[set[str], str]:
        """The cases and the manifest."""
        folder = self.folder / propagation
        self.opbyop("split", model, f"--propagation={propagation}", "-o", folder)
        return {path.stem for path in (folder / "cases").iterdir()}, (folder / "manifest.yaml").read_text()

    def test_the_rules_of_opbyop_give_the_models_of_the_zoo_the_shardings_that_shardy_gives_them(self) -> None:
        for name in SHARDED:
            for tier, end in (("small", "_small"), ("real", "")):
                with self.subTest(name, tier=tier):
                    model = ROOT / "fixtures/zoo" / tier / f"{name}{end}.mlirbc"
                    by_shardy, manifest = self.split(model, "shardy")
                    self.assertEqual(by_shardy, self.split(model, "rules")[0])
                    self.assertIn('stage: "shardy/propagation"', manifest)
                    self.assertNotIn('"by":"rules"', manifest)

    def test_a_model_without_a_mesh_has_the_cases_that_it_has_anyway(self) -> None:
        model = ROOT / "fixtures/models/ffnn.mlirbc"
        self.assertEqual(self.split(model, "shardy")[0], self.split(model, "rules")[0])

    def test_it_is_no_stage_of_another_target(self) -> None:
        done = self.opbyop(
            "split", "x.mlir", "--propagation=shardy", "--after=parse", "-o", self.folder / "out", code=USAGE
        )
        self.assertIn("leave --after, --shards and --granularity model out", done.stderr)
