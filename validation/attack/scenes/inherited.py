# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by the state in which a program is started: signals, descriptors, a working folder that was removed."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from fixtures.programs import ROOT
from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.board import REAL_REFERENCE, Board, good_cases
from validation.attack.judge import Promise
from validation.attack.scenes.check import check, check_refusal
from validation.attack.scenes.commands import board_of

AS_EVER = "the run ends as ever"
FFNN = ROOT / "fixtures/models/ffnn.mlirbc"


def ignore(*numbers: int) -> Callable[[], None]:
    def prepare() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    return prepare


def block_all() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def close_standard_files() -> None:
    for fd in (0, 1, 2):
        os.close(fd)


def limit_descriptors(soft: int, hard: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


STATES: dict[str, Callable[[], None]] = {
    "sigchld_ignored": ignore(signal.SIGCHLD),
    "signals_ignored": ignore(signal.SIGCHLD, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2),
    "signals_blocked": block_all,
    "standard_files_closed": close_standard_files,
    "few_descriptors_at_first": limit_descriptors(10, 1024),
}


def expect_normal_run(name: str, prepare: Callable[[], None]) -> None:
    @attack(f"inherited.{name}", AS_EVER, short=name == "sigchld_ignored")
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(6))
        return check(board.run("--jobs=2", limit_s=60, prepare=prepare), Promise(good=board.ids(), codes={0}))

    @attack(f"inherited.{name}.command", "a stage that waits for its own children works as ever")
    def command(arena: Arena) -> str:
        script = "sh -c 'exit 7'; [ $? = 7 ] || exit 1"
        board = board_of(arena, "execute", script, True, good_cases(2))
        path = board.folder.parent / "stage.sh"
        path.write_text(path.read_text().replace("attacked*", "good*"))
        return check(board.run("--jobs=2", limit_s=60, prepare=prepare), Promise(good=board.ids(), codes={0}))


for each, what in STATES.items():
    expect_normal_run(each, what)


@attack("inherited.signals_blocked.interrupt", "SIGTERM still ends the run, with 143")
def interrupt_blocked(arena: Arena) -> str:
    board = board_of(arena, "execute", "sleep 100", True, good_cases(2), 90)
    path = arena.folder / "stage.sh"
    path.write_text(path.read_text().replace("attacked*", "good*"))
    program = board.start("--jobs=2", prepare=block_all)
    arena.expect(program.until((board.out / "results.jsonl").exists, 60), "the run did not begin")
    program.kill(signal.SIGTERM)
    return check(program.wait(30, out=board.out), Promise(codes={143}, complete=False))


def refuses_few(hard: int, short: bool) -> None:
    @attack(f"inherited.few_descriptors.{hard}", "a sentence with the number, exit 3", short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(2))
        return check_refusal(board.run(limit_s=60, prepare=limit_descriptors(hard, hard)), {3}, f"only {hard} files")


for number in (8, 15, 19, 20, 30, 40):
    refuses_few(number, short=number == 19)


@attack("inherited.few_descriptors.for_fewer_workers", "the run takes fewer workers, says so, and ends as ever")
def fewer_workers(arena: Arena) -> str:
    board = Board(arena, good_cases(12), reference=REAL_REFERENCE)
    seen = board.run("--jobs=8", limit_s=60, prepare=limit_descriptors(72, 72))
    arena.expect("72 files may be open" in seen.stdout + seen.stderr, "it does not say why it takes fewer workers")
    return check(seen, Promise(good=board.ids(), codes={0}))


VERBS = {
    "split": ("opbyop", "split", FFNN, "-o", "out"),
    "run": ("opbyop", "run", "out", "--target=host"),
    "report": ("opbyop", "report", "out", "-o", "out"),
    "eval": ("opbyop", "eval", FFNN),
    "suite": ("opbyop", "suite", "stablehlo", "-o", "out"),
    "merge": ("opbyop", "merge", "a", "b", "-o", "out"),
    "diff": ("opbyop", "diff", "a", "b"),
    "repro": ("opbyop", "repro", "x"),
    "reduce": ("opbyop", "reduce", "x", "-o", "out"),
    "bundle": ("opbyop", "bundle", "x", "-o", "out"),
    "bisect": ("opbyop", "bisect", "x", "-o", "out"),
    "profile": ("opbyop", "profile", FFNN, "-o", "out"),
    "history": ("opbyop", "history", "list"),
    "baseline": ("opbyop", "baseline", "update", "out"),
    "doctor": ("opbyop", "doctor"),
    "capture": ("opbyop", "capture", FFNN, "-o", "out"),
    "exhaust": ("opbyop", "exhaust", "tanh", "--type=f16"),
    "conformance": ("conformance", "--target=host"),
    "optrace": ("optrace", "top", "x"),
    "opbyop-opt": ("opbyop-opt", FFNN),
}


def in_no_folder(verb: str, argv: tuple[object, ...]) -> None:
    @attack(f"inherited.folder_removed.{verb}", "a sentence, exit 3", short=verb in ("run", "split"))
    def act(arena: Arena) -> str:
        gone = arena.make("gone")

        def prepare() -> None:
            os.chdir(gone)
            Path(gone).rmdir()

        seen = arena.run(*argv, prepare=prepare, limit_s=60)
        arena.expect(len(seen.stderr.strip().splitlines()) == 1, f"more than a sentence: {seen.stderr[-300:]}")
        return check_refusal(seen, {3}, "no longer exists")


for each_verb, arguments in VERBS.items():
    in_no_folder(each_verb, arguments)
