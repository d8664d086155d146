# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Computes which lines the tests run, per room (docs/design/rooms.md), from the counts of llvm-cov.

    llvm-cov export --summary-only ... >coverage.json
    python3 -m validation.repository.coverage coverage.json

The files of tests, generated files and files of other projects are not counted.
"""

from __future__ import annotations

import collections
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_COUNTED = re.compile(r"_(test|benchmark|main)\.(cc|h)$|^(build[^/]*|fixtures|validation)/")


def rooms(export: dict, root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Room -> (lines that were run, all lines)."""
    counts: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for file in export["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(root):
            continue
        name = str(path.relative_to(root))
        if NOT_COUNTED.search(name) or "/" not in name:
            continue
        lines = file["summary"]["lines"]
        room = counts[name.partition("/")[0]]
        room[0] += lines["covered"]
        room[1] += lines["count"]
    return {room: (covered, count) for room, (covered, count) in sorted(counts.items())}


def table(counts: dict[str, tuple[int, int]]) -> list[str]:
    total = (sum(covered for covered, _ in counts.values()), sum(count for _, count in counts.values()))
    lines = ["| room | lines | run by tests |", "|---|---:|---:|"]
    for room, (covered, count) in [*counts.items(), ("**all**", total)]:
        lines.append(f"| {room} | {count:,} | {100 * covered / count:.1f} % |" if count else f"| {room} | 0 | |")
    return lines


def main(path: str) -> int:
    counts = rooms(json.loads(Path(path).read_text()))
    if not counts:
        print(
            f"{path}: no file of {ROOT} was counted: were the programs built here, and did a test run?", file=sys.stderr
        )
        return 1
    print("\n".join(table(counts)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
