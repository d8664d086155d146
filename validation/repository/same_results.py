#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares two runs of the same cases: statuses, stages and numbers.

    validation/repository/same_results.py A/results.jsonl B/results.jsonl

Times, workers and memory may differ. Exits with 0 if all that both runs have is the same, and otherwise with 1 and a
line per difference.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from reports.site.target_table import load


def outcome(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": record["status"],
        "stage": record["stage"],
        "diagnostic": record.get("diagnostic", ""),
        "stages": [(stage["name"], stage["status"]) for stage in record["stages"]],
        "comparisons": record["comparisons"],
    }


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    (_, first), (_, second) = (load(Path(path)) for path in sys.argv[1:])
    common = [case for case in first if case in second]
    different = 0
    for case in common:
        a, b = outcome(first[case]), outcome(second[case])
        keys = [key for key in a if a[key] != b[key]]
        different += bool(keys)
        for key in keys:
            print(f"{case}: {key}: {a[key]} against {b[key]}")
    alike = len(common) - different
    print(f"{alike} of {len(common)} common cases ended alike; {len(first)} and {len(second)} in the runs")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
