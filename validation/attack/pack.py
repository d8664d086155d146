# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs many attacked cases among good ones. If the run as a whole breaks a promise, its halves are run to find the
cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from validation.attack.arena import Arena
from validation.attack.attack import BROKEN, OK, Attack, Row
from validation.attack.board import Board, Case
from validation.attack.judge import Promise, Seen, judge, judge_case, summary

PROMISED = "this case ends as {ends} with a reason; no other is lost, nothing stays"


@dataclass(frozen=True)
class Member:
    """One attack: its cases share the lines in their files."""

    name: str
    lines: str
    ends: frozenset[str]
    cases: int = 1
    marked: bool = False

    def ids(self) -> list[str]:
        return [f"{self.name.replace('.', '_')}_{i}" for i in range(self.cases)]

    def attack(self, short: bool) -> Attack:
        return Attack(self.name, PROMISED.format(ends=" or ".join(sorted(self.ends))), short)


# Opens the board of these cases in an arena.
OpenBoard = Callable[[Arena, list[Case]], Board]


@dataclass
class Pack:
    members: list[Member]
    open_board: OpenBoard
    flags: tuple[str, ...]
    run_limit_s: float
    prefix: str = "// "
    good_ends: tuple[str, ...] = ("pass",)
    shorts: frozenset[str] = frozenset()
    limit_s: float = 3000
    waits: bool = False
    _tries: int = field(default=0, init=False)

    @property
    def attacks(self) -> list[Attack]:
        return [member.attack(member.name in self.shorts) for member in self.members]

    def perform(self, arena: Arena, chosen: list[Attack]) -> Iterator[Row]:
        names = {attack.name for attack in chosen}
        yield from self._attempt(arena, [member for member in self.members if member.name in names])

    def _cases(self, members: list[Member]) -> list[Case]:
        """Each attacked case between two good ones; the cases of one member follow each other."""
        cases = [Case("good_first")]
        for number, member in enumerate(members):
            cases += [Case(case_id, member.lines, self.prefix) for case_id in member.ids()]
            cases.append(Case(f"good_{number}"))
        return cases

    def _attempt(self, parent: Arena, members: list[Member]) -> Iterator[Row]:
        self._tries += 1
        arena = parent.inner(f"try{self._tries}")
        cases = self._cases(members)
        board = self.open_board(arena, cases)
        seen = board.run(*self.flags, limit_s=self.run_limit_s)
        good = [case.id for case in cases if not case.lines]
        spoilers = [case_id for member in members for case_id in member.ids()]
        promise = Promise(good=good, good_ends=self.good_ends, spoilers=spoilers)
        together = judge(seen, promise)
        if not together:
            for member in members:
                yield from self._judge_member(parent, seen, member, alone=len(members) == 1)
        elif len(members) == 1:
            [member] = members
            attacked = dict.fromkeys(member.ids(), member.ends)
            breaches = judge(seen, replace(promise, attacked=attacked))
            yield self._row(member, breaches, summary(seen))
        else:
            half = len(members) // 2
            rows = [*self._attempt(parent, members[:half]), *self._attempt(parent, members[half:])]
            yield from rows
            if all(row.verdict == OK for row in rows):
                name = f"{members[0].name}+{len(members) - 1}"
                yield Row(name, "no promise breaks only because attacks come together", BROKEN, "; ".join(together))

    def _judge_member(self, parent: Arena, seen: Seen, member: Member, alone: bool) -> Iterator[Row]:
        """A member that breaks its promise among others is run alone before it is blamed."""
        breaches: list[str] = []
        for case in member.ids():
            breaches += judge_case(seen.results, case, member.ends, member.marked)
        if breaches and not alone:
            row = next(self._attempt(parent, [member]))
            yield row
            if row.verdict == OK:
                yield Row(
                    f"{member.name}+others",
                    "a case suffers from what it does, not from others",
                    BROKEN,
                    "; ".join(breaches),
                )
            return
        ends = " and ".join(sorted({seen.results.ends().get(case, "not recorded") for case in member.ids()}))
        reason = seen.results.reason(member.ids()[0])[:60]
        yield self._row(member, breaches, f"{ends}: {reason}" if reason else ends)

    @staticmethod
    def _row(member: Member, breaches: list[str], seen: str) -> Row:
        attack = member.attack(short=False)
        return Row(attack.name, attack.promised, BROKEN if breaches else OK, "; ".join(breaches) or seen)
