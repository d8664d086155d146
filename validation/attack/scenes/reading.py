# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Judges attacks on files that are read: a file is refused with a line, or read; the program never crashes."""

from __future__ import annotations

from collections.abc import Callable

from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.board import Board, good_cases
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

WITH_LINE = "an error with file and line, never a crash"
NO_CRASH = "read or refused with a documented code, never a crash"
REFUSALS = frozenset({2, 3, 4, 5})
READ = DOCUMENTED - {129, 130, 143}

Make = Callable[[Arena, Board], None]


def look(board: Board, *flags: object, limit_s: float = 60) -> Seen:
    """Runs a program that reads all files of the board and lists the rows, but runs nothing."""
    return board.run(*flags, "--gtest_list_tests", limit_s=limit_s)


def check(seen: Seen, codes: frozenset[int], where: str | None) -> str:
    breaches = judge(seen, Promise(codes=codes, complete=False))
    if where is not None and not breaches and f"{where}:" not in seen.stderr:
        breaches.append(f"its message names no line of {where}: {seen.stderr.strip()[-200:]}")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {(seen.stderr.strip().splitlines() or ['read'])[-1][-120:]}"


def file_attack(name: str, make: Make, file: str, line: bool = True, refused: bool = True, short: bool = False) -> None:
    """`make` changes a good board; the program must refuse it with a line of `file`, or read it."""

    @attack(name, WITH_LINE if refused else NO_CRASH, short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(3))
        make(arena, board)
        return check(look(board), REFUSALS if refused else READ, file if line and refused else None)
