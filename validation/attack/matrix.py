# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Packs of attacks with every misbehaviour in every place and arrangement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from validation.attack.pack import Member, OpenBoard, Pack
from validation.tables import statuses_with

SIZE = 20  # attacks of one run


@dataclass(frozen=True)
class Arrangement:
    """How the cases of an attack are arranged."""

    name: str
    batch: int = 1
    cases: int = 1
    once: bool = False  # only the first time: then the case passes, and is flaky


ALONE = Arrangement("alone")
BATCH = Arrangement("batch", batch=4)
TWICE = Arrangement("twice", cases=2)
ONCE = Arrangement("once", once=True)


# The allowed statuses of a case for which the reference fails: the reference never accuses.
WITHOUT_INPUTS = frozenset({"skipped"})
NOT_JUDGED = frozenset({"inconclusive"})
ACCUSES = statuses_with("kFailure") | {"flaky", "unsupported"}


def allowed_in_reference(stage: str, ends: frozenset[str]) -> frozenset[str]:
    """The allowed outcomes of a misbehaviour in this stage of the reference."""
    if not ends & ACCUSES:
        return ends
    # A worker that answers first and then dies fails in the next request, which may be the other one.
    late = WITHOUT_INPUTS | NOT_JUDGED if "pass" in ends else frozenset()
    passes = frozenset({"pass"}) if "flaky" in ends else frozenset()
    return (ends - ACCUSES) | (WITHOUT_INPUTS if stage == "inputs" else NOT_JUDGED) | late | passes


def slices(members: list[Member], size: int) -> Iterator[list[Member]]:
    for begin in range(0, len(members), size):
        yield members[begin : begin + size]


def packs(
    members: Iterable[Member],
    open_board: OpenBoard,
    shorts: Iterable[str],
    waits: bool = False,
    late: bool = False,
    prefix: str = "// ",
    retries: int = 1,
    run_limit_s: float = 60,
) -> list[Pack]:
    """Packs whose members wait for a limit run many at a time; if members are late, other cases may be flaky."""
    members, wanted = list(members), frozenset(shorts)
    # The short form puts its few members into packs of their own, instead of a few into each pack.
    parts = [[m for m in members if m.name in wanted], [m for m in members if m.name not in wanted]]
    good_ends = ("pass", "flaky") if late else ("pass",)
    flags = (f"--jobs={12 if waits else 4}", f"--retries={retries}")
    return [
        Pack(part, open_board, flags, run_limit_s, prefix, good_ends, wanted, waits=waits)
        for group in parts
        for part in slices(group, SIZE)
    ]
