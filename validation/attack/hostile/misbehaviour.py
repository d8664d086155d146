# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The table of a hostile worker's misbehaviours, by name, each with the allowed outcomes of an affected case.

    @misbehaviour("crash", "timeout")
    def nested_begin(worker, request): ...

The outcomes are statuses of the results (manifests/status/status.h): those that are promised, not those that occur
today.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from validation.attack.hostile.worker import Act

TARGET = ("target.compile", "target.execute")
REFERENCE = ("reference.inputs", "reference.compare")
DIED = ("crash", "timeout")

DEEP = b"[" * 200_000 + b"]" * 200_000  # 400 KB


def too_long(letter: str = "x") -> str:
    """15 MB. It is made where it is sent, because every start of a worker imports this module."""
    return letter * 15_000_000


@dataclass(frozen=True)
class Misbehaviour:
    act: Act
    ends: frozenset[str]
    places: tuple[str, ...]  # role and verb
    waits: bool  # whether it lasts until a limit ends it
    marked: bool  # whether its text is too long for a record, which must say so
    real: bool  # whether this project's own reference judges it
    late: bool  # whether it affects the next request, whose case may then be flaky


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
