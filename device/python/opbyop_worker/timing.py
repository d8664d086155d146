"""Repeated runs of an artifact, and what they took."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

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


def repeat(run: Callable[[], Result], wanted: dict[str, Any]) -> tuple[Result, dict[str, float]]:
    """Runs at least `min` times, then on until `max` runs or `budget_ms` are spent; the first run's result."""
    least = max(1, int(wanted.get("min", 1)))
    most = max(least, int(wanted.get("max", 1)))
    budget_s = float(wanted.get("budget_ms", 0)) / 1e3
    microseconds: list[float] = []
    results: list[Result] = []
    begin = time.perf_counter()
    while len(microseconds) < most:
        start = time.perf_counter()
        if len(microseconds) >= least and start - begin >= budget_s:
            break
        result = run()
        microseconds.append((time.perf_counter() - start) * 1e6)
        if not results:
            results.append(result)
    return results[0], summarize(microseconds)
