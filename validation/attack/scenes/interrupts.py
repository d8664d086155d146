# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Parents that are killed or interrupted at any moment, and runs that resume from what they left."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path

from validation.attack import seed
from validation.attack.arena import Arena, Broken, Program
from validation.attack.attack import attack
from validation.attack.board import Board, Case, good_cases, target_yaml
from validation.attack.judge import Promise, Seen, judge
from validation.attack.scenes.check import check, check_refusal

NOTHING_LOST = "after kill -9 of the parent and a new start nothing is lost, nothing recorded twice, nothing left"


def recorded(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_and_resume(name: str, kills: int, short: bool, number: int = signal.SIGKILL) -> None:
    @attack(f"parent.{name}", NOTHING_LOST, short=short)
    def act(arena: Arena) -> str:
        draw = seed.generator(name)
        board = Board(arena, [Case(f"case_{i}", "target.execute: slow") for i in range(30)])
        counts = []
        for _ in range(kills):
            program = board.start("--jobs=2", "--resume")
            time.sleep(draw.uniform(0.1, 2.5))
            program.kill(number)
            seen = program.wait(30, out=board.out)
            breaches = judge(seen, Promise(codes={-number, 0, 128 + number}, complete=False, leaves_files=True))
            arena.expect(not breaches, "; ".join(breaches))
            counts.append(len(seen.results.cases))
        arena.expect(counts == sorted(counts), f"records became fewer: {counts}")
        seen = board.run("--jobs=2", "--resume", limit_s=120)
        return f"recorded {counts}, then {check(seen, Promise(good=board.ids()))}"


kill_and_resume("killed_twice", 2, short=True)
kill_and_resume("killed_six_times", 6, short=False)
kill_and_resume("terminated_four_times", 4, short=False, number=signal.SIGTERM)

# --- signals

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def wait_until_recorded(board: Board, program: Program) -> None:
    """Waits until some cases are recorded. Others are still running then."""
    program.until(lambda: recorded(board.out / "results.jsonl") > 3, 60)


def interrupted(number: signal.Signals, busy: str, short: bool) -> None:
    @attack(
        f"parent.{number.name.lower()}.{busy}", f"exit code {CODES[number]}, no process and no file left", short=short
    )
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(4) + [Case(f"case_{i}", f"target.execute: {busy}") for i in range(30)])
        program = board.start("--jobs=2")
        wait_until_recorded(board, program)
        program.kill(number)
        return check(program.wait(30, out=board.out), Promise(codes={CODES[number]}, complete=False))


for each in CODES:
    interrupted(each, "slow", short=each != signal.SIGHUP)
interrupted(signal.SIGTERM, "deaf", short=False)
interrupted(signal.SIGINT, "leaves_a_daemon", short=False)
interrupted(signal.SIGINT, "stops_itself", short=False)


@attack("parent.sigint_twice", "a second Ctrl-C does no harm: exit code 130, nothing left")
def sigint_twice(arena: Arena) -> str:
    board = Board(arena, good_cases(4) + [Case(f"case_{i}", "target.execute: slow") for i in range(30)])
    program = board.start("--jobs=2")
    wait_until_recorded(board, program)
    program.kill(signal.SIGINT)
    program.kill(signal.SIGINT)
    return check(program.wait(30, out=board.out), Promise(codes={130, -2}, complete=False))


@attack("parent.sigint_at_once", "a Ctrl-C before the first worker is there: exit code 130, nothing left")
def sigint_at_once(arena: Arena) -> str:
    codes = []
    for delay_ms in (1, 5, 10, 20, 40, 80, 160):
        board = Board(arena, [Case(f"case_{i}", "target.execute: slow") for i in range(4)], name=f"run{delay_ms}")
        program = board.start("--jobs=2")
        time.sleep(delay_ms / 1000)
        program.kill(signal.SIGINT)
        seen = program.wait(30, out=board.out)
        # Until main() has installed its handlers, the default action applies.
        breaches = judge(seen, Promise(codes={130, -2}, complete=False))
        arena.expect(not breaches, f"after {delay_ms} ms: {'; '.join(breaches)}")
        codes.append(seen.code)
    return f"exit codes {codes}"


