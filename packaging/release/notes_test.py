# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that a release whose parts do not agree is refused.

PYTHONPATH=packaging python3 -m unittest release.notes_test
"""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from release.notes import ROOT, problems, version

CMAKE = "project(opbyop VERSION 1.2.3 LANGUAGES C CXX)\n"
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-11-26)\n\n### Added\n\n- A.\n\n### Fixed\n\n- B.\n"


class NotesTest(unittest.TestCase):
    def problems(self, tag: str = "v1.2.3", changelog: str = CHANGELOG, page: bool = True) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "docs/releases").mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(CMAKE)
            (root / "CHANGELOG.md").write_text(changelog)
            if page:
                (root / "docs/releases/1.2.3.md").touch()
            return problems(tag, root)

    def test_parts_that_fit_are_a_release(self) -> None:
        self.assertEqual(self.problems(), [])

    def test_each_part_that_does_not_fit_is_named(self) -> None:
        for expected, changes in (
            ("the tag is v1.2.3 and not 1.2.3", {"tag": "1.2.3"}),
            ("an empty section Unreleased", {"changelog": CHANGELOG.replace("Unreleased\n", "Unreleased\n\n- C.\n")}),
            ("not '## 1.2.3'", {"changelog": CHANGELOG.replace(" (2026-11-26)", "")}),
            ("not '## 1.2.2 (2026-11-26)'", {"changelog": CHANGELOG.replace("## 1.2.3", "## 1.2.2")}),
            ("not ['New', 'Fixed']", {"changelog": CHANGELOG.replace("Added", "New")}),
            ("not []", {"changelog": CHANGELOG.replace("### ", "")}),
            ("docs/releases/1.2.3.md is not there", {"page": False}),
        ):
            with self.subTest(expected):
                [found] = self.problems(**changes)
                self.assertIn(expected, found)


class OneVersionTest(unittest.TestCase):
    def test_the_newest_dated_section_and_its_page_are_of_the_version(self) -> None:
        # Between releases there are entries under Unreleased.
        rest = [line for line in problems(f"v{version()}") if "an empty section Unreleased" not in line]
        self.assertEqual(rest, [])

    def test_the_wheel_takes_it_from_there(self) -> None:
        text = (ROOT / "pyproject.toml").read_text()
        self.assertIn('dynamic = ["version"]', text)
        [pattern] = re.findall(r"^regex = '(.*)'$", text, re.M)
        found = re.search(pattern, (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(found and found.group("value"), version())


if __name__ == "__main__":
    unittest.main()
