# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that the help pages of verbs, from which `opbyop` makes its help, say what the verbs say.

OPBYOP_UPDATE_GOLDEN=1 python3 -m unittest commands.help_pages_test     # writes commands/VERB/VERB.json
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from fixtures.programs import ROOT, ProgramTest

COMMANDS = ROOT / "commands"


def verbs() -> list[str]:
    """The folders of verbs, in the order of the help."""
    found = re.search(r"^set\(verbs (.*?)\)", (COMMANDS / "CMakeLists.txt").read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return found.group(1).split()


def program(verb: str) -> str:
    return "opbyop-" + verb.replace("_", "-")


class HelpPagesTest(ProgramTest):
    maxDiff = None

    def pages(self) -> list[tuple[str, Path]]:
        return [(verb, COMMANDS / verb / f"{verb}.json") for verb in verbs()]

    def test_each_page_is_what_its_verb_says(self) -> None:
        for verb, page in self.pages():
            with self.subTest(verb):
                text = self.run_program(program(verb), "--help-page").stdout
                if os.environ.get("OPBYOP_UPDATE_GOLDEN"):
                    page.write_text(text)
                self.assertEqual(text, page.read_text(), "OPBYOP_UPDATE_GOLDEN=1 updates it")

    def test_opbyop_shows_the_help_of_each_verb_as_the_verb_does(self) -> None:
        for verb, _ in self.pages():
            with self.subTest(verb):
                name = program(verb).removeprefix("opbyop-")
                own = self.run_program(program(verb), "--help").stdout
                self.assertEqual(self.opbyop(name, "--help").stdout, own)
                self.assertIn(f"Usage: opbyop {name} ", own)

    def test_verbs_of_verbs_have_help_too(self) -> None:
        for arguments in (["import", "--help"], ["-h", "import"]):
            own = self.run_program("opbyop-history", *arguments).stdout
            self.assertEqual(self.opbyop("history", *arguments).stdout, own)

    def test_each_folder_with_a_page_is_a_verb(self) -> None:
        folders = {path.parent.name for path in COMMANDS.glob("*/*.json") if path.stem == path.parent.name}
        self.assertEqual(folders, set(verbs()))

    def test_a_verb_that_is_called_by_its_own_name_takes_the_same_words(self) -> None:
        done = self.run_program("opbyop-merge", "none", "-o", self.folder / "out", code=None)
        same = self.opbyop("merge", "none", "-o", self.folder / "out", code=None)
        self.assertEqual((done.returncode, done.stderr), (same.returncode, same.stderr))
