#!/usr/bin/env python3
"""What a run cost beyond the compiler's own work.

    tools/overhead.py out/nightly/results.jsonl...

The target's own time is the sum of its stages, as its worker measured them;
the reference's is the sum of `compare`. Against both stands the time that the
run held its slots: wall time times the number of slots.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from target_table import load


def figures(path: Path) -> str:
    header, records = load(path)
    # A resumed run's wall time is not that of all its records; each record's own is.
    held_ms = sum(record["wall_ms"] for record in records.values())
    own_ms = reference_ms = 0.0
    for record in records.values():
        for stage in record["stages"]:
            if stage["name"] in ("compare", "inputs"):
                reference_ms += stage["ms"]
            else:
                own_ms += stage["ms"]
    slots = 1 + max(record["worker"] for record in records.values())
    batched = sum(record.get("batched", 0) > 0 for record in records.values())
    return (
        f"{header['target']}: {len(records)} cases ({batched} of them batched) on {slots} slots, "
        f"target's own stages {own_ms / 1e3:.1f} s ({own_ms / len(records):.1f} ms a case), "
        f"reference {reference_ms / 1e3:.1f} s, slots held {held_ms / 1e3:.1f} s: "
        f"{held_ms / own_ms:.3f} times the target's own, {(held_ms - reference_ms) / own_ms:.3f} without the reference"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    for path in parser.parse_args().results:
        print(figures(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
