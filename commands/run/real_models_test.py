# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that models.yaml lists the loops of the zoo at its real widths that are too much for the reference.

python3 -m unittest commands.run.real_models_test
"""

from __future__ import annotations

import re

from fixtures.programs import ROOT, ProgramTest, cases

ZOO = ROOT / "fixtures/zoo/real"


class RealModelsTest(ProgramTest):
    def test_the_loops_that_are_not_judged_are_listed(self) -> None:
        listed = re.findall(r"(?m)^      - \{case: (\w+), why: ", (ZOO / "models.yaml").read_text())
        self.opbyop("split", ZOO, "-o", self.folder)
        loops = ("--select", "op=stablehlo.while", "--policy=domain")
        self.opbyop("run", self.folder, "--target=host", *loops, "--fresh-seed=none", "--reports=off", code=None)
        skipped = [case["case"] for case in cases(self.folder) if case["status"] == "skipped"]
        self.assertCountEqual(skipped, listed)
