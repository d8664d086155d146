# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads results.jsonl as any JSON-lines reader does, and collects its errors."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Results:
    """`torn` is a last line without its newline, which a killed run may leave."""

    exists: bool = False
    header: Record | None = None
    cases: list[Record] = field(default_factory=list)
    events: list[Record] = field(default_factory=list)  # events that make the run red whatever its cases are
    footer: Record | None = None
    errors: list[str] = field(default_factory=list)
    torn: bool = False
    largest_line: int = 0

    def ends(self) -> dict[str, str]:
        return {case["case"]: case["status"] for case in self.cases}

    def times(self) -> Counter[str]:
        return Counter(case["case"] for case in self.cases)

    def reason(self, case_id: str) -> str:
        return next((case.get("diagnostic") or "" for case in self.cases if case["case"] == case_id), "")

    def spoiler(self, case_id: str) -> str | None:
        """The case that is named as the cause of this one's failure."""
        return next((case.get("spoiled_by") for case in self.cases if case["case"] == case_id), None)


def read(path: Path) -> Results:
    results = Results()
    if not path.is_file():
        return results
    results.exists = True
    *lines, last = path.read_bytes().split(b"\n")
    results.torn = bool(last)
    for number, line in enumerate(lines, start=1):
        results.largest_line = max(results.largest_line, len(line))
        try:
            record = json.loads(line)
            kind = record["record"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            results.errors.append(f"line {number} is no record: {error}")
            continue
        if kind == "case":
            results.cases.append(record)
        elif kind == "header" and number == 1:
            results.header = record
        elif kind == "event":
            results.events.append(record)
        elif kind == "footer":
            results.footer = record
        else:
            results.errors.append(f"line {number} is an unexpected {kind}")
    return results
