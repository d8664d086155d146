# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Turns runs into pages of the site: a page per op, conformance, score cards, failures, and depth.

    reports = [read_run(folder) for folder in folders]
    for name, text in result_pages(reports).items(): ...    # "ops/stablehlo.add.md": "# stablehlo.add ..."

Every table names the target, toolchain, date and id of its run.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from opbyop._report import Report, Row, read_report
from reports.site.links import anchor, headings
from reports.site.target_table import reason

# The most groups of rows with equal outcomes. The run's own page has all of them.
_MOST_GROUPS = 200


class Unreadable(Exception):
    """A run that cannot be read; the message says which and why."""


def read_run(folder: Path) -> Report:
    try:
        report = read_report(folder, folder.name)
    except FileNotFoundError:
        raise Unreadable(f"{folder}: no optest.json; `opbyop report {folder} -o {folder}` writes it") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"{folder}/optest.json: no array of OpTest records: {error!r}") from None
    if not len(report):
        raise Unreadable(f"{folder}: no row")
    return report


def result_pages(reports: list[Report], findings: Path | None = None) -> dict[str, str]:
    """Maps names below results/ to Markdown. `findings` is the folder of pages whose headings are quoted in reasons."""
    pages = {"README.md": _runs(reports), "conformance.md": _conformance(reports)}
    pages["scores.md"] = _scores(reports)
    pages["not-passed.md"] = _not_passed(reports, _finding_links(findings))
    for number, report in enumerate(reports):
        pages[_depth_file(reports, number)] = _depth(report)
    ops = sorted({row.op for report in reports for row in report})
    for op in ops:
        pages[f"ops/{page_name(op)}"] = _op(op, reports)
    pages["ops/README.md"] = "# Ops\n\n" + "".join(f"- [{_text(op)}]({page_name(op)})\n" for op in ops)
    return pages


def page_name(name: str) -> str:
    """A distinct file name for each name, whatever characters it has."""
    plain = re.sub(r"[^\w.-]+", "_", name)
    return f"{plain}.md" if plain == name else f"{plain}-{zlib.crc32(name.encode()):08x}.md"


def _text(text: str) -> str:
    """Escapes the text, so that Markdown and its tables show it as it is."""
    return re.sub(r"([\\`*_{}\[\]|<>#!])", lambda match: f"&#{ord(match[1])};", text)


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>" if text else ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]], right: int = 0) -> str:
    """A Markdown table; the last `right` columns are numbers."""
    names = list(head)
    lines = [names, *([["---"] * (len(names) - right) + ["---:"] * right]), *map(list, rows)]
    return "".join(f"| {' | '.join(cell.replace(chr(10), ' ') for cell in line)} |\n" for line in lines)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _share(passed: int, rows: int) -> str:
    """A percentage that is 100 % only for all and 0 % only for none."""
    percent = 100 * passed / rows
    if 0 < passed < rows:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f}&nbsp;%" if 0 < passed < rows else f"{percent:.0f}&nbsp;%"


def _column(reports: list[Report], number: int) -> str:
    """A run's name in tables: its target, with a number if there are several runs of that target."""
    target = reports[number].target
    same = [at for at, report in enumerate(reports) if report.target == target]
    return target if len(same) == 1 else f"{target}-{same.index(number) + 1}"


def _depth_file(reports: list[Report], number: int) -> str:
    return f"depth-{page_name(_column(reports, number))}"


def _columns(reports: list[Report]) -> list[str]:
    return [_column(reports, number) for number in range(len(reports))]


def _made_of(reports: list[Report]) -> str:
    lines = (
        f"- **{_text(name)}**: {_text(report.toolchain)}, {report.started[:10]}, run {_code(report.run)}"
        for name, report in zip(_columns(reports), reports)
    )
    return "\n".join(lines) + "\n"


