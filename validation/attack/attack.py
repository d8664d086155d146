# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Defines an attack, and keeps the list of all attacks.

    @attack("disk.full", "a full disk that gets room again leaves a readable file", short=True)
    def full_disk(arena):
        seen = ...
        arena.expect(not seen.results.errors, "...")
        return "what was seen, in a line"

An attack that this machine does not allow raises NotTried. Any other exception means that a promise does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from validation.attack.arena import Arena, Broken, NotTried

OK, BROKEN, NOT_TRIED = "ok", "BROKEN", "not tried"


@dataclass(frozen=True)
class Attack:
    name: str  # dotted: the attacked part, then the way
    promised: str
    short: bool = False  # whether the short form has it
    short_by_user: bool = False  # whether the short form has it as an ordinary user too


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    promised: str
    verdict: str
    seen: str


class Scene(Protocol):
    """Attacks that are performed together, in one separate process."""

    attacks: list[Attack]
    limit_s: float  # after this time the scene is ended and its attacks are broken; only guards against hangs
    waits: bool  # whether it mostly waits for limits to pass

    def perform(self, arena: Arena, chosen: list[Attack]) -> Iterator[Row]: ...


@dataclass
class Single:
    """One attack by a function, which returns what it saw."""

    attack: Attack
    act: Callable[[Arena], str]
    limit_s: float
    waits: bool = False

    @property
    def attacks(self) -> list[Attack]:
        return [self.attack]

    def perform(self, arena: Arena, chosen: list[Attack]) -> Iterator[Row]:
        for attack in chosen:
            try:
                verdict, seen = OK, self.act(arena)
            except NotTried as reason:
                verdict, seen = NOT_TRIED, str(reason)
            except Broken as what:
                verdict, seen = BROKEN, str(what)
            yield Row(attack.name, attack.promised, verdict, seen)


SCENES: list[Scene] = []


def attack(
    name: str,
    promised: str,
    *,
    short: bool = False,
    limit_s: float = 300,
    short_by_user: bool = False,
) -> Callable[[Callable[[Arena], str]], Callable[[Arena], str]]:
    """Registers a function as an attack."""

    def enter(act: Callable[[Arena], str]) -> Callable[[Arena], str]:
        SCENES.append(Single(Attack(name, promised, short, short_by_user), act, limit_s))
        return act

    return enter
