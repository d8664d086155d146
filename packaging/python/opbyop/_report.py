# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The results of a run, as Python values."""

from __future__ import annotations

import html
import json
import shutil
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

# The most commands below a table.
_MOST_REPROS = 10

# Statuses that are no problem: everything else is red (docs/concepts.md).
_NOT_RED = {"pass", "unsupported", "inconclusive", "skipped", "expected_fail"}


@dataclass(frozen=True)
class Row:
    """One distinct op of the program, with its result."""

    name: str  #: `<model>__<case id>`
    op: str  #: "stablehlo.add"
    types: str  #: "2x3xf32, 2x3xf32 -> 2x3xf32"
    status: str  #: docs/concepts.md lists them: "pass", "fail", "unsupported", ...
    stage: str  #: the last stage that it reached
    message: str  #: why it did not pass; empty if it passed
    max_ulp: float | None  #: the largest error of all its outputs, in units in the last place; None if unknown
    bound_ratio: float | None  #: that error by what rounding allows: above 1 fails
    locations: tuple[str, ...]  #: where it comes from in the program's source
    count: int  #: number of ops of the program that it represents
    repro: str  #: the command that runs it again
    model: str = ""
    case: str = ""  #: the id of the op with its shapes, types and attributes
    stages: tuple[tuple[str, str], ...] = ()  #: each stage that it entered, with its status: ("parse", "pass")
    reason: str = ""  #: of a failure that a baseline expects
    issue: str = ""

    @property
    def red(self) -> bool:
        """Whether it failed, crashed, hung or is missing."""
        return self.status not in _NOT_RED

    @property
    def passed(self) -> bool:
        return self.status == "pass"


class Report(Sequence[Row]):
    """The rows of a run: a sequence, a table as text, and a table in a notebook.

    `folder` has all files of the run: index.html, results.jsonl, the cases. It is removed with this object, unless
    `check` got an `out` or `keep` was called.
    """

    _removal: weakref.finalize[..., Any] | None = None

    def __init__(
        self,
        rows: Sequence[Row],
        name: str,
        target: str,
        toolchain: str,
        folder: Path,
        run: str = "",
        started: str = "",
    ) -> None:
        self._rows = tuple(rows)
        self.name = name
        self.target = target
        self.toolchain = toolchain  #: the compiler's version, in its own words
        self.folder = folder
        self.run = run  #: its id
        self.started = started  #: of its first row, in UTC: "2026-11-26T16:00:00.000000"

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @property
    def problems(self) -> tuple[Row, ...]:
        """The red rows."""
        return tuple(row for row in self._rows if row.red)

    @property
    def counts(self) -> dict[str, int]:
        """Rows by status, the most frequent first."""
        return dict(Counter(row.status for row in self._rows).most_common())

    @property
    def conforms(self) -> bool:
        """Whether no row is red and at least one passed: a run in which nothing was judged does not conform."""
        return not self.problems and any(row.passed for row in self._rows)

    def keep(self) -> Path:
        """Keeps the folder when this object is deleted; returns the folder."""
        if self._removal is not None:
            self._removal.detach()
        return self.folder

    def _remove_with_this(self) -> None:
        self._removal = weakref.finalize(self, shutil.rmtree, str(self.folder), ignore_errors=True)

    @property
    def page(self) -> Path:
        """The run's report, a page for a browser."""
        return self.folder / "index.html"

    def summary(self) -> str:
        """One line: "tanh on host: 3 rows: 2 pass, 1 fail"."""
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items()) or "nothing to run"
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"{self.name} on {self.target}: {rows}: {counts}"

    def __repr__(self) -> str:
        return f"<opbyop.Report {self.summary()}>"

    def __str__(self) -> str:
        lines = [("status", "op", "types", "stage", "ULP", "why")]
        for row in self._by_gravity():
            lines.append((row.status, row.op, row.types, row.stage, _number(row.max_ulp), _short(row.message)))
        widths = [max(len(line[column]) for line in lines) for column in range(5)]
        table = "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, [*widths, 0])).rstrip() for line in lines
        )
        return f"{self.summary()}\n{self.toolchain}\n\n{table}{self._repros()}"

    def _repros(self) -> str:
        """The commands that run the red rows again."""
        red = self.problems
        lines = [f"\nrepro: {row.repro}" for row in red[:_MOST_REPROS]]
        more = f"\n{len(red) - _MOST_REPROS} more are on {self.page}" if len(red) > _MOST_REPROS else ""
        return "\n" + "".join(lines) + more if red else ""

    def _by_gravity(self) -> list[Row]:
        return sorted(self._rows, key=lambda row: (not row.red, row.passed))

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        lines = []
        for row in self._by_gravity():
            colour = "#c62828" if row.red else "#2e7d32" if row.passed else "#8a6d00"
            cells = [row.op, row.types, row.stage, _number(row.max_ulp), row.message, ", ".join(row.locations[:3])]
            first = f'<td style="color:{colour};font-weight:600">{html.escape(row.status)}</td>'
            rest = "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in cells)
            lines.append(f'<tr title="{html.escape(row.repro, quote=True)}">{first}{rest}</tr>')
        head = "".join(f"<th>{name}</th>" for name in ("status", "op", "types", "stage", "ULP", "why", "where"))
        return (
            f"<div><p><b>{html.escape(self.summary())}</b><br>{html.escape(self.toolchain)}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        )


def read_report(folder: Path, name: str, target: str = "") -> Report:
    """Reads the report of a run's folder from its optest.json; `target` replaces the run's own if it is given."""
    # A test without a configuration is a model that could not be split, not a row.
    tests = [test for test in json.loads((folder / "optest.json").read_text(encoding="utf-8")) if test["config"]]
    first = tests[0] if tests else {"config": {}, "backend": ""}
    toolchain = first["config"].get("toolchain", "")
    started = min((test["test_start_ts"] for test in tests), default="")
    rows = [_row(test) for test in tests]
    return Report(rows, name, target or first["backend"], toolchain, folder, first["config"].get("run", ""), started)


def _row(test: dict[str, Any]) -> Row:
    config = test["config"]
    origins = config.get("origins", [])
    metrics = config.get("metrics", [])
    return Row(
        name=test["test_case_name"],
        op=test["op_name"],
        types=f"{_types(test['inputs'])} -> {_types(test['outputs'])}",
        status=config["status"],
        stage=config.get("stage", ""),
        message=test["message"] or "",
        max_ulp=_largest(metrics, "max_ulp"),
        bound_ratio=_largest(metrics, "bound_ratio"),
        locations=tuple(dict.fromkeys(place for origin in origins for place in origin.get("locations", []))),
        count=sum(origin.get("count", 1) for origin in origins),
        repro=config.get("repro", ""),
        model=test["model_name"],
        case=config.get("case", ""),
        stages=tuple((stage, how["status"]) for stage, how in config.get("stages", {}).items()),
        reason=config.get("baseline", {}).get("reason", ""),
        issue=config.get("baseline", {}).get("issue", ""),
    )


def _types(tensors: list[dict[str, Any]]) -> str:
    """A dynamic dimension is -1 in OpTest, ? in MLIR."""
    return ", ".join("x".join([*map(_size, tensor["shape"]), tensor["data_type"]]) for tensor in tensors)


def _size(size: int) -> str:
    return str(size) if size >= 0 else "?"


# Numbers that JSON lacks are strings: "nan", "inf".
def _largest(metrics: list[dict[str, Any]], key: str) -> float | None:
    values = [float(metric[key]) for metric in metrics if metric.get(key) is not None]
    return max((value for value in values if value == value), default=None)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _short(text: str, longest: int = 100) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
