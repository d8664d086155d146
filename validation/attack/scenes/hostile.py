# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every misbehaviour of a hostile worker in every place where it makes sense: alone, in a batch, twice, and once."""

from __future__ import annotations

from validation.attack.arena import Arena
from validation.attack.attack import SCENES
from validation.attack.board import REAL_REFERENCE, Board, Case
from validation.attack.hostile.all import TABLE
from validation.attack.hostile.misbehaviour import DIED, Misbehaviour
from validation.attack.matrix import ALONE, BATCH, ONCE, TWICE, Arrangement, allowed_in_reference, packs
from validation.attack.pack import Member, OpenBoard

REFERENCE_LIMIT_S = 60  # of a stage of the reference; no option changes it
SHORT_EVERY = 4  # of the misbehaviours that end at once
SHORT_WAITS = {"hostile.endless_stages.target.compile.alone", "hostile.half_a_frame.target.execute.alone"}


def lines(place: str, name: str, arrangement: Arrangement) -> str:
    """A batch has the misbehaviour of its members; a single case that remains of it still has it."""
    times = " *1" if arrangement.once else ""
    text = f"{place}: {name}{times}"
    if arrangement.batch > 1 and place == "target.compile":
        text += f"\ntarget.compile_batch: {name}{times}"
    return text


def ends(place: str, entry: Misbehaviour, arrangement: Arrangement) -> frozenset[str]:
    role, verb = place.split(".")
    if role == "reference":
        # The reference behaves correctly the second time, and judges the case.
        return frozenset({"pass"}) if arrangement.once else allowed_in_reference(verb, entry.ends)
    if arrangement.once:
        return frozenset({"flaky"})
    # A worker that dies a moment after its answer may be noticed in the next request. A case that is found to make the
    # next one fail is a fail.
    late = frozenset({"fail"}) if entry.late else frozenset()
    return entry.ends | {"flaky"} | late if {"pass", "crash"} <= entry.ends else entry.ends


def member(place: str, name: str, arrangement: Arrangement) -> Member:
    entry = TABLE[name]
    full_name = f"hostile.{name}.{place}.{arrangement.name}"
    may_end = ends(place, entry, arrangement)
    return Member(full_name, lines(place, name, arrangement), may_end, arrangement.cases, entry.marked)


def is_in(place: str, number: int, entry: Misbehaviour, arrangement: Arrangement) -> bool:
    """All places alone; the target's in a batch; in the other arrangements one place, a different one for each."""
    if arrangement is ALONE:
        return True
    if arrangement is BATCH:
        return place.startswith("target.")
    if arrangement is ONCE and not entry.ends <= frozenset(DIED):
        return False
    return place == entry.places[number % len(entry.places)]


def board_of(arrangement: Arrangement, timeout_s: int, reference: str | None) -> OpenBoard:
    def open_board(arena: Arena, cases: list[Case]) -> Board:
        limits = f"{{timeout_s: {timeout_s}, memory_mb: 2048}}"
        return Board(arena, cases, reference=reference, batch=arrangement.batch, limits=limits)

    return open_board


def enter(arrangement: Arrangement) -> None:
    groups: dict[tuple[bool, ...], list[Member]] = {}
    shorts = set(SHORT_WAITS)
    for number, (name, entry) in enumerate(TABLE.items()):
        for place in entry.places:
            if is_in(place, number, entry, arrangement):
                made = member(place, name, arrangement)
                # A module has the outcome of its first bad member: if that may pass, those after it may too.
                passes = arrangement is BATCH and "pass" in entry.ends
                key = (entry.waits, place.startswith("reference."), entry.real, entry.late, passes)
                groups.setdefault(key, []).append(made)
                is_turn = entry.places[number % len(entry.places)] == place and number % SHORT_EVERY == 0
                if is_turn and not entry.waits and arrangement in (ALONE, BATCH):
                    shorts.add(made.name)
    for (waits, of_reference, real, late, _), members in groups.items():
        slow = waits and of_reference
        if slow and arrangement is ONCE:
            continue  # takes as long as alone, and shows nothing else
        board = board_of(arrangement, 4 if waits else 40, REAL_REFERENCE if real else None)
        limit_s, retries = (60 + 4 * REFERENCE_LIMIT_S, 0) if slow else (150, 1)
        SCENES.extend(packs(members, board, shorts, waits, late, retries=retries, run_limit_s=limit_s))


for each in (ALONE, BATCH, TWICE, ONCE):
    enter(each)
