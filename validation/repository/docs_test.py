# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks the project's pages: every link leads to a file or heading, and every page can be reached.

python3 -m unittest validation.repository.docs_test
"""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import ROOT
from reports.site.links import anchor, anchors, headings, is_local, links, prose

# The most lines of a page.
LONGEST = 600

# The most characters of a cell in a table that is written by hand.
LONGEST_CELL = 200

# Pages that a command writes.
WRITTEN = {
    "docs/conformance-chips.md",
    "docs/conformance.md",
    "docs/coverage-sentences.md",
    "docs/coverage.md",
    "docs/tenstorrent-meshes.md",
    "docs/tenstorrent.md",
}


def pages(root: Path = ROOT) -> list[Path]:
    """Every page of the checkout, in any folder. Builds, results, environments and fetched data are left out."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if (not name.startswith(".") or name == ".github")
            and name not in ("node_modules", "out", "__pycache__")
            and not name.startswith("build")
        ]
        found += [Path(folder) / name for name in files if name.endswith(".md")]
    return sorted(found)


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def local(page: Path) -> list[tuple[Path, str]]:
    """The files that its links lead to, each with the anchor."""
    split = [link.partition("#") for link in links(read(page)) if is_local(link)]
    return [((page.parent / file).resolve() if file else page, name) for file, _, name in split]


def cells(text: str) -> list[str]:
    """The cells of all tables. A bar that is part of a cell is written as \\|."""
    table = re.findall(r"^\|(.*)\|$", re.sub(r"^(```|~~~~).*?^\1", "", text, flags=re.S | re.M), re.M)
    return [cell.strip() for row in table for cell in re.split(r"(?<!\\)\|", row)]


class DocsTest(unittest.TestCase):
    def test_pages_of_every_folder_are_checked(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            seen = ["a.md", "docs/b/c.md", "room/README.md", "room/folder/README.md"]
            unseen = ["build/d.md", ".venv-xla/e.md", "out/f.md", "web/node_modules/g.md", "room/h.txt"]
            for name in seen + unseen:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
            self.assertEqual([str(page.relative_to(root)) for page in pages(root)], seen)

    def test_every_link_leads_to_a_file_and_a_heading(self) -> None:
        for page in pages():
            for file, name in local(page):
                with self.subTest(page=str(page.relative_to(ROOT)), link=f"{file}#{name}"):
                    self.assertTrue(file.exists(), "no such file")
                    self.assertTrue(file.is_relative_to(ROOT), "not of this project")
                    if name:
                        self.assertIn(name, anchors(read(file)), "the page has no such heading")

    def test_every_page_is_reached_from_the_readme(self) -> None:
        reached, left = set(), [ROOT / "README.md"]
        while left:
            page = left.pop()
            if page not in reached and page.suffix == ".md":
                reached.add(page)
                left += [file for file, _ in local(page) if file.is_file()]
        for page in (ROOT / "docs").rglob("*.md"):
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertIn(page, reached, "no page links to it")

    def test_headings_of_a_page_differ(self) -> None:
        """Two headings with the same name would get generated anchors."""
        for page in pages():
            if page.name != "CHANGELOG.md":
                with self.subTest(page=str(page.relative_to(ROOT))):
                    self.assertEqual([name for name, count in anchors(read(page)).items() if count > 1], [])

    def test_text_that_looks_like_a_tag_is_in_code(self) -> None:
        """Outside of code, a type such as complex<f64> would lose its second half."""
        for page in pages():
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertEqual(re.findall(r"(?<!\\)<(?!!--|br>|https?:)/?\w[^>\n]*>", prose(read(page))), [])

    def test_no_page_is_too_long(self) -> None:
        for page in pages():
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertLess(read(page).count("\n"), LONGEST)

    def test_cells_of_tables_are_short(self) -> None:
        self.assertEqual(cells("| a \\| b | c |\n|---|---|\n```\n| code |\n```\n"), ["a \\| b", "c", "---", "---"])
        for page in pages():
            if str(page.relative_to(ROOT)) not in WRITTEN:
                with self.subTest(page=str(page.relative_to(ROOT))):
                    self.assertEqual([cell for cell in cells(read(page)) if len(cell) > LONGEST_CELL], [])

    def test_the_index_of_findings_names_every_finding(self) -> None:
        index = read(ROOT / "docs/findings.md")
        for page in sorted((ROOT / "docs/findings").glob("*.md")):
            found = headings(read(page))[1:]
            with self.subTest(page=page.name):
                self.assertIn(f"(findings/{page.name}) | {len(found)} |", index)
            for heading in found:
                with self.subTest(page=page.name, heading=heading):
                    self.assertIn(f"- [{heading}](findings/{page.name}#{anchor(heading)})", index)


if __name__ == "__main__":
    unittest.main()
