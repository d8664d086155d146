# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Records what an `execute` did when, for parents that request it (docs/worker-protocol.md).

spans = Spans(request.spans)
with spans.span("transfer_in", 0, array.nbytes):
    upload(array)
return {..., **spans.fields()}
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any


def line_of(
    kind: str,
    index: int,
    start_ns: int,
    dur_ns: int,
    nbytes: int = 0,
    clock: str = "host",
    slack_ns: int = 0,
    process: int = -1,
) -> str:
    """A span in the form of the protocol; fields that say nothing are left out."""
    line = f"{kind} {index} {start_ns} {dur_ns}"
    if nbytes:
        line += f" bytes={nbytes}"
    if clock != "host":
        line += f" clock={clock}"
    if slack_ns:
        line += f" slack={slack_ns}"
    if process >= 0:
        line += f" process={process}"
    return line + "\n"


class Spans:
    def __init__(self, wanted: bool = True):
        self._wanted = wanted
        self._lines: list[str] = []
        self._runs: list[tuple[int, int]] = []  # duration and start of the timed runs

    @contextlib.contextmanager
    def span(self, kind: str, index: int = 0, nbytes: int = 0) -> Iterator[None]:
        start = time.monotonic_ns()
        yield
        self.add(kind, index, start, time.monotonic_ns(), nbytes)

    def add(self, kind: str, index: int, start_ns: int, end_ns: int, nbytes: int = 0) -> None:
        if self._wanted:
            self._lines.append(line_of(kind, index, start_ns, end_ns - start_ns, nbytes))

    def add_run(self, start_ns: int, end_ns: int) -> None:
        """Records a timed run."""
        if self._wanted:
            self._runs.append((end_ns - start_ns, start_ns))

    def fields(self) -> dict[str, Any]:
        """The fields for the `done` message. Of the timed runs, they hold the one that took the median time and the
        span of all of them."""
        if not self._wanted:
            return {}
        lines = list(self._lines)
        if not self._runs:
            return {"spans": "".join(lines)}
        if len(self._runs) > 1:
            begin = self._runs[0][1]
            lines.append(line_of("repeats", 0, begin, sum(self._runs[-1]) - begin))
        index = sorted(range(len(self._runs)), key=lambda run: (self._runs[run][0], run))[(len(self._runs) - 1) // 2]
        duration, start = self._runs[index]
        lines.append(line_of("execute", index, start, duration))
        return {"spans": "".join(lines), "longest_ns": max(run[0] for run in self._runs)}
