# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that the page of a run shows the runs before it: `opbyop report RUN --history DB`.

python3 -m unittest history.test.before_test
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from fixtures.programs import NO_INPUT, UNEXPECTED, USAGE, ProgramTest, faulty_target

MODEL = """
func.func @main(%a: tensor<64xbf16>, %b: tensor<3xi32>) -> (tensor<64xbf16>, tensor<3xi32>) {
  %0 = stablehlo.sign %a : tensor<64xbf16>
  %1 = stablehlo.add %b, %b : tensor<3xi32>
  return %0, %1 : tensor<64xbf16>, tensor<3xi32>
}
"""


class BeforeTest(ProgramTest):
    def night(self, name: str, fault: str, code: int = 0) -> Path:
        folder = self.folder / name
        self.opbyop("split", "--quiet", self.write("model.mlir", MODEL), "-o", folder)
        target = faulty_target(self.folder / "chip.yaml", fault)
        self.opbyop("run", folder, "--target", target, "--policy=edge", "--fresh-seed=none", code=code)
        return folder

    def page(self, run: Path, code: int = 0) -> dict[str, Any]:
        self.opbyop("report", run, "-o", run, "--history", self.folder / "history.db", code=code)
        [data] = re.findall(r'id="data">(.*?)</script>', (run / "index.html").read_text(), re.S)
        return json.loads(data)

    def test_a_page_has_the_run_before_with_its_red_rows_and_a_link(self) -> None:
        right, wrong = self.night("right", "none"), self.night("wrong", "sign_of_zero_is_one", UNEXPECTED)
        self.opbyop("history", "import", "--db", self.folder / "history.db", right, wrong)
        self.assertNotIn("before", self.page(right))
        before = self.page(wrong, UNEXPECTED)["before"]
        self.assertEqual([run["href"] for run in before["runs"]], ["../right/index.html"])
        self.assertEqual([(run["rows"], run["passed"]) for run in before["runs"]], [(2, 2)])
        self.assertEqual(before["red"], [])
        fixed = self.night("fixed", "none")
        before = self.page(fixed)["before"]
        self.assertEqual(len(before["runs"]), 2)
        self.assertRegex(before["red"][0], r"^model__sign_64_bf16_\w{8}$")

    def test_a_history_is_there_and_of_one_run(self) -> None:
        run = self.night("right", "none")
        self.opbyop("report", run, "-o", run, "--history", self.folder / "none.db", code=NO_INPUT)
        done = self.opbyop("report", run, run, "-o", self.folder / "both", "--history", "x.db", code=USAGE)
        self.assertIn("--history takes one RUN", done.stderr)
