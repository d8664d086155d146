# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a page on one compiler: which ops, types and shapes reach which stage, on each of its targets.

python3 -m reports.site.depth_page TITLE RUN... > docs/tenstorrent.md

RUN is a folder of results. Runs of the same cases are one part of the page, in which targets that end alike in every
case are one row. An element type is that of the first result, as in the page of `opbyop report`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from opbyop._report import Report, Row
from reports.site.tables import Unreadable, counted, read_run, table
from reports.site.target_table import reason

_MOST_SHAPES = 3


def cases_of(report: Report) -> dict[str, Row]:
    """A row of each distinct case; a case of several models ends alike in all of them."""
    return {row.case: row for row in report}


def result_type(types: str) -> str:
    """`f32` of "2x3xf32 -> 3x2xf32"; quantized types, tokens, futures and tuples are named by one word."""
    result = types.rpartition("-> ")[2]
    for word in ("tuple", "future", "token", "quant"):
        if word in result.partition(", ")[0]:
            return "quantized" if word == "quant" else word
    found = re.match(r"(?:[\d?]+x)*([\w<>]+)", result)
    return found[1] if found else "none"


def cell(text: str) -> str:
    return re.sub(r"([\\*_|<>\[\]])", r"\\\1", text)


def end(row: Row) -> str:
    return row.stage if row.passed else f"{row.status.replace('_', ' ')} in {row.stage}"


def why(row: Row) -> str:
    """The compiler's first sentence, the same for all ops and types that it names in it."""
    sentence = row.message.partition(f"{row.stage}: ")[2].partition("; ")[0]
    sentence = re.sub(r"^\S+:\d+:\d+: ", "", sentence)
    named = r"(?<=operation )'[\w.]+'|(?<=custom op )'[\w.]+'|^(?:stable|ch)lo\.\w+|'(?:stable|ch)lo\.\w+'"
    return reason(re.sub(named, "…", sentence).strip())


class Part:
    """The runs of one set of cases. The first of those that end alike stands for the others."""

    def __init__(self, reports: list[Report]) -> None:
        self.alike: list[list[Report]] = []
        for report in reports:
            ends = {case: (row.status, row.stage) for case, row in cases_of(report).items()}
            for same in self.alike:
                if ends == {case: (row.status, row.stage) for case, row in cases_of(same[0]).items()}:
                    same.append(report)
                    break
            else:
                self.alike.append([report])
        self.cases = cases_of(reports[0])
        self.last = next((row.stage for row in self.cases.values() if row.passed), "")

    def text(self) -> str:
        ops = {row.op for row in self.cases.values()}
        parts = [f"## {counted(len(self.cases), 'case')} of {counted(len(ops), 'op')}\n\n{self._runs()}"]
        for same in self.alike:
            cases = list(cases_of(same[0]).values())
            # Headings of a page must differ, for they are anchors.
            where = f"{counted(len(cases), 'case')} on {self._names(same)}"
            parts.append(self._ops(where, cases) + self._shapes(where, cases) + self._why(where, cases))
        return "\n".join(parts)

    def _names(self, same: list[Report]) -> str:
        return ", ".join(report.target for report in same)

    def _runs(self) -> str:
        lines = []
        for same in self.alike:
            ends = Counter(end(row) for row in cases_of(same[0]).values())
            lines.append([self._names(same), "; ".join(f"{count:,} {how}" for how, count in ends.most_common())])
        return table(["target", "cases by the stage where they end"], lines)

    def _ops(self, where: str, cases: list[Row]) -> str:
        """A line for each op: the types of which every case passes, those of which some do, and where others end."""
        lines = []
        for op in sorted({row.op for row in cases}):
            of_type: dict[str, list[Row]] = defaultdict(list)
            for row in cases:
                if row.op == op:
                    of_type[result_type(row.types)].append(row)
            passes, ends = [], defaultdict(list)
            for name, rows in sorted(of_type.items()):
                passed = sum(row.passed for row in rows)
                if passed:
                    passes.append(name if passed == len(rows) else f"{name} {passed}/{len(rows)}")
                for how in dict.fromkeys(end(row) for row in rows if not row.passed):
                    ends[how].append(name)
            shapes = len({row.types for rows in of_type.values() for row in rows})
            others = "; ".join(f"{how}: {' '.join(names)}" for how, names in ends.items())
            lines.append([cell(op), str(shapes), cell(" ".join(passes)), cell(others)])
        head = ["op", "shapes", f"pass, to {self.last}", "others"]
        return (
            f"### Ops and types by depth: {where}\n\n"
            f"A type with n/m passes with n of its m cases.\n\n{table(head, lines)}"
        )

    def _shapes(self, where: str, cases: list[Row]) -> str:
        """Where cases of the same op and type end differently: their types in full."""
        groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in cases:
            groups[row.op, result_type(row.types)].append(row)
        lines = []
        for (op, name), rows in sorted(groups.items()):
            if len({row.passed for row in rows}) == 2:
                good = [row.types for row in rows if row.passed]
                bad = [row.types for row in rows if not row.passed]
                lines.append([cell(op), cell(name), self._some(good), self._some(bad)])
        if not lines:
            return ""
        head = ["op", "type", "pass", "do not"]
        return f"\n### Where shape or operands decide: {where}\n\n{table(head, lines)}"

    @staticmethod
    def _some(types: list[str]) -> str:
        named = [f"`{each.replace('|', ' ')}`" for each in sorted(set(types), key=lambda text: (len(text), text))]
        more = f" and {len(named) - _MOST_SHAPES} more" if len(named) > _MOST_SHAPES else ""
        return ", ".join(named[:_MOST_SHAPES]) + more

    @staticmethod
    def _why(where: str, cases: list[Row]) -> str:
        groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        for row in cases:
            if not row.passed:
                groups[row.status.replace("_", " "), row.stage, row.reason or why(row)].append(row)
        lines = []
        for (status, stage, text), rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            ops = Counter(row.op for row in rows)
            named = ", ".join(f"{cell(op)} {count}" for op, count in ops.most_common(6))
            more = f", {len(ops) - 6} more ops" if len(ops) > 6 else ""
            lines.append([str(len(rows)), stage, status, named + more, text.replace("|", "\\|")])
        if not lines:
            return ""
        head = ["cases", "stage", "status", "ops", "why"]
        return f"\n### Why the others do not pass: {where}\n\n{table(head, lines)}"


def page(title: str, reports: list[Report]) -> str:
    sets: dict[frozenset[str], list[Report]] = defaultdict(list)
    for report in reports:
        sets[frozenset(cases_of(report))].append(report)
    toolchains = dict.fromkeys(report.toolchain for report in reports)
    notes = dict.fromkeys(row.message for report in reports for row in report if row.passed and row.message)
    return (
        f"# {title}\n\n"
        f"By {', '.join(map(cell, toolchains))}{''.join(f'; {cell(note)}' for note in notes)}. A pass has reached the "
        "last stage that is named.\n\n" + "\n".join(Part(same).text() for same in sets.values())
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("title")
    parser.add_argument("runs", type=Path, nargs="+")
    found = parser.parse_args(argv)
    try:
        print(page(found.title, [read_run(folder) for folder in found.runs]), end="")
    except Unreadable as why:
        print(why, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