def _runs(reports: list[Report]) -> str:
    rows = []
    for number, (name, report) in enumerate(zip(_columns(reports), reports)):
        counts = report.counts
        passed = counts.get("pass", 0)
        models = {row.model for row in report}
        rows.append(
            [
                f"[{_text(name)}]({_depth_file(reports, number)})",
                _text(next(iter(models))) if len(models) == 1 else counted(len(models), "model"),
                _text(report.toolchain),
                report.started[:16].replace("T", " "),
                _code(report.run),
                f"{len(report):,}",
                f"{passed:,}",
                _share(passed, len(report)),
                f"{len(report.problems):,}",
            ]
        )
    head = ["run of", "models", "toolchain", "started, UTC", "run", "rows", "pass", "share", "red"]
    return f"""# Results

Each run op by op. A row is one op of one model with its shapes, types and attributes ([concepts](../docs/concepts.md)).

{table(head, rows, right=4)}
- [Conformance](conformance.md): op by target
- [Ops](ops/README.md): a page per op, each shape, type and model, and how far it got
- [Scores](scores.md): cases that pass of all, to compare targets on one suite
- [What does not pass](not-passed.md), by cause
- Depth, op by stage: {", ".join(row[0] for row in rows)}
"""


def _grouped(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _conformance(reports: list[Report]) -> str:
    by_op = [_grouped(report, lambda row: row.op) for report in reports]
    lines = []
    for op in sorted(set().union(*by_op)):
        cells = [f"[{_text(op)}](ops/{page_name(op)})"]
        for groups in by_op:
            rows = groups.get(op, [])
            passed = sum(row.passed for row in rows)
            bad = next((row for row in rows if row.red), next((row for row in rows if not row.passed), None))
            why = f", {bad.status.replace('_', ' ')} at {bad.stage or 'no stage'}" if bad else ""
            cells.append(f"{passed} of {len(rows)}{why}" if rows else "")
        lines.append(cells)
    return f"""# Conformance

Rows that pass of all, and how the gravest other one ended.

{_made_of(reports)}
{table(["op", *map(_text, _columns(reports))], lines)}"""


def _how(row: Row) -> str:
    status = row.status.replace("_", " ")
    return status if row.passed else f"{status} at {row.stage}" if row.stage else status


def _op(op: str, reports: list[Report]) -> str:
    cases: dict[str, tuple[Row, set[str]]] = {}
    ends: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for number, report in enumerate(reports):
        for row in report:
            if row.op == op:
                cases.setdefault(row.case, (row, set()))[1].add(row.model)
                ends[row.case, number].append(row)
    lines = []
    for case, (row, models) in sorted(cases.items(), key=lambda item: (item[1][0].types, item[0])):
        cells = [_code(row.types), _text(", ".join(sorted(models)))]
        for number in range(len(reports)):
            cells.append("<br>".join(sorted({_how(end) for end in ends[case, number]})))
        lines.append([*cells, _code(case)])
    messages = []
    for number, name in enumerate(_columns(reports)):
        bad = [row for case in cases for row in ends[case, number] if not row.passed and row.message]
        for why, count in Counter(reason(row.message) for row in bad).most_common(10):
            messages.append([_text(name), f"{_code(why)}", str(count)])
    said = f"\n## What the targets said\n\n{table(['target', 'diagnostic', 'rows'], messages, 1)}" if messages else ""
    head = ["types", "models", *map(_text, _columns(reports)), "case"]
    return f"""# {_text(op)}

{counted(len(cases), "distinct case")}: shapes, types and attributes; how far each got on each target.

{_made_of(reports)}
{table(head, lines)}{said}"""


def _scores(reports: list[Report]) -> str:
    parts = []
    for name, report in zip(_columns(reports), reports):
        file = report.folder / "scorecard.json"
        if not file.exists():
            continue
        card = json.loads(file.read_text(encoding="utf-8"))
        score = card["total"]
        types = [
            [_text(dtype), f"{each['cases']:,}", f"{each['passed']:,}", _share(each["passed"], each["cases"])]
            for dtype, each in card["by_type"].items()
            if each["cases"]
        ]
        limits = [] if card["executes"] else ["compiled only"]
        limits += [] if card["complete"] and not card["selected"] else ["a part of the run"]
        parts.append(
            f"## {_text(name)}: {_share(score['passed'], score['cases'])} of {_text(card['title'])}"
            f"{''.join(f', {limit}' for limit in limits)}\n\n"
            f"{score['passed']:,} of {counted(score['cases'], 'case')} pass, {score['unsupported']:,} are not "
            f"supported, {score['red']:,} are red. {_text(report.toolchain)}, {report.started[:10]}, "
            f"run {_code(report.run)}; policies {_text(card['policies'])}; "
            f"manifest {_code(card['manifest_sha256'][:12])}.\n\n"
            + table(["type of the result", "cases", "pass", "share"], types, 3)
        )
    body = "\n".join(parts) or "No run left a `scorecard.json`.\n"
    return f"""# Scores

Each distinct case counts once. Scores of the same manifest and policies are comparable.

{body}"""


def _finding_links(folder: Path | None) -> dict[str, str]:
    """Maps each heading to its page, relative to results/."""
    pages = sorted(folder.glob("*.md")) if folder else []
    return {
        heading: f"../docs/findings/{page.name}#{anchor(heading)}"
        for page in pages
        for heading in headings(page.read_text(encoding="utf-8"))[1:]
    }


def _not_passed(reports: list[Report], findings: dict[str, str]) -> str:
    parts = []
    for name, report in zip(_columns(reports), reports):
        groups: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
        for row in report:
            if not row.passed:
                groups[row.status, row.stage, row.reason or reason(row.message), row.issue].append(row)
        lines = []
        for (status, stage, why, issue), rows in sorted(groups.items(), key=lambda item: -len(item[1]))[:_MOST_GROUPS]:
            ops = Counter(row.op for row in rows)
            named = [f"[{_text(op)}](ops/{page_name(op)})" for op, _ in ops.most_common(3)]
            more = f", {len(ops) - 3} more" if len(ops) > 3 else ""
            text = f"[{why.replace('|', '&#124;')}]({findings[why]})" if why in findings else _code(why)
            if issue:
                text += f", [issue]({issue})" if re.match(r"https?://[^\s()|]+$", issue) else f", issue {_text(issue)}"
            lines.append([status.replace("_", " "), _text(stage), ", ".join(named) + more, text, f"{len(rows):,}"])
        cut = f"\nThe {_MOST_GROUPS} largest of {len(groups)} groups.\n" if len(groups) > _MOST_GROUPS else ""
        body = table(["status", "stage", "ops", "why", "rows"], lines, 1) if lines else "Every row passes.\n"
        parts.append(f"## {_text(name)}\n\n{_made_of([report])}\n{body}{cut}")
    return f"""# What does not pass

Rows by cause. A reason that is a heading of the [findings](../docs/findings.md) was reproduced with the compiler's own
tools.

{chr(10).join(parts)}"""


def _depth(report: Report) -> str:
    # In the order of the row that reached the most stages.
    stages = [stage for stage, _ in max((row.stages for row in report), key=len, default=())]
    stages += [each for each in dict.fromkeys(stage for row in report for stage, _ in row.stages) if each not in stages]
    lines = []
    for op, rows in sorted(_grouped(report, lambda row: row.op).items()):
        cells = []
        for stage in stages:
            ways = [how for row in rows for name, how in row.stages if name == stage]
            passed = sum(how == "pass" for how in ways)
            cells.append("" if not ways else f"{passed}" if passed == len(ways) else f"**{passed} of {len(ways)}**")
        lines.append([f"[{_text(op)}](ops/{page_name(op)})", *cells, f"{len(rows)}"])
    return f"""# Depth on {_text(report.target)}

How many rows of each op passed each stage, of those that reached it.

{_made_of([report])}
{table(["op", *map(_text, stages), "rows"], lines, len(stages) + 1)}"""
