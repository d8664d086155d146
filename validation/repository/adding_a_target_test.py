# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the target of docs/adding-a-target.md as it is on the page.

python3 -m unittest validation.repository.adding_a_target_test
"""

from __future__ import annotations

import re

from fixtures.programs import ROOT, ProgramTest, records

# The module for the page's worker: a chip that has only tanh, and reports that.
CHIP = """
import numpy

__version__ = "1.0"

def compile(text):
    if "stablehlo.tanh " not in text:
        raise NotImplementedError("this chip has tanh alone")
    return text.encode()

def run(program, inputs):
    return [numpy.tanh(inputs[0])]
"""


class AddingATargetTest(ProgramTest):
    def test_the_pages_target_passes_the_tutorial_network(self) -> None:
        page = (ROOT / "docs/adding-a-target.md").read_text()
        [target] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "name: lli\n" in block]
        self.assertLessEqual(target.count("\n"), 34)
        folder = self.folder / "run"
        self.opbyop("split", ROOT / "fixtures/models/ffnn.mlirbc", "-o", folder)
        self.opbyop("run", folder, "--target", self.write("lli.yaml", target))
        header, *others = records(folder / "results.jsonl")
        self.assertIn("LLVM version 22", header["toolchain"])
        cases = [record for record in others if record["record"] == "case"]
        self.assertEqual({case["status"] for case in cases}, {"pass"})
        stages = ["linalg", "buffers", "llvm", "llvm-ir", "load", "execute", "compare"]
        self.assertEqual([stage["name"] for stage in cases[0]["stages"]], stages)

    def test_the_pages_worker_runs_what_its_chip_can(self) -> None:
        page = (ROOT / "docs/adding-a-target.md").read_text()
        [target] = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.S) if "name: mychip\n" in block]
        [worker] = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "import mychip\n" in block]
        python = ROOT / ".venv-xla/bin/python"
        if not python.exists():
            self.skipTest("needs numpy: ./dev setup --tests")
        self.write("mychip.py", CHIP)
        command = f'["env", "PYTHONPATH={ROOT}/device/python", "{python}", "{self.write("worker.py", worker)}"]'
        target, replaced = re.subn(r"(?<=^worker: )\[.*\]$", command, target, flags=re.M)
        self.assertEqual(replaced, 1)
        folder = self.folder / "run"
        self.opbyop("split", ROOT / "fixtures/models/ffnn.mlirbc", "-o", folder)
        self.opbyop("run", folder, "--target", self.write("mychip.yaml", target))
        header, *others = records(folder / "results.jsonl")
        self.assertEqual(header["toolchain"], "mychip 1.0")
        ends = {record["case"].split("_")[0]: record for record in others if record["record"] == "case"}
        self.assertEqual(ends.pop("tanh")["status"], "pass")
        self.assertEqual({(each["status"], each["stage"]) for each in ends.values()}, {("unsupported", "compile")})
