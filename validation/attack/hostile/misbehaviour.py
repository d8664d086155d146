# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The table of what a hostile worker can do, by name, with how a case that meets it may end.

    @misbehaviour("crash", "timeout")
    def nested_begin(worker, request): ...

The ends are statuses of the results (manifests/status/status.h): the promise, not what happens to come out today.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from validation.attack.hostile.worker import Act

TARGET = ("target.compile", "target.execute")
REFERENCE = ("reference.inputs", "reference.compare")
DIED = ("crash", "timeout")

DEEP = b"[" * 200_000 + b"]" * 200_000  # 400 KB
LONG = "x" * 15_000_000


@dataclass(frozen=True)
class Misbehaviour:
    act: Act
    ends: frozenset[str]
    places: tuple[str, ...]  # role and verb
    waits: bool  # it goes on until a limit ends it
    marked: bool  # its text is too long for a record, which must say so
    real: bool  # judged by this project's own reference
    late: bool  # it meets whichever request comes next, whose case may then be flaky


TABLE: dict[str, Misbehaviour] = {}


def misbehaviour(
    *ends: str,
    places: tuple[str, ...] = TARGET + REFERENCE,
    waits: bool = False,
    marked: bool = False,
    real: bool = False,
    late: bool = False,
) -> Callable[[Act], Act]:
    def enter(act: Act) -> Act:
        TABLE[act.__name__] = Misbehaviour(act, frozenset(ends), places, waits, marked, real, late)
        return act

    return enter
