# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Messages of a hostile worker before its first request: `--hello=NAME`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.attack.hostile import frames
from validation.attack.hostile.misbehaviour import too_long
from validation.attack.hostile.worker import Worker


def good(worker: Worker) -> None:
    worker.hello()


def says(**fields: Any) -> Callable[[Worker], None]:
    return lambda worker: worker.hello(**fields)


def never(worker: Worker) -> None:
    print("waiting for a licence server", file=sys.stderr, flush=True)
    time.sleep(600)


def exits(worker: Worker) -> None:
    print("libfoo.so: cannot open shared object file", file=sys.stderr, flush=True)
    os._exit(127)


def garbage(worker: Worker) -> None:
    frames.write(b"Starting the worker ...\n")
    time.sleep(600)


def nested(worker: Worker) -> None:
    frames.write(frames.frame(b"[" * 200_000 + b"]" * 200_000))
    time.sleep(600)


def twice(worker: Worker) -> None:
    worker.hello()
    worker.hello()


def floods(worker: Worker) -> None:
    """Prints without end. The log must not fill memory, and the time limit must still end the worker."""
    line = b"x" * 65535 + b"\n"
    while True:
        os.write(1, line)


def closes(worker: Worker) -> None:
    os.close(frames.REPLIES)
    time.sleep(600)


def never_reads(worker: Worker) -> None:
    worker.hello()
    time.sleep(600)


def starts() -> int:
    """The number of workers of this run that were started for `gone`, including this one."""
    path = Path(os.environ["HOSTILE_MARKERS"]) / "starts"
    with path.open("ab") as file:
        file.write(b"x")
    return path.stat().st_size


def fails_to_start_between(first: int, until: int | None) -> Callable[[Worker], None]:
    """Good workers, except for the starts from `first` to before `until`, which fail."""

    def greet(worker: Worker) -> None:
        number = starts()
        if number >= first and (until is None or number < until):
            exits(worker)
        worker.hello()

    return greet


def of_a_version(worker: Worker) -> None:
    """Greets with the version that the misbehaviour `is_rebuilt` wrote, like a worker whose sources were rebuilt."""
    path = Path(os.environ["HOSTILE_MARKERS"]) / "version"
    worker.hello(version=path.read_text() if path.exists() else "1.0")


TABLE: dict[str, Callable[[Worker], None]] = {
    "good": good,
    "never": never,
    "exits": exits,
    "garbage": garbage,
    "nested": nested,
    "twice": twice,
    "never_reads": never_reads,
    "floods": floods,
    "closes": closes,
    "other_protocol": says(protocol="opbyop-worker/9"),
    "other_role": says(role="spectator"),
    "no_protocol": says(protocol=None),
    "long_version": lambda worker: worker.hello(version=too_long("v")),
    "long_name": lambda worker: worker.hello(name=too_long("n")),
    "many_cores": says(cores=1e300),
    "gone_for_a_while": fails_to_start_between(8, 14),
    "of_a_version": of_a_version,
    "gone_for_good": fails_to_start_between(8, None),
}
