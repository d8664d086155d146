# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Cases that pass and make later ones fail, and workers that are replaced during the run."""

from __future__ import annotations

from typing import Any

from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.board import Board, Case, good_cases
from validation.attack.judge import Promise, Seen
from validation.attack.scenes.check import ANY, check

NAMED = "the case that makes another fail is red, both records name each other, and no third case suffers"
SPOILER, VICTIM = "spoiler", "victim"
BOTH = {SPOILER: ("fail",), VICTIM: ("flaky",)}


def record_of(seen: Seen, case: str) -> dict[str, Any]:
    return next(record for record in seen.results.cases if record["case"] == case)


def name_each_other(arena: Arena, seen: Seen) -> None:
    victim, spoiler = record_of(seen, VICTIM), record_of(seen, SPOILER)
    arena.expect(victim.get("spoiled_by") == SPOILER, f"the victim says: {victim.get('diagnostic')}")
    arena.expect(spoiler.get("spoils") == [VICTIM], f"the spoiler says: {spoiler.get('diagnostic')}")
    arena.expect(SPOILER in seen.stdout + seen.stderr, "the terminal does not name the spoiler")


def cases(spoiler: str, victim: str, between: int = 3) -> list[Case]:
    return [
        *good_cases(3),
        Case(SPOILER, spoiler),
        *good_cases(between, 3),
        Case(VICTIM, victim),
        *good_cases(2, 3 + between),
    ]


def good(board: Board) -> list[str]:
    return [case.id for case in board.cases if case.id.startswith("good")]


def spoils(name: str, spoiler: str, victim: str, between: int = 3, batch: int = 1, short: bool = False) -> None:
    @attack(f"spoils.{name}", NAMED, short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, cases(spoiler, victim, between), batch=batch, limits="{timeout_s: 20, memory_mb: 512}")
        seen = board.run("--jobs=1", limit_s=300)
        said = check(seen, Promise(codes={1}, good=good(board), attacked=BOTH))
        name_each_other(arena, seen)
        report = arena.run("conformance", f"--report={board.out / 'results.jsonl'}", "--baseline=none", limit_s=60)
        arena.expect(report.code in (0, 1), f"its report ends with {report.code}: {report.stderr[-200:]}")
        return said


spoils("execute", "target.execute: spoils", "target.execute: dies_if_spoiled", short=True)
spoils("execute_then_compile", "target.execute: spoils", "target.compile: dies_if_spoiled")
spoils("compile_then_execute", "target.compile: spoils", "target.execute: dies_if_spoiled")
spoils("wrong_numbers", "target.execute: spoils", "target.execute: is_wrong_if_spoiled")
spoils("next_to_it", "target.execute: spoils", "target.execute: dies_if_spoiled", between=0)
spoils("far_before", "target.execute: spoils", "target.execute: dies_if_spoiled", between=40)
spoils("directory", "target.execute: changes_its_directory", "target.execute: needs_its_directory")
spoils("in_a_batch", "target.execute: spoils", "target.execute: dies_if_spoiled", between=2, batch=8)


@attack("spoils.resumed", "a run that is resumed stays red, and its cases stay what they are", short=True)
def resumed(arena: Arena) -> str:
    board = Board(arena, cases("target.execute: spoils", "target.execute: dies_if_spoiled"))
    promise = Promise(codes={1}, good=good(board), attacked=BOTH)
    check(board.run("--jobs=1", limit_s=200), promise)
    seen = board.run("--jobs=1", "--resume", limit_s=200)
    name_each_other(arena, seen)
    return check(seen, promise)


@attack("spoils.cached", "neither case is taken from the cache, nor one that was judged with them wrongly")
def cached(arena: Arena) -> str:
    board = Board(arena, cases("target.execute: spoils", "target.execute: dies_if_spoiled"))
    promise = Promise(codes={1}, good=good(board), attacked=BOTH)
    flags = ("--jobs=1", "--fresh", f"--cache={arena.folder / 'cache'}")
    check(board.run(*flags, limit_s=200), promise)
    seen = board.run(*flags, "--gtest_filter=*spoiler:*victim", limit_s=200)
    taken = [record["case"] for record in seen.results.cases if record.get("cached_from")]
    arena.expect(not taken, f"{taken} were taken from the cache")
    return check(seen, Promise(codes={1}, attacked=BOTH))


