#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Computes the cost of a run beyond the compiler's own work.

    validation/benchmarks/overhead.py out/nightly/results.jsonl...

The target's own time is the sum of its stages, as its worker measured them; the reference's is the sum of `compare` and
`inputs`, which run at the same time as the target. The target's own time is compared with the time that the run held
its workers: wall time times the number of target workers (--jobs; by default the number of cores). A resumed run has no
wall time for all of its records; for it, the times that each case held its workers are added.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from reports.site.target_table import load


def worker_time(header: dict[str, Any], footer: dict[str, Any], records: list[dict[str, Any]]) -> tuple[float, str]:
    """Milliseconds that the run held its workers, and how that was computed."""
    jobs = next((arg.split("=")[1] for arg in header["argv"] if arg.startswith("--jobs=")), header["host"]["cores"])
    if footer and all(record["start"] >= header["start"] for record in records):
        return footer["wall_s"] * 1e3 * int(jobs), f"{footer['wall_s']:.1f} s on {jobs} cores"
    return sum(record["wall_ms"] for record in records), "sum over the cases"


def figures(path: Path) -> str:
    header, by_case = load(path)
    records = list(by_case.values())
    last = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    held_ms, how = worker_time(header, last if last["record"] == "footer" else {}, records)
    own_ms = reference_ms = 0.0
    for record in records:
        for stage in record["stages"]:
            if stage["name"] in ("compare", "inputs"):
                reference_ms += stage["ms"]
            else:
                own_ms += stage["ms"]
    batched = sum(record.get("batched", 0) > 0 for record in records)
    return (
        f"{header['target']}: {len(records)} cases ({batched} of them batched), "
        f"target's own stages {own_ms / 1e3:.1f} s ({own_ms / len(records):.1f} ms a case), "
        f"reference's {reference_ms / 1e3:.1f} s, held {held_ms / 1e3:.1f} s ({how}): "
        f"{held_ms / own_ms:.3f} times the target's own"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    for path in parser.parse_args().results:
        print(figures(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
