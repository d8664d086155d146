# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Workers that change modes of folders, fill them, or change other processes; memory that is too small for all."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from validation.attack import sandbox, traces
from validation.attack.arena import Arena, NotTried
from validation.attack.attack import attack
from validation.attack.board import Board, Case
from validation.attack.hostile.rights import MEGABYTE, MODES, TRIES
from validation.attack.judge import Promise
from validation.attack.scenes.check import ANY, check
from validation.attack.scenes.disk import small_disk

STAYS_ITS_OWN = "what a worker does to modes and folders makes no other case fail; nothing stays"
DEFAULT, WITHOUT_MOUNTS, WITHOUT_LANDLOCK = "default", "cgroup,landlock,seccomp", "cgroup,seccomp,mounts"
USES = "target.compile: uses_its_temporary_folder"
ENDS = (*ANY, "skipped", "inconclusive")
WORST = {("the_scratch", "closed"), ("its_slot", "closed")}


def environment(isolation: str) -> dict[str, str]:
    return {} if isolation == DEFAULT else {"OPBYOP_ISOLATION": isolation}


def cases(place: str, behaviour: str, good_lines: str, rounds: int = 6) -> list[Case]:
    """Two good cases after each attacked one."""
    lines = (f"{place}: {behaviour}", good_lines, "")
    names = ("attacked", "good", "good")
    return [Case(f"{names[i % 3]}_{i}", lines[i % 3]) for i in range(3 * rounds)]


def judged(board: Board, jobs: int, isolation: str, ends: tuple[str, ...]) -> str:
    seen = board.run(f"--jobs={jobs}", environment=environment(isolation), limit_s=120)
    attacked = {case: ends for case in board.ids() if case.startswith("attacked")}
    return check(seen, Promise(good=[case for case in board.ids() if case.startswith("good")], attacked=attacked))


def harms_only_itself(
    behaviour: str,
    place: str = "target.execute",
    isolation: str = DEFAULT,
    jobs: int = 3,
    short: bool = False,
) -> None:
    """If the machine or the run allows no mounts, the next case in the same slot must still be unaffected."""
    name = f"modes.{behaviour}.{place}" + ("" if isolation == DEFAULT else ".without_mounts")

    @attack(name, STAYS_ITS_OWN, short=short, short_by_user=short)
    def act(arena: Arena) -> str:
        if not sandbox.has_landlock():
            raise NotTried("this kernel has no Landlock")
        return judged(Board(arena, cases(place, behaviour, USES)), jobs if arena.private else 1, isolation, ENDS)


OWN = ("its_slot", "its_temporary_folder", "its_case", "the_scratch")
for word in MODES:
    for folder in (*OWN, "other_slots", "the_cases"):
        harms_only_itself(f"makes_{folder}_{word}", short=(folder, word) in WORST)
    for folder in OWN:
        harms_only_itself(f"makes_{folder}_{word}", isolation=WITHOUT_MOUNTS, jobs=1)
for each in ("makes_its_slot_closed", "makes_the_scratch_closed", "makes_its_case_without_writing"):
    for place in ("target.compile", "reference.inputs", "reference.compare"):
        harms_only_itself(each, place)
harms_only_itself("makes_the_results_closed")
for each in (
    "closes_all_that_is_made",
    "leaves_a_cache",
    "makes_immutable",
    "replaces_its_temporary_folder",
    "occupies_the_next_folders",
):
    harms_only_itself(each, short=each == "leaves_a_cache")
    harms_only_itself(each, "target.compile")
    harms_only_itself(each, isolation=WITHOUT_MOUNTS, jobs=1)


@attack("modes.leaves_megabytes_beside", "files that a worker leaves next to its case are gone before the next one")
def megabytes_beside(arena: Arena) -> str:
    if not arena.private:
        raise NotTried("no /dev/shm of its own is allowed here")
    board = Board(arena, cases("target.execute", "leaves_megabytes_beside", "", rounds=20))
    program = board.start("--jobs=2")
    largest = 0

    def look() -> bool:
        nonlocal largest
        memory = os.statvfs("/dev/shm")
        largest = max(largest, (memory.f_blocks - memory.f_bfree) * memory.f_frsize)
        return False

    program.until(look, 120)
    seen = program.wait(120, out=board.out)
    arena.expect(largest < 256 * MEGABYTE, f"{largest >> 20} MB lay in /dev/shm at a time")
    return check(seen, Promise(good=board.ids()))


