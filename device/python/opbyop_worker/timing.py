# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs an artifact repeatedly and measures the times."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .spans import Spans

Result = TypeVar("Result")


LONG_FIRST_US = 1e6


def summarize(microseconds: list[float]) -> dict[str, Any]:
    """The field `timing` of a `done` message. The 95th percentile is by nearest rank."""
    ordered = sorted(microseconds)
    n = len(ordered)
    return {
        "n": n,
        "min_us": ordered[0],
        "median_us": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        "p95_us": ordered[min(n - 1, (n * 95 + 99) // 100 - 1)],
    }


def median_relative_error(times: list[float]) -> float:
    """Half the width of the median's 95 % confidence interval, divided by the median, as in device/repetition.h."""
    n = len(times)
    if n < 6:
        return math.inf
    ordered = sorted(times)
    first = int(max((n - 1.96 * math.sqrt(n)) // 2, 1)) - 1
    width = ordered[n - 1 - first] - ordered[first]
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    if median <= 0:
        return math.inf if width > 0 else 0.0
    return width / 2 / median


def repeat(
    run: Callable[[], Result], wanted: dict[str, Any], spans: Spans | None = None
) -> tuple[list[Result], dict[str, Any]]:
    """Runs as often as device/repetition.h prescribes. Returns the results of the first run after `warmup` and, if
    there were several runs, of the last."""
    warm = int(wanted.get("warmup", 0))
    for _ in range(warm):
        run()
    least, most = int(wanted.get("min", 1)), int(wanted.get("max", 1))
    budget_s = float(wanted.get("budget_ms", 0)) / 1e3
    target = float(wanted.get("relative_error", 0))
    times: list[tuple[int, int]] = []  # start and end of each
    results: list[Result] = []
    begin = time.perf_counter()
    next_look = 6

    def microseconds() -> list[float]:
        return [(end - start) / 1e3 for start, end in times]

    def wants_more() -> bool:
        nonlocal begin, next_look
        n = len(times)
        if n == 1 and not warm:
            begin = time.perf_counter()
            return most > 1 and microseconds()[0] <= LONG_FIRST_US
        if n - (0 if warm else 1) < least:
            return True
        if n >= most or time.perf_counter() - begin >= budget_s:
            return False
        if target <= 0 or n < next_look:
            return True
        next_look = n + n // 4 + 1
        return median_relative_error(microseconds()) > target

    while not times or wants_more():
        start = time.monotonic_ns()
        result = run()
        times.append((start, time.monotonic_ns()))
        results[1:] = []
        results.append(result)
    first_call = not warm and len(times) == 1
    if not warm and len(times) > 1:
        del times[0]
    if spans:
        for start, end in times:
            spans.add_run(start, end)
    return results, summarize(microseconds()) | ({"first_call": True} if first_call else {})
