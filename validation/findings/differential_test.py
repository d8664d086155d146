# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `--differential xla` for a failing row: in the record, in the terminal and in the HTML page.

.venv-xla/bin/python -m unittest validation.findings.differential_test
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from fixtures.programs import UNEXPECTED, ProgramTest, cases, faulty_target

MODEL = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


class DifferentialTest(ProgramTest):
    def test_xla_is_asked_about_what_another_target_got_wrong(self) -> None:
        self.environment = {"OPBYOP_PYTHON": sys.executable}
        folder = self.folder / "run"
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", folder)
        target = faulty_target(self.folder / "faulty.yaml", "first_element_wrong")
        options = ["--differential=xla", "--", "--jobs=1"]
        ran = self.opbyop("run", folder, "--target", target, *options, code=UNEXPECTED)
        self.assertIn("differential run: xla: pass, error ", ran.stdout + ran.stderr)
        records = cases(folder)
        self.assertEqual(len(records), 2)
        for record in records:
            self.assertEqual((record["status"], record["stage"]), ("fail", "compare"))
            second = record["differential"]
            self.assertEqual((second["target"], second["status"]), ("xla", "pass"), second)
            self.assertTrue(all(comparison["accepted"] for comparison in second["comparisons"]))
        self.opbyop("report", folder, "-o", folder, code=UNEXPECTED)
        page = (folder / "index.html").read_text()
        [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        page_data = json.loads(data)

        def unpack(kind: str, item: list[Any]) -> dict[str, Any]:
            return dict(zip(page_data["columns"][kind], item, strict=True))

        for row in page_data["rows"]:
            case = unpack("case", page_data["cases"][unpack("row", row)["case"]])
            record = unpack("record", unpack("detail", json.loads(case["detail"]))["record"])
            self.assertRegex(page_data["strings"][record["differential"]], "^xla: pass, error ")
            self.assertTrue(record["second_comparisons"], "its comparison is shown too")
