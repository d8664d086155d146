# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Workers that die while another works, are killed at random, or cannot be started again; large requests."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from validation.attack import seed, traces
from validation.attack.arena import Arena, Program
from validation.attack.attack import attack
from validation.attack.board import MOCK, Board, Case, good_cases, target_yaml
from validation.attack.hostile import greetings
from validation.attack.judge import Promise
from validation.attack.scenes.check import ANY, ANY_OF_BOTH, ANY_OF_REFERENCE, check, check_refusal

KILLS_PER_S = 8
NO_WORKERS = {"conformance", "opbyop", "git"}  # processes of a parent other than its workers
SAYS_WHY = "an honest error: a documented exit code and a sentence that says why"


# --- a death while the other worker works

DEATHS = {
    "target_leaves_while_reference_draws": "target.compile: exits_after_its_answer\nreference.inputs: slow",
    "target_dies_while_reference_draws": "target.compile: dies_soon_after_its_answer\nreference.inputs: slow",
    "reference_leaves_while_target_compiles": "reference.inputs: exits_after_its_answer\ntarget.compile: slow",
    "reference_dies_while_target_executes": "reference.inputs: dies_soon_after_its_answer\ntarget.execute: slow",
    "both_die_at_once": "target.compile: exits_with_0\nreference.inputs: exits_with_0",
    "both_are_killed": "target.compile: kills_itself\nreference.inputs: kills_itself",
    "both_answer_twice": "target.compile: second_done\nreference.inputs: second_done",
    "every_verb_answers_twice": "\n".join(
        f"{place}: second_done"
        for place in ("target.compile", "target.execute", "reference.inputs", "reference.compare")
    ),
}


def death(name: str, lines: str) -> None:
    @attack(f"workers.{name}", "the parent lives, the case is recorded, no other is lost", short=True)
    def act(arena: Arena) -> str:
        attacked = [Case(f"attacked_{i}", lines) for i in range(4)]
        cases = [case for i in range(4) for case in (attacked[i], *good_cases(1, i))]
        seen = Board(arena, cases).run("--jobs=2", limit_s=120)
        good = [case.id for case in cases if not case.lines]
        return check(seen, Promise(good=good, attacked=dict.fromkeys([c.id for c in attacked], ANY_OF_BOTH)))


for each, what in DEATHS.items():
    death(each, what)


# --- random kills


def is_of(worker: traces.Process, role: str) -> bool:
    """Whether it is the `target`, the `reference`, `any` of the two, or the `supervisor`: the process between the
    parent and a worker."""
    program = Path(worker.command.split(" ")[0]).name
    if program == "opbyop-supervisor":
        return role == "supervisor"
    if program in NO_WORKERS:
        return False
    own = "reference" if "--reference" in worker.command else "target"
    return role in (own, "any")


def kill_workers(program: Program, seconds: float, role: str) -> int:
    """Kills a random worker of this role several times a second; returns the number of kills."""
    draw = seed.generator(f"kill {role}")
    kills, until = 0, time.monotonic() + seconds
    while program.alive() and time.monotonic() < until:
        workers = [worker for worker in program.workers() if is_of(worker, role)]
        if workers:
            traces.kill([draw.choice(workers)])
            kills += 1
        time.sleep(1 / KILLS_PER_S)
    return kills


def random_kills(role: str, seconds: int, short: bool) -> None:
    name = f"workers.killed_at_random.{role}.{seconds}_s"
    promised = f"with {KILLS_PER_S} random kills a second every case is recorded, exactly once"

    @attack(name, promised, short=short)
    def act(arena: Arena) -> str:
        # The mock starts in milliseconds, so that the test shows how the harness recovers, not how slowly Python
        # starts.
        work = "behaviour: pass\nstage: execute\nelements: 4\nms: 300"
        cases = [Case(f"case_{i}", work, prefix="") for i in range(8 * seconds)]
        board = Board(arena, cases, target=target_yaml([MOCK, "--target"]), reference=MOCK)
        program = board.start("--jobs=4")
        program.until((board.out / "results.jsonl").exists)
        kills = kill_workers(program, seconds, role)
        seen = program.wait(240, out=arena.folder / "run/out")
        ends = ANY_OF_REFERENCE if role == "reference" else ANY_OF_BOTH
        return f"{kills} kills: " + check(seen, Promise(attacked=dict.fromkeys([c.id for c in cases], ends)))


for each in ("target", "reference", "any"):
    random_kills(each, 30, short=False)
random_kills("any", 6, short=True)
random_kills("supervisor", 8, short=False)


