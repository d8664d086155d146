"""Runs the target that docs/adding-a-target.md shows, as it stands there.

python3 adding_a_target_test.py BIN ROOT
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, ROOT = (Path(argument).resolve() for argument in sys.argv[1:3])


class AddingATargetTest(unittest.TestCase):
    def test_the_pages_target_passes_the_tutorial_network(self) -> None:
        page = (ROOT / "docs/adding-a-target.md").read_text()
        [target] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "name: lli\n" in block]
        self.assertLessEqual(target.count("\n"), 34)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "lli.yaml").write_text(target)
            split = [
                BIN / "opbyop",
                "split",
                ROOT / "fixtures/models/ffnn.mlirbc",
                "--vary-constants",
                "-o",
                folder / "run",
            ]
            subprocess.run(split, check=True, stdout=subprocess.DEVNULL)
            run = [BIN / "opbyop", "run", folder / "run", "--target", folder / "lli.yaml"]
            ran = subprocess.run(run, check=False, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            lines = [json.loads(line) for line in (folder / "run/results.jsonl").read_text().splitlines()]
            records = [line for line in lines if line["record"] == "case"]
            self.assertEqual({record["status"] for record in records}, {"pass"})
            stages = ["linalg", "buffers", "llvm", "llvm-ir", "load", "execute", "compare"]
            self.assertEqual([stage["name"] for stage in records[0]["stages"]], stages)
            self.assertIn("LLVM version 22", lines[0]["toolchain"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
