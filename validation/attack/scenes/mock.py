# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Every misbehaviour of fixtures/mock, at each stage of the target and of the reference: alone, in a batch, twice."""

from __future__ import annotations

import subprocess

from validation.attack.arena import Arena
from validation.attack.attack import SCENES
from validation.attack.board import MOCK, Board, Case, target_yaml
from validation.attack.matrix import ALONE, BATCH, TWICE, Arrangement, allowed_in_reference, packs
from validation.attack.pack import Member, OpenBoard

TARGET_STAGES = ("parse", "lower", "load", "execute")
REFERENCE_STAGES = ("inputs", "compare")
CRASH, TIMEOUT = frozenset({"crash"}), frozenset({"timeout"})
AFTER_ITS_ANSWER = frozenset({"pass", "crash", "fail", "flaky"})  # the answer counts, or the next request fails
PROVES_NOTHING = frozenset({"mistrusted", "inconclusive"})
ANY_BUT_PASS = (
    frozenset({"fail", "crash", "timeout", "out_of_memory", "unsupported", "skipped", "flaky"}) | PROVES_NOTHING
)

# The allowed statuses of each, in any place; EXCEPT has the places with others.
ENDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("pass", "flood_out", "flood_err", "leave_child", "leave_daemon", "leave_thief", "share_memory"),
        frozenset({"pass"}),
    ),
    **dict.fromkeys(("fail", "wrong_result"), frozenset({"fail"})),
    "no_comparison": PROVES_NOTHING,
    **dict.fromkeys(("segfault", "abort", "assertion", "exit", "flood_segfault", "leave_segfault"), CRASH),
    **dict.fromkeys(("partial_reply", "garbage", "huge_prefix", "stale_reply"), CRASH),
    **dict.fromkeys(("hang", "hang_deaf"), TIMEOUT),
    **dict.fromkeys(
        ("second_hello", "float_id", "deep_nesting", "many_values", "binary_log", "forbidden_status"), CRASH
    ),
    **dict.fromkeys(("long_stage_name", "undeclared_stage", "nested_begin"), CRASH),
    **dict.fromkeys(("long_diagnostic", "bad_utf8", "control_characters"), CRASH | {"fail"}),
    **dict.fromkeys(("second_done", "exit_after_done", "killed_after_done", "spurn_next"), AFTER_ITS_ANSWER),
    **dict.fromkeys(("silly_bytes", "silly_timing", "many_worst"), AFTER_ITS_ANSWER),
    "never_reads": AFTER_ITS_ANSWER | TIMEOUT,
    "never_done": TIMEOUT,
    "endless_stages": CRASH | TIMEOUT,
    "close_replies": CRASH | TIMEOUT,
    "die_idle": frozenset({"pass", "crash", "flaky", "fail"}),  # fail: it is found to make the next case fail
    "flaky": frozenset({"flaky"}),
    "memory_bomb": frozenset({"out_of_memory", "crash"}),
    # Each of them alone affects no other case; in a run of both, the first may make the second fail.
    "poison": frozenset({"pass", "fail"}),
    "poison_and_fail": frozenset({"fail"}),
    "dies_of_poison": frozenset({"pass", "flaky"}),
    "no_stage_end": frozenset({"crash", "fail"}),
    "skip_stage": frozenset({"fail", "crash"}),
    "unsupported": frozenset({"unsupported"}),
    "zero": PROVES_NOTHING,
}
# Outcomes that do not depend on the stage of the target, and a verdict of the reference.
EXCEPT = {
    **{("wrong_result", stage): frozenset({"fail"}) for stage in REFERENCE_STAGES},
    **{
        (name, "compare"): frozenset({"fail", "inconclusive"})
        for name in ("fail", "poison_and_fail", "long_diagnostic", "bad_utf8", "control_characters")
    },
}
# They affect the next request, or a later one by chance: a corrupt heap crashes at any time.
LATE = {"corrupt", "second_done", "die_idle"}
WAITS = {"hang", "hang_deaf", "close_replies", "never_reads", "never_done", "endless_stages"}
WAITS |= {"daemon_hang", "file_memory"}
# The reference's memory limit is more than a shared machine can spare; scenes/memory.py limits it in another way.
NOT_HERE = {(name, stage) for name in ("memory_bomb", "daemon_memory") for stage in REFERENCE_STAGES}
# A worker that answered the last request of its case and stops reading delays the next case, whichever it is.
NOT_HERE |= {("never_reads", stage) for stage in ("load", "execute", "compare")}
SHORT = {
    f"mock.{name}"
    for name in (
        *("segfault.lower.alone", "exit.execute.alone", "garbage.parse.alone", "stale_reply.load.alone"),
        *("leave_daemon.execute.alone", "leave_segfault.lower.batch", "partial_reply.execute.batch"),
        *("flaky.execute.alone", "die_idle.lower.alone", "die_idle.execute.twice", "segfault.inputs.alone"),
        *("abort.compare.alone", "die_idle.inputs.alone", "die_idle.compare.alone", "huge_prefix.compare.twice"),
        *("no_stage_end.lower.alone", "skip_stage.execute.batch", "hang.lower.alone", "hang_deaf.execute.alone"),
        *(
            "memory_bomb.execute.alone",
            "unsupported.compare.alone",
            "wrong_result.execute.batch",
            "close_replies.lower.alone",
        ),
    )
}


def behaviours() -> list[str]:
    """The misbehaviours that the mock of this build has."""
    done = subprocess.run([MOCK, "--list"], capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.split()


def member(name: str, stage: str, arrangement: Arrangement) -> Member:
    ends = EXCEPT.get((name, stage), ENDS.get(name, ANY_BUT_PASS | {"pass"}))
    if name in ENDS and (name, stage) not in EXCEPT and stage in REFERENCE_STAGES:
        ends = allowed_in_reference(stage, ends)
    if name == "flaky" and arrangement is BATCH:
        ends |= {"pass"}  # the module of several cases died, and which of them was to blame is not known
    full_name = f"mock.{name}.{stage}.{arrangement.name}"
    return Member(full_name, f"behaviour: {name}\nstage: {stage}\nelements: 4", ends, arrangement.cases)


def board_of(arrangement: Arrangement, timeout_s: int) -> OpenBoard:
    def open_board(arena: Arena, cases: list[Case]) -> Board:
        limits = f"{{timeout_s: {timeout_s}, memory_mb: 256}}"
        target = target_yaml([MOCK, "--target"], "mock", arrangement.batch, limits, markers=arena.markers)
        return Board(arena, cases, target=target, reference=MOCK)

    return open_board


def enter(arrangement: Arrangement) -> None:
    groups: dict[tuple[bool, bool, bool], list[Member]] = {}
    for name in behaviours():
        stages = TARGET_STAGES if arrangement is BATCH else TARGET_STAGES + REFERENCE_STAGES
        for stage in stages:
            if (name, stage) not in NOT_HERE:
                key = (name in WAITS, stage in REFERENCE_STAGES, name in LATE)
                groups.setdefault(key, []).append(member(name, stage, arrangement))
    for (waits, of_reference, late), members in groups.items():
        slow = waits and of_reference
        limit_s, retries = (300, 0) if slow else (150, 1)
        SCENES.extend(
            packs(members, board_of(arrangement, 3 if waits else 40), SHORT, waits, late, "", retries, limit_s)
        )


for each in (ALONE, BATCH, TWICE):
    enter(each)
