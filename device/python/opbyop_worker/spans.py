"""What an `execute` did when, for parents that ask for it (docs/worker-protocol.md).

spans = Spans(request.raw.get("spans", False))
with spans.span("transfer_in", 0, array.nbytes):
    upload(array)
return {..., **spans.fields()}
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any


class Spans:
    def __init__(self, wanted: bool = True):
        self._list: list[dict[str, Any]] | None = [] if wanted else None

    @contextlib.contextmanager
    def span(self, kind: str, index: int = 0, nbytes: int = 0) -> Iterator[None]:
        start = time.monotonic_ns()
        yield
        self.add(kind, index, start, time.monotonic_ns(), nbytes)

    def add(self, kind: str, index: int, start_ns: int, end_ns: int, nbytes: int = 0) -> None:
        if self._list is None:
            return
        item: dict[str, Any] = {"kind": kind, "index": index, "start_ns": start_ns, "dur_ns": end_ns - start_ns}
        if nbytes:
            item["bytes"] = nbytes
        self._list.append(item)

    def fields(self) -> dict[str, Any]:
        """For the `done` message: of the timed runs the one that took the median time, and how long each took."""
        if self._list is None:
            return {}
        told = [item for item in self._list if item["kind"] != "execute"]
        runs = [item for item in self._list if item["kind"] == "execute"]
        if len(runs) > 1:
            begin = runs[0]["start_ns"]
            end = runs[-1]["start_ns"] + runs[-1]["dur_ns"]
            told.append({"kind": "repeats", "index": 0, "start_ns": begin, "dur_ns": end - begin})
        if runs:
            told.append(sorted(runs, key=lambda run: (run["dur_ns"], run["index"]))[(len(runs) - 1) // 2])
        return {"spans": told, "runs_ns": [run["dur_ns"] for run in runs]}
