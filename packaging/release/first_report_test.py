# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs first_report.sh on a bare Debian: from nothing to a bug report, with the screen of docs/first-report.md.

PYTHONPATH=packaging python3 -m unittest release.first_report_test
PYTHONPATH=packaging python3 -m release.first_report_test   writes the screen into the page

Needs root, debootstrap, the network and the wheel of `./dev package`; `./dev external` makes that and runs this.
"""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from release.bare_machine import BareMachine

from fixtures.programs import ROOT, UNEXPECTED

PAGE = ROOT / "docs/first-report.md"
SCRIPT = ROOT / "packaging/release/first_report.sh"
MOST_COMMANDS = 10

MODEL = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
SCREEN = re.compile(r"(?<=^```console\n)(.*?)(?=^```)", re.M | re.S)

# Shows each command before it runs, as a terminal does, and stops at one that fails.
TERMINAL = """cd /work
while read -r line; do
  printf '$ %s\\n' "$line"
  eval "$line" </dev/null || exit
done
"""

# Texts that differ between machines or runs, and their replacements on the page.
VARIES = [
    (r"-nan\b", "nan"),
    (r"\b\d+(\.\d+)? m?s\b", "… s"),
    (r"(?<= compare  )\d+ +(?=compare: )", "…    "),  # the largest error depends on the inputs of the day
    (r"\d+ candidates run, \d+ not valid", "… candidates run, … not valid"),
    (r"(?m)^.*\b\d+ ops?, [\d,]+ elements, \d+ lines( so far.*)?\n", ""),  # progress, a line every few seconds
]


def commands() -> list[str]:
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def screen_of(text: str) -> str:
    for pattern, word in VARIES:
        text = re.sub(pattern, word, text)
    return text


def screen_on(machine: BareMachine) -> str:
    [model] = MODEL.findall(PAGE.read_text(encoding="utf-8"))
    (machine.folder / "work/gem.py").write_text(model, encoding="utf-8")
    (machine.folder / "work/first_report.sh").write_text("\n".join(commands()) + "\n", encoding="utf-8")
    (machine.folder / "work/terminal.sh").write_text(TERMINAL, encoding="utf-8")
    # The last command shows the fault, and its exit code says so.
    return screen_of(machine.run("sh /work/terminal.sh </work/first_report.sh", code=UNEXPECTED))


def bare_machine(folder: Path) -> BareMachine:
    wheels = sorted((ROOT / "out/packages").glob("*.whl"))
    if not wheels:
        raise unittest.SkipTest("no wheel; './dev package wheel' makes it")
    machine = BareMachine(folder)
    machine.take(*wheels)
    return machine


class FirstReportTest(unittest.TestCase):
    def test_a_bare_machine_shows_the_screen_of_the_page(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            machine = bare_machine(Path(scratch) / "machine")
            [shown] = SCREEN.findall(PAGE.read_text(encoding="utf-8"))
            self.maxDiff = None
            self.assertEqual(screen_on(machine), shown)
            with zipfile.ZipFile(machine.folder / "work/finding.zip") as file:
                self.assertIn("finding/reproduce.sh", file.namelist())


class PageTest(unittest.TestCase):
    def test_the_page_has_the_commands_of_the_script_and_they_are_few(self) -> None:
        [shown] = SCREEN.findall(PAGE.read_text(encoding="utf-8"))
        self.assertEqual([line[2:] for line in shown.splitlines() if line.startswith("$ ")], commands())
        self.assertLessEqual(len(commands()), MOST_COMMANDS)


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        screen = screen_on(bare_machine(Path(scratch) / "machine"))
    PAGE.write_text(SCREEN.sub(lambda _: screen, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
