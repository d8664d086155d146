# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The content of each dashboard: charts, and the views that they query.

for name, chart in HISTORY.charts.items():
    print(name, chart["viz"], chart["view"])
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

Json = dict[str, Any]

# A view's text columns, its number columns, and the source of its time.
Dataset = tuple[str, str, dict[str, str]]

STARTED = {"started_at": "CAST(started AS timestamptz)"}

# Views of history/database/schema.
HISTORY_VIEWS: dict[str, Dataset] = {
    "trend": (
        "run started series target toolchain",
        "age wall_s drift complete rows_count passed red unsupported expected_fail pass_rate broke "
        "unsupported_now lost slower worse moved new_rows gone fixed faster better",
        STARTED,
    ),
    "op_stages": ("series run op stage status", "cases ms", {}),
    "readiness": ("series run model error", "rows_count passed red blocked ops blocked_ops ready_share", {}),
    "readiness_gaps": (
        "series run model op signature status cause stage diagnostic reason issue owner",
        "ops cases",
        {},
    ),
    "cause_ranks": (
        "run series cause status stage fingerprint diagnostic reason issue owner",
        "rows_count cases op_kinds models unlocked ops device_us untimed_rows",
        {},
    ),
    "cause_history": (
        "cause status stage fingerprint run started series target toolchain",
        "rows_count cases op_kinds models ops",
        STARTED,
    ),
    "numerics": (
        "series run case_name op dtype policy rule",
        "output elements mismatches max_abs max_rel max_ulp pcc bound_ratio precision_ratio accepted",
        {},
    ),
    "flaky": ("series model case_name op first_run last_run", "flips alike retried", {}),
    "run_changes": (
        "run started series toolchain previous_run previous_toolchain kind model case_name op signature before_status "
        "after_status before_cause after_cause stage diagnostic",
        "before_value after_value confidence alike",
        STARTED,
    ),
}


def metric(label: str, sql: str) -> Json:
    return {"expressionType": "SQL", "sqlExpression": sql, "label": label, "hasCustomLabel": True}


def over_time(view: str, kind: str, by: list[str], metrics: list[Json], time: str = "started_at", **look: Any) -> Json:
    """A line or bar chart over the start times of runs."""
    return {
        "view": view,
        "viz": f"echarts_timeseries_{kind}",
        "form": {"x_axis": time, "groupby": by, "metrics": metrics, "show_legend": True, **look},
        "query": {"columns": [time, *by], "metrics": metrics, "orderby": [[time, True]]},
    }


def table(view: str, columns: str, order: str) -> Json:
    """Lines of a view as they are; columns are sorted with the greatest first."""
    names = columns.split()
    ordered = [[name, False] for name in order.split()]
    form = {"query_mode": "raw", "all_columns": names, "order_by_cols": [json.dumps(each) for each in ordered]}
    return {"view": view, "viz": "table", "form": form, "query": {"columns": names, "orderby": ordered}}


def sums(view: str, by: str, metrics: list[Json]) -> Json:
    """A line for each group, with the greatest of the first metric first."""
    names = by.split()
    form = {"query_mode": "aggregate", "groupby": names, "metrics": metrics, "order_desc": True}
    query = {"columns": names, "metrics": metrics, "orderby": [[metrics[0], False]]}
    return {"view": view, "viz": "table", "form": form, "query": query}


def heat_map(view: str, across: str, down: str, shown: Json, **look: Any) -> Json:
    form = {
        "x_axis": across,
        "groupby": down,
        "metric": shown,
        "normalize_across": "heatmap",
        "linear_color_scheme": "schemeRdYlGn",
        "show_percentage": False,
        "sort_x_axis": "alpha_asc",
        "sort_y_axis": "alpha_asc",
        **look,
    }
    query = {"columns": [across, down], "metrics": [shown], "orderby": [[down, True], [across, True]]}
    return {"view": view, "viz": "heatmap_v2", "form": form, "query": query}


PASS_SHARE = metric("cases that pass", "1.0 * sum(cases) FILTER (WHERE status = 'pass') / sum(cases)")

