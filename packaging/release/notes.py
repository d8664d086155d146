# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes the page of a release, if its version, changelog and page agree.

PYTHONPATH=packaging python3 -m release.notes v0.2.0 > notes.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def version(root: Path = ROOT) -> str:
    """Reads the version from the one place that has it."""
    [found] = re.findall(r"^project\(opbyop VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text(), re.M)
    return found


def problems(tag: str, root: Path = ROOT) -> list[str]:
    number, found = version(root), []
    if tag != f"v{number}":
        found.append(f"CMakeLists.txt: the version is {number}, so the tag is v{number} and not {tag}")
    sections = re.split(r"^## ", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    if not sections or sections[0].strip() != "Unreleased":
        found.append("CHANGELOG.md: an empty section Unreleased comes first: is what it has of this release?")
    newest = sections[1] if len(sections) > 1 else ""
    heading = newest.partition("\n")[0]
    if not re.fullmatch(rf"{re.escape(number)} \(\d{{4}}-\d\d-\d\d\)", heading):
        found.append(f"CHANGELOG.md: '## {number} (YYYY-MM-DD)' is the section after Unreleased, not '## {heading}'")
    kinds = re.findall(r"^### (.*)$", newest, re.M)
    if not kinds or [kind for kind in KINDS if kind in kinds] != kinds:
        found.append(f"CHANGELOG.md: the parts of {number} are some of {', '.join(KINDS)}, in this order, not {kinds}")
    if not page(root).is_file():
        found.append(f"{page(root).relative_to(root)} is not there")
    return found


def page(root: Path = ROOT) -> Path:
    return root / f"docs/releases/{version(root)}.md"


def main(tag: str) -> int:
    found = problems(tag)
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    print(page().read_text(encoding="utf-8"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
