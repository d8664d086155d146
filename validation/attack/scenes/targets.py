# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by targets and flags with values out of range: an error with a line, never a crash."""

from __future__ import annotations

from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.board import Board, good_cases, target_yaml
from validation.attack.scenes.reading import check, file_attack, look

LIMITS = {
    "timeout_endless": "{timeout_s: .inf}",
    "timeout_of_30000_years": "{timeout_s: 1e12}",
    "timeout_beyond_a_double": "{timeout_s: 1e400}",
    "timeout_not_a_number": "{timeout_s: .nan}",
    "timeout_negative": "{timeout_s: -1}",
    "timeout_zero": "{timeout_s: 0}",
    "timeout_text": "{timeout_s: soon}",
    "timeout_list": "{timeout_s: [1]}",
    "memory_endless": "{memory_mb: .inf}",
    "memory_beyond_64_bits": "{memory_mb: 99999999999999999999}",
    "memory_overflows_in_kb": "{memory_mb: 9223372036854775807}",
    "memory_negative": "{memory_mb: -5}",
    "disk_overflows_in_bytes": "{disk_mb: 9223372036854775807}",
}
for each, what in LIMITS.items():
    file_attack(
        f"target.{each}",
        lambda arena, board, what=what: board.target.write_text(target_yaml(["true"], limits=what)),
        "target.yaml",
        short=each.startswith("timeout_"),
    )
KEYS = {
    "hello_endless": "hello_timeout_s: .inf",
    "hello_not_a_number": "hello_timeout_s: .nan",
    "hello_of_30000_years": "hello_timeout_s: 1e12",
    "hello_negative": "hello_timeout_s: -1",
    "batch_zero": "batch: 0",
    "batch_beyond_64_bits": "batch: 1e30",
    "unknown_key": "nosuch: 1",
}
for each, what in KEYS.items():

    def add_key(arena: Arena, board: Board, what: str = what) -> None:
        text = (
            board.target.read_text().replace("batch: 1\n", "") if what.startswith("batch") else board.target.read_text()
        )
        board.target.write_text(f"{text}{what}\n")

    file_attack(f"target.{each}", add_key, "target.yaml")

DEVICES = {
    "recovery_endless": "{kind: mock, recover_timeout_s: .inf}",
    "recovery_of_30000_years": "{kind: mock, recover_timeout_s: 1e12}",
    "recovery_negative": "{kind: mock, recover_timeout_s: -1}",
    "device_is_text": "mock",
    "device_is_a_list": "[mock]",
}
for each, what in DEVICES.items():
    file_attack(
        f"target.{each}",
        lambda arena, board, what=what: board.target.write_text(target_yaml(["true"], device=what)),
        "target.yaml",
    )


def flag_attack(name: str, flag: str) -> None:
    @attack(f"flag.{name}", "a value that is none is refused with code 2, never a crash")
    def act(arena: Arena) -> str:
        return check(look(Board(arena, good_cases(1)), flag), frozenset({2}), None)


for each, what in {
    "hello_endless": "--hello-timeout-s=inf",
    "hello_not_a_number": "--hello-timeout-s=nan",
    "hello_of_30000_years": "--hello-timeout-s=1e12",
    "hello_negative": "--hello-timeout-s=-1",
    "jobs_zero": "--jobs=0",
    "jobs_beyond_an_int": "--jobs=99999999999",
    "retries_negative": "--retries=-1",
    "repeat_budget_endless": "--repeat-budget-ms=inf",
    "seed_text": "--seed=x",
}.items():
    flag_attack(each, what)
