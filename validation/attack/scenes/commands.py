# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by command targets: processes that their stages start, things that they leave instead of a file, files of
others."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from validation.attack import sandbox, traces
from validation.attack.arena import Arena, NotTried
from validation.attack.attack import attack
from validation.attack.board import REAL_REFERENCE, Board, Case, good_cases
from validation.attack.judge import Promise
from validation.attack.scenes.check import ANY, check

GONE = "what a stage starts ends with it or with the parent, however it hides"
FAILS = "this is a fail of its case within the stage's limit, and nothing else"

# The scripts of a stage for attacked cases: $2 is the case's folder, $3 the file to leave.
HIDE = {
    "child": "sleep 100 &",
    "session": "setsid sleep 100 &",
    "deaf_session": "(trap '' TERM HUP INT; setsid sh -c 'sleep 100; true' &)",
    "double_fork": "(setsid sh -c 'sleep 100 & exit' &)",
    "closed_pipes": "setsid sh -c 'sleep 100' <&- >&- 2>&- &",
    "stopped": "setsid sh -c 'kill -STOP $$; sleep 100' &",
    "many": "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do setsid sleep 100 & done",
}
LEAVE = {
    "fifo": "mkfifo $3",
    "link_to_a_file": "ln -s /etc/passwd $3",
    "link_to_zeros": "ln -s /dev/zero $3",
    "link_to_its_input": "ln -s $2/input_0.npy $3",
    "link_to_itself": "ln -s $3 $3",
    "device": "mknod $3 c 1 5",
    "block_device": "mknod $3 b 7 200",
    "folder": "mkdir $3",
    "terabyte": "truncate -s 1T $3",
    "socket": "python3 -S -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' $3",
    "nothing": "true",
    "empty": ": > $3",
}
HARMLESS_TO_COMPILE = {"link_to_a_file", "link_to_its_input"}  # a compiler may return a file of its cache
NEST = "import os, sys; os.chdir(sys.argv[1]); [(os.mkdir(50 * 'd'), os.chdir(50 * 'd')) for _ in range(5000)]"
WRECK = {
    "own_folder_deleted": "rm -rf $2",
    "own_folder_unreadable": "chmod 0 $2",
    "own_folder_a_link": "rm -rf $2; ln -s /etc $2",
    "log_of_200_mb": "yes | head -c 200000000",
    "ten_thousand_files": "i=0; while [ $i -lt 10000 ]; do : > $2/f$i; i=$((i+1)); done",
    "deep_folders": "cd $2; i=0; while [ $i -lt 500 ]; do mkdir d && cd d; i=$((i+1)); done",
    "five_thousand_nested_folders": f'python3 -S -c "{NEST}" $2',
}


def stage_script(arena: Arena, name: str, attack_on: str, script: str, then_good: bool) -> Path:
    """compile copies the case; execute copies input 0 to output 0. The attacked stage does more for attacked cases."""
    good = 'cp "$4" "$3"'
    bad = f"{script}\n{good}" if then_good else script
    arm = f'case "$1-$5" in attacked*-{attack_on}) {bad}\n;; *) {good};; esac\n'
    return arena.write(f"{name}.sh", f"#!/bin/sh\n{arm}")


def board_of(
    arena: Arena, attack_on: str, script: str, then_good: bool, cases: list[Case], timeout_s: int = 30
) -> Board:
    path = stage_script(arena, "stage", attack_on, script, then_good)
    arguments = {
        "compile": '"{case}", "{dir}", "{output}", "{input}", compile',
        "execute": '"{case}", "{dir}", "{dir}/output_0.npy", "{dir}/input_0.npy", execute',
    }
    stages = "".join(
        f"  - {{name: {stage}, timeout_s: {timeout_s}, command: [sh, '{path}', {arguments[stage]}]}}\n"
        + "  - {name: load}\n" * (stage == "compile")
        for stage in ("compile", "execute")
    )
    target = (
        "schema: opbyop-target/1\nname: commands\nworker: ['{bin}/opbyop-worker', '--target={file}']\n"
        f"device: {{kind: command, parallel: true}}\nlimits: {{memory_mb: 2048, disk_mb: 64}}\nstages:\n{stages}"
    )
    return Board(arena, cases, target=target, reference=REAL_REFERENCE)