HISTORY_CHARTS: dict[str, Json] = {
    "Pass rate over time": over_time(
        "trend", "line", ["series"], [metric("pass rate", "max(pass_rate)")], y_axis_format=".1%", markerEnabled=True
    ),
    "What each run changed": over_time(
        "trend",
        "bar",
        [],
        [
            metric("broke", "sum(broke)"),
            metric("unsupported now", "sum(unsupported_now)"),
            metric("slower", "sum(slower)"),
            metric("less exact", "sum(worse)"),
            metric("fixed", "sum(fixed)"),
        ],
        stack="Stack",
    ),
    "What to fix first": table(
        "cause_ranks",
        "cause series status stage unlocked models ops rows_count device_us owner issue diagnostic",
        "unlocked models ops",
    ),
    "Op by stage": heat_map("op_stages", "stage", "op", PASS_SHARE, y_axis_format=".0%"),
    "Models": table(
        "readiness", "model series ready_share ops blocked_ops rows_count passed red error", "ready_share ops"
    ),
    "Ops that are left": table(
        "readiness_gaps", "model series op signature ops status stage cause owner issue diagnostic", "ops"
    ),
    "Groups over time": over_time(
        "cause_history", "bar", ["cause"], [metric("rows", "sum(rows_count)")], stack="Stack"
    ),
    "Numerics": sums(
        "numerics",
        "op dtype policy",
        [
            metric("worst error / bound", "max(bound_ratio)"),
            metric("elements beyond", "sum(mismatches)"),
            metric("comparisons", "count(*)"),
        ],
    ),
    "Flaky rows": table("flaky", "model case_name series op flips alike retried first_run last_run", "flips"),
    "Changes": table(
        "run_changes",
        "started run series kind op model case_name before_status after_status after_cause before_value after_value "
        "confidence diagnostic",
        "started",
    ),
}

# Rows of the dashboard: charts next to each other, and their height.
HISTORY_LAYOUT: list[tuple[list[str], int]] = [
    (["Pass rate over time", "What each run changed"], 50),
    (["What to fix first"], 40),
    (["Groups over time", "Flaky rows"], 50),
    (["Op by stage", "Models"], 80),
    (["Ops that are left"], 50),
    (["Numerics"], 50),
    (["Changes"], 50),
]

# Views of optest.sql.
OPTEST_VIEWS: dict[str, Dataset] = {
    "optest_days": ("card frontend", "tests passed skipped failed", {"day": ""}),
    "optest_newest": (
        "test_case_name model_name op_name op_kind framework_op_name frontend card backend git_sha outcome message",
        "github_job_id",
        {"test_start_ts": ""},
    ),
    "optest_failures": ("outcome message first_test", "tests models ops", {}),
}

OPTEST_CHARTS: dict[str, Json] = {
    "OpTest: pass rate over time": over_time(
        "optest_days",
        "line",
        ["card"],
        [metric("pass rate", "1.0 * sum(passed) / sum(tests)")],
        time="day",
        y_axis_format=".1%",
        markerEnabled=True,
    ),
    "OpTest: op by outcome": heat_map("optest_newest", "outcome", "op_name", metric("tests", "count(*)")),
    "OpTest: models": sums(
        "optest_newest",
        "model_name",
        [
            metric("failed", "count(*) FILTER (WHERE outcome NOT IN ('success', 'skipped'))"),
            metric("passed", "count(*) FILTER (WHERE outcome = 'success')"),
            metric("tests", "count(*)"),
        ],
    ),
    "OpTest: what to fix first": table(
        "optest_failures", "outcome message tests models ops first_test", "models tests"
    ),
}

OPTEST_LAYOUT: list[tuple[list[str], int]] = [
    (["OpTest: pass rate over time", "OpTest: models"], 50),
    (["OpTest: what to fix first"], 50),
    (["OpTest: op by outcome"], 80),
]


@dataclasses.dataclass(frozen=True)
class Board:
    slug: str
    title: str
    about: str
    schema: str  # of the views
    views: dict[str, Dataset]
    charts: dict[str, Json]
    layout: list[tuple[list[str], int]]


HISTORY = Board(
    "opbyop",
    "opbyop",
    "What broke, since when, and what to fix first",
    "public",
    HISTORY_VIEWS,
    HISTORY_CHARTS,
    HISTORY_LAYOUT,
)
OPTEST = Board(
    "opbyop-optest",
    "opbyop: OpTest",
    "The same from records of OpTest alone",
    "optest",
    OPTEST_VIEWS,
    OPTEST_CHARTS,
    OPTEST_LAYOUT,
)
