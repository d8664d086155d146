# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Answers that are wrong once, devices that do not recover, folders that still hold the last run's output."""

from __future__ import annotations

from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.board import REAL_REFERENCE, Board, Case, good_cases
from validation.attack.judge import Promise, judge
from validation.attack.scenes.check import check, check_refusal

FLAKY = "what goes wrong the first time and right the second is flaky, never a pass and never a fail"


def flaky(
    name: str, lines: str, batch: int = 1, real: bool = False, ends: tuple[str, ...] = ("flaky",), short: bool = False
) -> None:
    @attack(f"verdict.{name}", FLAKY, short=short)
    def act(arena: Arena) -> str:
        attacked = [Case(f"attacked_{i}", lines) for i in range(2)]
        cases = [*good_cases(2), attacked[0], *good_cases(3, 2), attacked[1], *good_cases(1, 5)]
        reference = REAL_REFERENCE if real else None
        seen = Board(arena, cases, reference=reference, batch=batch).run("--jobs=2", limit_s=120)
        good = [case.id for case in cases if not case.lines]
        return check(seen, Promise(good=good, attacked=dict.fromkeys([case.id for case in attacked], ends)))


flaky("wrong_once", "target.execute: wrong_output *1", short=True)
flaky("wrong_once.real_reference", "target.execute: wrong_output *1", real=True)
flaky("no_output_once", "target.execute: no_output *1", real=True)
flaky("refused_once", "reference.compare: refuses_the_output *1", short=True)
flaky("wrong_always", "target.execute: wrong_output", ends=("fail",), short=True)
flaky("wrong_once_in_a_batch", "target.execute: wrong_output *1", batch=4, short=True)
flaky("failed_once_in_a_batch", "target.execute: fails *1", batch=4, short=True)
flaky("died_once_in_a_batch", "target.execute: dies_of_sigsegv *1", batch=4, short=True)
flaky("refused_once_in_a_batch", "reference.compare: refuses_the_output *1", batch=4)
flaky("wrong_always_in_a_batch", "target.execute: wrong_output", batch=4, ends=("fail",))
flaky("died_always_in_a_batch", "target.execute: dies_of_sigsegv", batch=4, ends=("crash",))

# --- the device's health

STOPS = "a device whose health check fails stops the run with exit code 6; what was recorded stays"


def unhealthy(name: str, device: str, behaviour: str = "dies_of_sigsegv", short: bool = False) -> None:
    @attack(f"device.{name}", STOPS, short=short)
    def act(arena: Arena) -> str:
        cases = [*good_cases(2), Case("attacked", f"target.execute: {behaviour}"), *good_cases(30, 2)]
        device = f"{{kind: mock, parallel: true, recover_timeout_s: 2, {device_keys}}}"
        limits = "{timeout_s: 4, memory_mb: 512}"
        board = Board(arena, cases, device=device, limits=limits)
        # Next to another slot: how many of that slot's cases end before the crash is known depends on its speed.
        said = check_refusal(board.run("--jobs=2", limit_s=120), {6}, "device")
        alone = board.run("--jobs=1", "--fresh", limit_s=120)
        check_refusal(alone, {6}, "device")
        arena.expect(len(alone.results.cases) == 3, f"{len(alone.results.cases)} cases were run, promised 3")
        return f"{said}; alone {len(alone.results.cases)} recorded"

    device_keys = device


unhealthy("health_fails_after_a_crash", "health: ['false']", short=True)
unhealthy("health_fails_after_a_timeout", "health: ['false']", behaviour="no_end_of_stage")
unhealthy("recovery_fails", "recover: ['false']")
unhealthy("recovery_hangs", "recover: [sleep, '60']")
unhealthy("health_hangs_and_leaves_a_daemon", "health: [sh, -c, 'setsid sleep 60 & sleep 60']")
unhealthy("health_is_no_program", "health: [/no/such/program]")


@attack("device.health_holds", "a device that is well after a crash goes on; nothing of its checks stays")
def healthy(arena: Arena) -> str:
    cases = [*good_cases(2), Case("attacked", "target.execute: dies_of_sigsegv"), *good_cases(6, 2)]
    device = "{kind: mock, parallel: true, recover: [sh, -c, 'setsid sleep 60 &'], health: ['true']}"
    seen = Board(arena, cases, device=device).run("--jobs=2", limit_s=120)
    return check(seen, Promise(good=[case.id for case in cases if not case.lines], attacked={"attacked": ("crash",)}))


# --- files of an earlier run

EMPTY = "what the last run left in a kept folder is never taken for this run's"


def set_lines(arena: Arena, board: Board, lines: str) -> None:
    for case in board.cases:
        case.lines = lines
        arena.write(f"{board.folder.name}/cases/{case.id}.mlir", case.text())


def kept(
    name: str, lines: str, real: bool, short: bool, ends: tuple[str, ...] = ("fail", "crash"), code: int = 1
) -> None:
    @attack(f"keep.{name}", EMPTY, short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(2), reference=REAL_REFERENCE if real else None)
        flags = ("--jobs=1", f"--keep={arena.folder / 'kept'}")
        check(board.run(*flags, limit_s=60), Promise(good=board.ids()))
        set_lines(arena, board, lines)
        seen = board.run(*flags, limit_s=60)
        if "pass" in seen.results.ends().values():
            raise Broken(f"a device that wrote nothing is {seen.results.ends()}")
        return check(seen, Promise(codes=(code,), attacked=dict.fromkeys(board.ids(), ends)))


kept("no_output", "target.execute: no_output", real=False, short=True)
kept("no_output.real_reference", "target.execute: no_output", real=True, short=False)
kept("no_inputs", "reference.inputs: done_without_stages", real=False, short=False, ends=("skipped",), code=8)


@attack("keep.link_in_the_folder", "a kept folder that is a link to elsewhere destroys nothing there")
def keep_link(arena: Arena) -> str:
    board = Board(arena, good_cases(1))
    precious = arena.write("precious/file", "precious")
    arena.make("kept")
    (arena.folder / "kept/good_0").symlink_to(precious.parent)
    seen = board.run("--jobs=1", f"--keep={arena.folder / 'kept'}", limit_s=60)
    arena.expect(precious.exists(), f"exit {seen.code}: a file outside of the folder is gone")
    return f"exit {seen.code}; the file is there"


@attack("repro.no_output", EMPTY, short=True)
def repro(arena: Arena) -> str:
    board = Board(arena, good_cases(1), reference=REAL_REFERENCE)
    flags = ["repro", "good_0", f"--run={board.folder}", f"--target={board.target}", "-o", arena.folder / "repro"]
    first = arena.run("opbyop", *flags)
    arena.expect(first.code == 0, f"the first repro: exit {first.code}: {(first.stdout + first.stderr)[-200:]}")
    set_lines(arena, board, "target.execute: no_output")
    seen = arena.run("opbyop", *flags)
    breaches = judge(seen, Promise(codes={1}, complete=False))
    arena.expect(not breaches, f"after a device that wrote nothing: {'; '.join(breaches)}")
    return f"exit {first.code}, then {seen.code}"
