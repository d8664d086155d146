# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the target that docs/adding-a-target.md shows, as it stands there.

python3 -m unittest tools.adding_a_target_test
"""

from __future__ import annotations

import re

from fixtures.programs import ROOT, ProgramTest, records


class AddingATargetTest(ProgramTest):
    def test_the_pages_target_passes_the_tutorial_network(self) -> None:
        page = (ROOT / "docs/adding-a-target.md").read_text()
        [target] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "name: lli\n" in block]
        self.assertLessEqual(target.count("\n"), 34)
        folder = self.folder / "run"
        self.opbyop("split", ROOT / "fixtures/models/ffnn.mlirbc", "--vary-constants", "-o", folder)
        self.opbyop("run", folder, "--target", self.write("lli.yaml", target))
        header, *others = records(folder / "results.jsonl")
        self.assertIn("LLVM version 22", header["toolchain"])
        cases = [record for record in others if record["record"] == "case"]
        self.assertEqual({case["status"] for case in cases}, {"pass"})
        stages = ["linalg", "buffers", "llvm", "llvm-ir", "load", "execute", "compare"]
        self.assertEqual([stage["name"] for stage in cases[0]["stages"]], stages)
