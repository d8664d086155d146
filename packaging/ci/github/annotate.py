# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Turns failed rows of a JUnit file into annotations of GitHub Actions.

    python3 packaging/ci/github/annotate.py out/junit.xml

GitHub shows ten errors of a step, so rows with the same outcome (op, stage, first line) are one error.
"""

from __future__ import annotations

import argparse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SHOWN = 10


def escape(text: str, *, of_property: bool = False) -> str:
    """Escapes text for the workflow commands of GitHub's runner."""
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(character, code)
    return text.replace(":", "%3A").replace(",", "%2C") if of_property else text


def annotations(junit: Path) -> list[str]:
    groups: dict[tuple[str, str], list[str]] = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        for kind in ("failure", "error"):
            for failure in case.iter(kind):
                properties = {each.get("name"): each.get("value", "") for each in case.iter("property")}
                message = (failure.get("message") or failure.text or kind).strip().splitlines()[0]
                groups.setdefault((properties.get("op") or "run", message), []).append(case.get("name", ""))
    lines = []
    for (op, message), rows in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        count = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
        text = f"{message}\n{count}: {', '.join(rows[:3])}{', ...' if len(rows) > 3 else ''}"
        lines.append(f"::error title={escape(f'{op}: {count}', of_property=True)}::{escape(text)}")
    if len(lines) > SHOWN:
        rest = f"{len(lines) - SHOWN + 1} other kinds of failures are in the reports"
        lines = [*lines[: SHOWN - 1], f"::error title=more::{rest}"]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("junit", type=Path)
    for line in annotations(parser.parse_args().junit):
        print(line)


if __name__ == "__main__":
    main()