def printed_command(text: str) -> list[str] | None:
    """The command that resumes a run, as a user would copy it."""
    candidates = [*re.findall(r"`([^`]+)`", text), *(line.split(": ", 1)[-1].strip() for line in text.splitlines())]
    for candidate in candidates:
        try:
            words = shlex.split(candidate)
        except ValueError:
            continue
        if words and Path(words[0]).name in ("opbyop", "conformance") and len(words) > 1:
            return words
    return None


def command_works(tool: str) -> None:
    @attack(
        f"parent.command_after_ctrl_c.{tool}",
        "the command that is printed after Ctrl-C resumes the run",
        short=True,
    )
    def act(arena: Arena) -> str:
        board = Board(arena, [Case(f"case_{i}", "target.execute: slow") for i in range(12)], name="a run")
        if tool == "opbyop":
            board.out = board.folder
            flags = [f"--reference-worker={board.reference}", "--baseline=none", "--jobs=2"]
            program = arena.start("opbyop", "run", board.folder, f"--target={board.target}", "--", *flags)
        else:
            program = board.start("--jobs=2")
        wait_until_recorded(board, program)
        program.kill(signal.SIGINT)
        first = program.wait(30, out=board.out)
        arena.expect(first.code == 130, f"exit code {first.code}, promised 130")
        words = printed_command(first.stderr)
        if words is None:
            raise Broken(f"no command is printed: {first.stderr.strip()[-200:]}")
        again: Seen = arena.start(words[0], *words[1:]).wait(120, out=board.out)
        seen = check(again, Promise(good=board.ids()))
        return f"`{Path(words[0]).name} {words[1]} …` went on from {len(first.results.cases)} to {seen}"


command_works("conformance")
command_works("opbyop")

# --- changes for which a resumed run is refused


def changed(name: str, change: Callable[[list[str]], str], *words: str) -> None:
    """`change` makes the target of the second run from the worker's argv."""

    @attack(f"resume.target_changed.{name}", "resume refuses and names what differs", short=name == "one_stage_more")
    def act(arena: Arena) -> str:
        board = Board(arena, [Case(f"case_{i}", "target.execute: slow") for i in range(12)])
        program = board.start("--jobs=2")
        wait_until_recorded(board, program)
        program.kill()
        before = program.wait(30, out=board.out)
        board.target.write_text(change([str(board.folder / "target")]))
        seen = board.run("--jobs=2", "--resume")
        said = check_refusal(seen, {2}, *words)
        arena.expect(len(seen.results.cases) >= len(before.results.cases), "records of the killed run are gone")
        return said


MORE, LESS = ("parse", "lower", "check", "load", "execute"), ("parse", "load", "execute")
OTHER = ("lower", "parse", "load", "execute")
changed("one_stage_more", lambda worker: target_yaml(worker, stages=MORE), "stage", "check")
changed("one_stage_less", lambda worker: target_yaml(worker, stages=LESS), "stage", "lower")
changed("stages_in_another_order", lambda worker: target_yaml(worker, stages=OTHER), "stage")
changed("another_flag", lambda worker: target_yaml(worker) + "flags: [--fast]\n", "flag", "definition", "argv")
changed("another_name", lambda worker: target_yaml(worker, name="other"), "target")


@attack(
    "resume.torn_at_any_byte",
    "a results file that is cut anywhere is resumed, or refused with a reason",
    short=False,
)
def torn(arena: Arena) -> str:
    board = Board(arena, good_cases(8))
    arena.expect(board.run("--jobs=2").code == 0, "the first run failed")
    path = board.out / "results.jsonl"
    whole, draw = path.read_bytes(), seed.generator("torn")
    for number in range(25):
        cut = draw.randrange(len(whole))
        path.write_bytes(whole[:cut])
        seen = board.run("--jobs=2", "--resume")
        if seen.code == 0:
            check(seen, Promise(good=board.ids()))
        elif cut > whole.index(b"\n"):
            raise Broken(f"cut {number} at byte {cut}: exit {seen.code}: {seen.stderr[-200:]}")
        else:
            check_refusal(seen, {2, 4}, "results.jsonl")
    return "25 cuts, each resumed"
