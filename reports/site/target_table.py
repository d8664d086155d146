#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Summarizes the outcomes of a run's cases: how many passed, and the others by stage and reason.

    reports/site/target_table.py out/corpus/xla/testdata/results.jsonl [--cases N] [--markdown]

A reason is the diagnostic without what is particular to a case (numbers, quoted names, places). --cases names the first
N cases of each reason; --markdown writes the tables of docs/targets.md.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

PARTICULAR = (
    (re.compile(r"^\S+:\d+:\d+: "), ""),  # file:line:column
    (re.compile(r"%\S+ = .*"), "…"),  # the op, printed
    (re.compile(r"\(tensor<.*"), "…"),
    (re.compile(r"tensor<[^>]*>+"), "tensor<…>"),
    (re.compile(r"0x[0-9a-f]+"), "0x…"),
    (re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?"), "N"),
)
WIDTH = 110


def reason(diagnostic: str) -> str:
    for pattern, text in PARTICULAR:
        diagnostic = pattern.sub(text, diagnostic)
    return diagnostic if len(diagnostic) <= WIDTH else diagnostic[: WIDTH - 1] + "…"


def op_of(case: str) -> str:
    """`reduce_window` of `reduce_window_4x6_f32_1234abcd`."""
    return re.split(r"_(?:\d|scalar)", case)[0]


def load(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The header, and the last record of each case."""
    header: dict[str, Any] = {}
    records = {}
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):
            continue  # the line was cut off while it was written
        record = json.loads(line)
        if record["record"] == "header":
            header = record
        elif record["record"] == "case":
            records[record["case"]] = record
    return header, records


@dataclasses.dataclass
class Group:
    """Cases with the same outcome."""

    stage: str
    status: str
    reason: str
    cases: list[str]

    def ops(self, most: int) -> str:
        ops = collections.Counter(op_of(case) for case in self.cases)
        names = ", ".join(f"{op} {count}" if count > 1 else op for op, count in ops.most_common(most))
        return names + (f", {len(ops) - most} more" if len(ops) > most else "")


def groups_of(records: dict[str, dict[str, Any]]) -> list[Group]:
    """All cases that did not pass, the largest group first."""
    groups: dict[tuple[str, str, str], list[str]] = collections.defaultdict(list)
    for case, record in records.items():
        if record["status"] != "pass":
            groups[record["stage"], record["status"], reason(record.get("diagnostic", ""))].append(case)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [Group(stage, status, why, cases) for (stage, status, why), cases in ordered]


def totals(records: dict[str, dict[str, Any]]) -> tuple[int, list[tuple[str, int]]]:
    statuses = collections.Counter(record["status"] for record in records.values())
    return statuses["pass"], [item for item in statuses.most_common() if item[0] != "pass"]


def table(header: dict[str, Any], records: dict[str, dict[str, Any]], named: int) -> str:
    passed, others = totals(records)
    lines = [f"{header['target']} ({header['toolchain']})"]
    lines += [f"{passed:>6} of {len(records)} cases pass: {passed / len(records):.1%}"]
    lines += [f"{count:>6} {status}" for status, count in others]
    groups = groups_of(records)
    if groups:
        lines += ["", f"{'cases':>6}  {'stage':<22} {'status':<12} ops: reason"]
    for group in groups:
        lines.append(f"{len(group.cases):>6}  {group.stage:<22} {group.status:<12} {group.ops(6)}: {group.reason}")
        lines += [f"{'':>8}{case}" for case in group.cases[:named]]
    return "\n".join(lines)


def markdown(header: dict[str, Any], records: dict[str, dict[str, Any]], named: int) -> str:
    passed, others = totals(records)
    rest = "".join(f", {count} {status}" for status, count in others)
    lines = [f"{header['toolchain']}: **{passed} of {len(records)} cases pass ({passed / len(records):.1%})**{rest}."]
    groups = groups_of(records)
    if groups:
        lines += ["", "| cases | stage | status | ops | reason |", "|---|---|---|---|---|"]
    for group in groups:
        why = group.reason.replace("|", "\\|") or "see docs/findings.md"
        examples = "".join(f"<br>`{case}`" for case in group.cases[:named])
        lines.append(f"| {len(group.cases)} | {group.stage} | {group.status} | {group.ops(6)} | {why}{examples} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--cases", type=int, default=0, metavar="N")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    header, records = load(arguments.results)
    if not records:
        print(f"{arguments.results}: no case has ended", file=sys.stderr)
        return 3
    print((markdown if arguments.markdown else table)(header, records, arguments.cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