@attack("modes.hides_megabytes", "files in memory count, whatever the mode of their folder is")
def hides_megabytes(arena: Arena) -> str:
    limits = "{timeout_s: 20, memory_mb: 128}"
    made = [Case("good_0"), Case("attacked_1", "target.execute: hides_megabytes"), Case("good_2")]
    board = Board(arena, made, limits=limits)
    seen = board.run("--jobs=1", limit_s=120)
    return check(seen, Promise(good=["good_0", "good_2"], attacked={"attacked_1": ("out_of_memory",)}))


@attack("modes.stale_caches_are_swept", "what killed runs left is gone after the next one, whatever its modes are")
def stale_caches(arena: Arena) -> str:
    board = Board(arena, [Case(f"case_{i}", "target.execute: closes_all_and_waits") for i in range(4)])
    program = board.start("--jobs=2", environment=environment(WITHOUT_MOUNTS))
    caches = lambda: [*Path("/dev/shm").glob("opbyop-*"), *arena.tmp.glob("opbyop-*")]  # noqa: E731
    arena.expect(program.until(lambda: any(not path.stat().st_mode & 0o700 for path in caches()), 60), "none was made")
    traces.kill_all(arena.tag)  # including its sweeper
    program.wait(30)
    left = len(caches())
    arena.expect(left > 0, "the kill left nothing: this attack proves nothing")
    other = Board(arena, [Case(f"good_{i}") for i in range(3)], name="next")
    seen = other.run("--jobs=2", limit_s=60)
    seen.files = [str(path) for path in caches()]
    return f"{left} folders after the kill, none after the next run; {check(seen, Promise(good=other.ids()))}"


# --- other processes

KEEPS_TO_ITSELF = "a worker changes no process but those that it started"


def keeps_to_itself(name: str, place: str, isolation: str, short: bool) -> None:
    ending = "" if isolation == DEFAULT else ".without_landlock"

    @attack(f"limits.tries_{name}_of_others.{place}{ending}", KEEPS_TO_ITSELF, short=short, short_by_user=short)
    def act(arena: Arena) -> str:
        if platform.machine() != "x86_64":
            raise NotTried("the numbers of the system calls are those of x86-64")
        if isolation == DEFAULT and not sandbox.has_landlock():
            raise NotTried("this kernel has no Landlock")
        board = Board(arena, cases(place, f"tries_{name}_of_others", "", rounds=2))
        return judged(board, 2, isolation, ("pass",))


for each in TRIES:
    keeps_to_itself(each, "target.execute", DEFAULT, short=each in ("limits", "oom_score"))
    keeps_to_itself(each, "target.execute", WITHOUT_LANDLOCK, short=False)
keeps_to_itself("limits", "reference.inputs", DEFAULT, short=False)


def harms_nobody(behaviour: str, isolation: str) -> None:
    ending = "" if isolation == DEFAULT else ".without_landlock"

    @attack(f"limits.{behaviour}{ending}", "no other case suffers from limits or signals that a worker sets")
    def act(arena: Arena) -> str:
        if isolation == DEFAULT and not sandbox.has_landlock():
            raise NotTried("this kernel has no Landlock")
        return judged(Board(arena, cases("target.execute", behaviour, "target.execute: slow")), 3, isolation, ("pass",))


for each in ("limits_others", "stops_others"):
    for means in (DEFAULT, WITHOUT_LANDLOCK):
        harms_nobody(each, means)

# --- a memory that is too small for all

NOBODY_IS_SHORT = "with a /dev/shm that is too small for all no case fails or is flaky"
TENSOR_ELEMENTS = 5 << 19  # 10 MB for each of its three files: one case fits into half of 64 MB


def small_memory(megabytes: int, behaviour: str, short: bool) -> None:
    @attack(f"memory.dev_shm_of_{megabytes}_mb.{behaviour}", NOBODY_IS_SHORT, short=short, short_by_user=short)
    def act(arena: Arena) -> str:
        small_disk(arena, Path("/dev/shm"), megabytes * MEGABYTE)
        lines = "" if behaviour == "large_tensors" else f"target.execute: {behaviour}"
        large = TENSOR_ELEMENTS if behaviour == "large_tensors" else 4
        made = [Case(f"case_{i}", lines if i % 2 else "", elements=large if i % 2 else 4) for i in range(16)]
        board = Board(arena, made)
        return check(board.run("--jobs=4", limit_s=180), Promise(good=board.ids()))


for size in (64, 96):
    for each in ("large_tensors", "writes_megabytes", "leaves_a_cache"):
        small_memory(size, each, short=(size, each) == (64, "large_tensors"))
