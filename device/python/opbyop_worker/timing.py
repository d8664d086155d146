# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Repeated runs of an artifact, and what they took."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .spans import Spans

Result = TypeVar("Result")


def summarize(microseconds: list[float]) -> dict[str, float]:
    """`timing` of a `done` message; the 95th percentile is the nearest rank's."""
    ordered = sorted(microseconds)
    n = len(ordered)
    return {
        "n": n,
        "min_us": ordered[0],
        "median_us": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        "p95_us": ordered[min(n - 1, (n * 95 + 99) // 100 - 1)],
    }


def median_relative_error(times: list[float]) -> float:
    """Half the width of the median's 95 % confidence interval over the median, as device/repetition.h has it."""
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
) -> tuple[list[Result], dict[str, float]]:
    """Runs `warmup` times unseen, then at least `min` times, then on until `max` runs or `budget_ms` are spent or the
    median is known to `relative_error`; the results of the first timed run and, where there were several, of the
    last."""
    for _ in range(int(wanted.get("warmup", 0))):
        run()
    least = max(1, int(wanted.get("min", 1)))
    most = max(least, int(wanted.get("max", 1)))
    budget_s = float(wanted.get("budget_ms", 0)) / 1e3
    target = float(wanted.get("relative_error", 0))
    microseconds: list[float] = []
    results: list[Result] = []
    begin = time.perf_counter()
    next_look = 6
    while (n := len(microseconds)) < most:
        if n >= least:
            if time.perf_counter() - begin >= budget_s:
                break
            if target > 0 and n >= next_look:
                next_look = n + n // 4 + 1
                if median_relative_error(microseconds) <= target:
                    break
        start = time.monotonic_ns()
        result = run()
        end = time.monotonic_ns()
        if spans:
            spans.add_run(start, end)
        microseconds.append((end - start) / 1e3)
        results[1:] = []
        results.append(result)
    return results, summarize(microseconds)
