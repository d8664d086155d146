# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Copies the project's Markdown into a folder for the site's generator: README, docs/ and the files that they link to.

    stage(root, folder)

Pages keep their places, so that their links work as in a repository browser. A source file that a page links to becomes
a page with its text, `bound.h.md` for bound.h; a folder without a README becomes a list of its files.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from reports.site.links import is_local, relinked

IMAGES = {".png", ".svg", ".jpg", ".gif"}
LANGUAGES = {".h": "cpp", ".cc": "cpp", ".py": "python", ".yaml": "yaml", ".sh": "sh", ".json": "json", ".tsx": "tsx"}

# Found by following a link, but not by the search.
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


class _Stage:
    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.done: set[Path] = set()

    def add(self, file: Path) -> None:
        """Adds a file or folder of the project, once."""
        if file in self.done:
            return
        self.done.add(file)
        to = self.folder / _place(file).relative_to(self.root)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            text = file.read_text(encoding="utf-8")
            to.write_text(relinked(text, lambda link: self.follow(file, link)), encoding="utf-8")
        elif file.suffix in IMAGES:
            shutil.copy(file, to)
        elif file.is_dir():
            to.write_text(self.list_of(file), encoding="utf-8")
        else:
            to.write_text(self.source(file), encoding="utf-8")

    def follow(self, page: Path, link: str) -> str:
        name, hash_sign, anchor = link.partition("#")
        if not name or not is_local(link):
            return link
        file = (page.parent / name).resolve()
        if not file.exists() or not file.is_relative_to(self.root):
            return link  # the generator reports the bad link
        if file.is_dir() and (file / "README.md").exists():
            file /= "README.md"
        self.add(file)
        return f"{os.path.relpath(_place(file), page.parent)}{hash_sign}{anchor}"

    def source(self, file: Path) -> str:
        name = file.relative_to(self.root)
        text = file.read_text(encoding="utf-8", errors="replace").rstrip("\n")
        return f"{UNSEARCHED}# {name}\n\n~~~~~~{LANGUAGES.get(file.suffix, 'text')}\n{text}\n~~~~~~\n"

    def list_of(self, folder: Path) -> str:
        names = sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
        return f"{UNSEARCHED}# {folder.relative_to(self.root)}/\n\n" + "".join(f"- `{name}`\n" for name in names)


def _place(file: Path) -> Path:
    """The path of the page for a file, in the same folder."""
    if file.is_dir():
        return file / "README.md"
    return file if file.suffix in {".md", *IMAGES} else file.with_name(f"{file.name}.md")


def stage(root: Path, folder: Path) -> None:
    pages = _Stage(root, folder)
    for file in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        pages.add(file)