@attack("spoils.allowed", "a row that may be flaky by the baseline accuses no other row")
def allowed(arena: Arena) -> str:
    board = Board(arena, cases("target.execute: spoils", "target.execute: dies_if_spoiled"))
    baseline = arena.write(
        "baseline.yaml",
        "schema: opbyop-baseline/1\ntarget: attacked\nentries:\n"
        f"- {{id: '*{VICTIM}', stage: load, status: flaky, reason: known}}\n",
    )
    seen = board.run("--jobs=1", f"--baseline={baseline}", limit_s=200)
    arena.expect(seen.code == 0, f"exit {seen.code}")
    arena.expect(record_of(seen, SPOILER)["status"] == "pass", "the spoiler is accused")
    return f"exit {seen.code}"


@attack("spoils.helpers_kept", "if helpers are kept, the run names the case whose helper steals requests")
def helpers_kept(arena: Arena) -> str:
    board = Board(arena, cases("target.execute: leaves_a_child_that_steals_requests", "", between=0))
    kept = board.target.read_text().replace("limits: {timeout_s: 4", "helpers: kept\nlimits: {timeout_s: 2")
    board.target.write_text(kept)
    seen = board.run("--jobs=1", limit_s=300)
    for record in seen.results.cases:
        if record["status"] != "flaky" or record["case"] == SPOILER:
            continue
        arena.expect(record.get("spoiled_by") == SPOILER, f"{record['case']} says: {record.get('diagnostic')}")
    ends = dict.fromkeys(board.ids(), ("pass", "flaky")) | {SPOILER: ANY}
    return check(seen, Promise(attacked=ends))


@attack("spoils.chance", "a case that fails once by itself accuses no other case", short=True)
def chance(arena: Arena) -> str:
    board = Board(arena, cases("", "target.execute: wrong_output *1"))
    seen = board.run("--jobs=1", limit_s=200)
    return check(seen, Promise(codes={1}, good=[*good(board), SPOILER], attacked={VICTIM: ("flaky",)}))


# --- another version in the middle of a run

NOTICED = "a worker that says another version than the run began with is noticed, recorded and red; it gets no case"


def rebuilt(jobs: int) -> None:
    @attack(f"version.worker.{jobs}", NOTICED, short=jobs == 1)
    def act(arena: Arena) -> str:
        many = [*good_cases(3), Case("rebuilt", "target.execute: is_rebuilt"), *good_cases(30, 3)]
        board = Board(arena, many, target_hello="of_a_version")
        seen = board.run(f"--jobs={jobs}", limit_s=200)
        arena.expect(seen.code == 1, f"exit {seen.code}")
        texts = [event["text"] for event in seen.results.events]
        arena.expect(len(texts) == 1 and "1.0" in texts[0] and "2.0" in texts[0], f"recorded: {texts}")
        arena.expect(texts[0] in seen.stderr, f"the terminal says: {seen.stderr[-300:]}")
        return f"exit {seen.code} with {len(seen.results.cases)} recorded: {texts[0][:60]}"


rebuilt(1)
rebuilt(3)


@attack("version.tool", "another answer of the version command at the end is noticed, recorded and red", short=True)
def tool(arena: Arena) -> str:
    board = Board(arena, [*good_cases(3), Case("installs", "target.execute: installs_another_tool"), *good_cases(3, 3)])
    version = arena.markers / "version"
    version.write_text("1.0")
    board.target.write_text(board.target.read_text() + f"version: [cat, '{version}']\n")
    flags = ("--jobs=2", f"--cache={arena.folder / 'cache'}")
    seen = board.run(*flags, limit_s=60)
    texts = [event["text"] for event in seen.results.events]
    arena.expect(len(texts) == 1 and "1.0" in texts[0] and "2.0" in texts[0], f"recorded: {texts}")
    arena.expect(texts[0] in seen.stderr, f"the terminal says: {seen.stderr[-300:]}")
    arena.expect(not list((arena.folder / "cache").rglob("*.pack")), "its results are in the cache")
    return check(seen, Promise(codes={1}, good=board.ids()))
