# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that models.yaml lists the loops of the zoo at its real widths that are too much for the reference: those that
it judges with fewer trips instead, and those that nothing judges.

python3 -m unittest commands.run.real_models_test
"""

from __future__ import annotations

import re
from pathlib import Path

from fixtures.programs import BIN, ROOT, ProgramTest, Record
from fixtures.reference_worker import ReferenceWorker

ZOO = ROOT / "fixtures/zoo/real"


def listed(key: str) -> list[str]:
    """Returns the cases under this key of all models."""
    lists = re.findall(rf"(?m)^    {key}:\n((?:      - .*\n)+)", (ZOO / "models.yaml").read_text())
    return re.findall(r"\{case: (\w+), why: ", "".join(lists))


class RealModelsTest(ProgramTest):
    def inputs(self, reference: ReferenceWorker, file: Path) -> Record:
        return reference.ask(
            verb="inputs",
            case=file.stem,
            dir=str(self.folder),
            file=str(file),
            op="stablehlo.while",
            policy="domain",
            seed=0,
        )

    def test_the_loops_that_are_too_much_are_listed(self) -> None:
        self.opbyop("split", ZOO, "-o", self.folder)
        files = sorted((self.folder / "cases").glob("while_*.mlir"))
        with ReferenceWorker(BIN / "opbyop-worker") as reference:
            replies = {file.stem: self.inputs(reference, file) for file in files}
        skipped = {case: reply for case, reply in replies.items() if reply["status"] == "skipped"}
        self.assertCountEqual(skipped, listed("fewer_trips") + listed("not_judged"))
        # A machine with much memory has room for more of them.
        for case in listed("not_judged"):
            diagnostic = skipped[case]["diagnostic"]
            self.assertTrue("smaller" in skipped[case] or "alive at once" in diagnostic, diagnostic)
