"""`--second-opinion xla` beside a failing row: in the record, in the terminal and in the HTML page.

python tools/second_opinion_test.py BIN_DIR SOURCE_DIR     (a Python with jaxlib)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, SOURCE = (Path(argument).resolve() for argument in sys.argv[1:3])
MODEL = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


class SecondOpinionTest(unittest.TestCase):
    def test_xla_is_asked_about_what_another_target_got_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "model.mlir").write_text(MODEL)
            lying = (SOURCE / "fixtures/lying/lying.yaml").read_text().replace('"none"', '"first_element_wrong"')
            (folder / "lying.yaml").write_text(lying)
            environment = dict(os.environ, OPBYOP_PYTHON=sys.executable)

            def opbyop(*arguments: object) -> subprocess.CompletedProcess[str]:
                argv = [str(BIN / "opbyop"), *map(str, arguments)]
                return subprocess.run(
                    argv, cwd=SOURCE, env=environment, capture_output=True, text=True, timeout=300, check=False
                )

            self.assertEqual(opbyop("split", folder / "model.mlir", "-o", folder / "run").returncode, 0)
            ran = opbyop(
                "run", folder / "run", "--target", folder / "lying.yaml", "--second-opinion=xla", "--", "--jobs=1"
            )
            self.assertEqual(ran.returncode, 1, ran.stderr)
            self.assertIn("second opinion: xla: pass, error ", ran.stdout + ran.stderr)
            lines = (folder / "run/results.jsonl").read_text().splitlines()
            records = [record for record in map(json.loads, lines) if record["record"] == "case"]
            self.assertEqual(len(records), 2)
            for record in records:
                self.assertEqual((record["status"], record["stage"]), ("fail", "compare"))
                second = record["second_opinion"]
                self.assertEqual((second["target"], second["status"]), ("xla", "pass"), second)
                self.assertTrue(all(comparison["accepted"] for comparison in second["comparisons"]))
            self.assertEqual(opbyop("report", folder / "run", "-o", folder / "run").returncode, 0)
            page = (folder / "run/index.html").read_text()
            [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
            page_data = json.loads(data)
            for row in page_data["rows"]:
                record = page_data["cases"][row[0]][8]
                self.assertRegex(page_data["strings"][record[14]], "^xla: pass, error ")
                self.assertTrue(record[15], "its comparison is shown too")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