@attack("workers.all_stopped", "workers that are stopped from outside time out; the run ends", short=False)
def all_stopped(arena: Arena) -> str:
    cases = [Case(f"case_{i}", "target.execute: slow") for i in range(12)]
    board = Board(arena, cases, limits="{timeout_s: 3, memory_mb: 512}")
    program = board.start("--jobs=4")
    program.until((board.out / "results.jsonl").exists)
    stopped = [worker for worker in program.workers() if is_of(worker, "target")]
    for worker in stopped:
        os.kill(worker.pid, signal.SIGSTOP)
    seen = program.wait(120, out=board.out)
    return f"{len(stopped)} stopped: " + check(seen, Promise(attacked=dict.fromkeys(board.ids(), ANY)))


# --- workers that do not start


@attack("workers.starts_fail_for_a_while", "a slot that is lost is started again; every case is recorded", short=True)
def starts_fail_for_a_while(arena: Arena) -> str:
    cases = [Case(f"dies_{i}", "target.execute: exits_with_255") for i in range(6)] + good_cases(6)
    seen = Board(arena, cases, target_hello="gone_for_a_while").run("--jobs=2", limit_s=120)
    good = [case.id for case in cases if not case.lines]
    return check(seen, Promise(good=good, attacked={case.id: ANY for case in cases if case.lines}))


@attack("workers.starts_fail_for_good", f"the limit of new starts ends the run: {SAYS_WHY}", short=True)
def starts_fail_for_good(arena: Arena) -> str:
    cases = [Case(f"dies_{i}", "target.execute: exits_with_255") for i in range(6)] + good_cases(20)
    seen = Board(arena, cases, target_hello="gone_for_good").run("--jobs=2", limit_s=120)
    return check_refusal(seen, {1, 3, 4, 6}, "libfoo.so")


# The exit codes of a run with each greeting; the default is an error.
GREETINGS = {"long_version": {0, 4}, "long_name": {0, 4}, "many_cores": {0, 4}}
GREETS_WELL = {"good", "gone_for_a_while", "gone_for_good", "never_reads", "of_a_version"}


def greeting(name: str, role: str) -> None:
    @attack(f"greeting.{name}.{role}", SAYS_WHY, short=role == "target" and name in ("exits", "nested", "floods"))
    def act(arena: Arena) -> str:
        hello = {"target": {"target_hello": name}, "reference": {"reference_hello": name}}[role]
        board = Board(arena, good_cases(3), **hello)
        seen = board.run("--jobs=1", "--hello-timeout-s=4", limit_s=60)
        # The second greeting comes after the first was accepted. If the reference sends it, the target is not to blame.
        if name == "twice" and seen.code == 1:
            return check(seen, Promise(attacked=dict.fromkeys(board.ids(), ("crash", "flaky", "pass"))))
        if name == "twice" and role == "reference" and seen.code == 8:
            ends = ("inconclusive", "pass", "skipped")
            return check(seen, Promise(codes={8}, attacked=dict.fromkeys(board.ids(), ends)))
        if seen.code == 0:
            return check(seen, Promise(codes=GREETINGS.get(name, (0,) if name == "twice" else ()), good=board.ids()))
        return check_refusal(seen, GREETINGS.get(name, {3, 4, 5}), "worker")


for each in greetings.TABLE.keys() - GREETS_WELL:
    for side in ("target", "reference"):
        greeting(each, side)


@attack("workers.program_is_absent", SAYS_WHY)
def program_is_absent(arena: Arena) -> str:
    board = Board(arena, good_cases(2), reference=str(arena.folder / "no/such/worker"))
    return check_refusal(board.run(), {3, 4}, "no/such/worker")


@attack("workers.program_is_no_program", SAYS_WHY)
def program_is_no_program(arena: Arena) -> str:
    path = arena.write("text", "this is no program")
    return check_refusal(Board(arena, good_cases(2), reference=str(path)).run(), {3, 4}, str(path))


# --- large requests


@attack("requests.five_thousand_arguments", "a case of 5,000 arguments arrives and passes", short=True)
def five_thousand_arguments(arena: Arena) -> str:
    cases = [*good_cases(1), Case("wide", inputs=5000), *good_cases(1, 1)]
    board = Board(arena, cases)
    return check(board.run("--jobs=1", limit_s=120), Promise(good=board.ids()))


@attack("requests.batch_of_a_thousand", "a batch of 1,000 cases with long names arrives, and all pass")
def batch_of_a_thousand(arena: Arena) -> str:
    board = Board(arena, [Case(f"case_{i}_{'x' * 150}") for i in range(1000)], batch=1000)
    return check(board.run("--jobs=1", limit_s=240), Promise(good=board.ids()))


@attack("requests.not_read", "a large request that the worker does not read is a timeout of its stage", short=True)
def not_read(arena: Arena) -> str:
    limits = "{timeout_s: 2, memory_mb: 512}"
    board = Board(arena, [Case("wide", inputs=5000)], target_hello="never_reads", limits=limits)
    seen = board.run("--jobs=1", "--retries=0", limit_s=60)
    return check(seen, Promise(attacked={"wide": ("timeout", "crash")}))