def cases() -> list[Case]:
    return [*good_cases(2), Case("attacked_0"), *good_cases(1, 2), Case("attacked_1"), *good_cases(2, 3)]


GOOD = [case.id for case in good_cases(5)]
ATTACKED = ("attacked_0", "attacked_1")


def hides(name: str, script: str, stage: str, short: bool) -> None:
    @attack(f"command.leaves_{name}.{stage}", GONE, short=short)
    def act(arena: Arena) -> str:
        seen = board_of(arena, stage, script, True, cases()).run("--jobs=2", limit_s=120)
        return check(seen, Promise(good=[*GOOD, *ATTACKED]))


def survives(name: str, script: str, number: signal.Signals, isolation: str, short: bool) -> None:
    """`isolation` lists the kernel features that the harness may use; without any, it can only supervise."""

    @attack(f"command.{number.name.lower()}_of_the_parent.{name}.{isolation}", GONE, short=short)
    def act(arena: Arena) -> str:
        board = board_of(arena, "execute", f"{script}\nsleep 100", True, [Case("attacked_0"), Case("attacked_1")], 90)
        environment = {} if isolation == "default" else {"OPBYOP_ISOLATION": isolation}
        program = board.start("--jobs=2", environment=environment)
        started = program.until(lambda: sum("sleep 100" in p.command for p in traces.processes(arena.tag)) >= 2, 60)
        arena.expect(started, "the stage did not start")
        time.sleep(0.3)
        program.kill(number)
        seen = program.wait(30, out=board.out)
        code = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[number]
        return check(seen, Promise(codes={code}, complete=False, leaves_files=number == signal.SIGKILL))


def leaves(name: str, script: str, stage: str, short: bool) -> None:
    @attack(f"command.output_is_{name}.{stage}", FAILS, short=short)
    def act(arena: Arena) -> str:
        seen = board_of(arena, stage, script, False, cases()).run("--jobs=2", limit_s=120)
        return check(seen, Promise(good=GOOD, attacked=dict.fromkeys(ATTACKED, ("fail",))))


def wrecks(name: str, script: str, stage: str) -> None:
    short = (name, stage) == ("five_thousand_nested_folders", "execute")

    @attack(f"command.{name}.{stage}", "no other case suffers, nothing stays", short=short)
    def act(arena: Arena) -> str:
        seen = board_of(arena, stage, script, True, cases()).run("--jobs=2", limit_s=180)
        return check(seen, Promise(good=GOOD, attacked=dict.fromkeys(ATTACKED, ANY)))


for stage in ("compile", "execute"):
    for each, what in HIDE.items():
        hides(each, what, stage, short=(each, stage) == ("double_fork", "execute"))
    for each, what in LEAVE.items():
        if stage == "compile" and each in HARMLESS_TO_COMPILE:
            continue
        leaves(each, what, stage, short=each in ("fifo", "terabyte") or (each, stage) == ("link_to_zeros", "execute"))
    for each, what in WRECK.items():
        wrecks(each, what, stage)
for each, what in HIDE.items():
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        is_worst = each in ("child", "double_fork") and number == signal.SIGKILL
        survives(each, what, number, "default", short=is_worst)
        survives(each, what, number, "none", short=is_worst and each == "double_fork")

# --- folders of other cases

OTHERS = "a worker that deletes or writes other cases' folders makes no other case fail"


def touches(behaviour: str, short: bool) -> None:
    @attack(f"folders.{behaviour}", OTHERS, short=short)
    def act(arena: Arena) -> str:
        if not sandbox.has_landlock():
            raise NotTried("this kernel has no Landlock")
        lines = [f"target.execute: {behaviour}"] + ["target.execute: slow"] * 3
        board = Board(arena, [Case(f"{'attacked' if i % 4 == 0 else 'good'}_{i}", lines[i % 4]) for i in range(32)])
        seen = board.run("--jobs=4", limit_s=120)
        attacked = [case for case in board.ids() if case.startswith("attacked")]
        good = [case for case in board.ids() if case.startswith("good")]
        return check(seen, Promise(good=good, attacked=dict.fromkeys(attacked, ANY)))


touches("deletes_the_folders_of_others", short=True)
touches("writes_to_the_folders_of_others", short=True)
touches("deletes_the_results", short=False)
touches("changes_the_cases", short=False)
