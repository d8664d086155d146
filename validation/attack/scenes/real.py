# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks on the real programs with a real model: killed workers of target host, killed parents, several runs at
once, memory."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from pathlib import Path

from fixtures.programs import ROOT
from validation.attack import results, seed, traces
from validation.attack.arena import Arena, Program
from validation.attack.attack import attack
from validation.attack.board import MOCK, Board, Case, good_cases, target_yaml
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge
from validation.attack.matrix import NOT_JUDGED, WITHOUT_INPUTS
from validation.attack.scenes.check import ANY, check
from validation.attack.scenes.workers import kill_workers


def split(arena: Arena, *models: str) -> tuple[Path, list[str]]:
    """The folder of a split model and the ids of its cases."""
    folder = arena.folder / "split"
    files = [ROOT / f"fixtures/models/{model}.mlirbc" for model in models]
    seen = arena.run("opbyop", "split", "--quiet", *files, "-o", folder, limit_s=120)
    arena.expect(seen.code == 0, f"the split: exit {seen.code}: {seen.stderr[-200:]}")
    lines = (folder / "manifest.yaml").read_text().splitlines()
    return folder, [json.loads(line[2:])["id"] for line in lines if line.startswith('- {"id"')]


def start(arena: Arena, folder: Path, *flags: str) -> Program:
    return arena.start("opbyop", "run", folder, "--target=host", *flags)


def recorded(folder: Path) -> int:
    return len(results.read(folder / "results.jsonl").cases)


PROVES_NOTHING = ("mistrusted", "inconclusive")
EVERY_CASE = "every case is recorded exactly once, whatever is killed"


def killed_workers(models: tuple[str, ...], short: bool) -> None:
    @attack(f"real.workers_killed_at_random.{models[0]}", EVERY_CASE, short=short)
    def act(arena: Arena) -> str:
        folder, ids = split(arena, *models)
        program = start(arena, folder, "--", "--repeat-budget-ms=200", "--repeat=1000")
        program.until((folder / "results.jsonl").exists)
        kills = kill_workers(program, 60, "any")
        seen = program.wait(240, out=folder)
        return f"{kills} kills: " + check(seen, Promise(attacked=dict.fromkeys(ids, (*ANY, *PROVES_NOTHING))))


killed_workers(("ffnn",), short=True)
killed_workers(("mobilenet_v3_small",), short=False)


def killed_parent(kills: int, short: bool) -> None:
    @attack(
        f"real.parent_killed.{kills}_times", "nothing lost, nothing recorded twice, reports of every state", short=short
    )
    def act(arena: Arena) -> str:
        folder, ids = split(arena, "mnist_mlp", "ffnn")
        draw = seed.generator("real parent")
        # all cases are run: records of other runs are not taken over
        slowly = ("--", "--repeat-budget-ms=100", "--repeat=1000")
        counts, reports = [], []
        for number in range(kills):
            program = start(arena, folder, *slowly)
            least = counts[-1] if counts else 0
            program.until(lambda least=least: recorded(folder) > least + draw.randrange(3), 60)
            program.kill(signal.SIGKILL)
            seen = program.wait(30, out=folder)
            breaches = judge(seen, Promise(codes={-9, 0}, complete=False, leaves_files=True))
            arena.expect(not breaches, "; ".join(breaches))
            counts.append(len(seen.results.cases))
            report = arena.run("opbyop", "report", folder, "-o", arena.folder / f"report{number}")
            breaches = judge(report, Promise(codes=DOCUMENTED, complete=False, leaves_files=True))
            arena.expect(not breaches, f"the report on what was left: {'; '.join(breaches)}")
            reports.append(report.code)
        arena.expect(counts == sorted(counts), f"records became fewer: {counts}")
        seen = start(arena, folder, *slowly).wait(240, out=folder)
        said = check(seen, Promise(attacked=dict.fromkeys(ids, ("pass", *PROVES_NOTHING))))
        return f"recorded {counts}, reports ended with {reports}, then {said}"


killed_parent(1, short=True)
killed_parent(5, short=False)


@attack("real.two_runs_in_one_folder", "one is refused by name, the other's results are whole", short=True)
def two_runs(arena: Arena) -> str:
    folder, ids = split(arena, "ffnn")
    flags = ("--", "--repeat-budget-ms=300", "--repeat=10000")
    first = start(arena, folder, *flags)
    first.until((folder / "results.jsonl").exists)
    # Stops it until the second run has seen it, however busy the machine is.
    os.killpg(first.pid, signal.SIGSTOP)
    second = start(arena, folder, *flags).wait(120, settle=False)
    os.killpg(first.pid, signal.SIGCONT)
    arena.expect(second.code == 2, f"the second ended with {second.code}, promised 2: {second.stderr[-200:]}")
    seen = first.wait(120, out=folder)
    return check(seen, Promise(attacked=dict.fromkeys(ids, ("pass", *PROVES_NOTHING))))


@attack("real.report_while_it_runs", "a report on a run that is under way ends with a documented code")
def report_while_running(arena: Arena) -> str:
    folder, ids = split(arena, "ffnn")
    program = start(arena, folder, "--", "--repeat-budget-ms=500", "--repeat=10000")
    codes = []
    while program.alive() and len(codes) < 40:
        report = arena.start("opbyop", "report", folder, "-o", arena.folder / "report").wait(60, settle=False)
        breaches = judge(report, Promise(codes=DOCUMENTED, complete=False))
        arena.expect(not breaches, "; ".join(breaches))
        codes.append(report.code)
        time.sleep(0.1)
    seen = program.wait(120, out=folder)
    said = check(seen, Promise(attacked=dict.fromkeys(ids, ("pass", *PROVES_NOTHING))))
    return f"{len(codes)} reports ended with {sorted(set(codes))}; {said}"


@attack("real.split_killed", "a split that is killed leaves no half manifest; the next one is whole")
def split_killed(arena: Arena) -> str:
    folder = arena.folder / "split"
    draw = seed.generator("split")
    left = 0
    for _ in range(12):
        model = ROOT / "fixtures/models/resnet18.mlirbc"
        program = arena.start("opbyop", "split", "--quiet", model, "-o", folder)
        time.sleep(draw.uniform(0.01, 0.5))
        program.kill(signal.SIGKILL)
        program.wait(30)
        if (folder / "manifest.yaml").exists():
            left += 1
            listed = arena.run("conformance", f"--manifest={folder / 'manifest.yaml'}", "--gtest_list_tests")
            arena.expect(listed.code == 0, f"the manifest that was left: {listed.stderr[-200:]}")
    seen = arena.run("opbyop", "split", "--quiet", ROOT / "fixtures/models/resnet18.mlirbc", "-o", folder)
    arena.expect(seen.code == 0, f"the last split: exit {seen.code}: {seen.stderr[-200:]}")
    stray = [path.name for path in folder.iterdir() if path.name not in ("manifest.yaml", "cases", "ops")]
    return f"12 kills, {left} whole manifests; next to them {stray}"


# --- memory

BOUND_KB = 150 << 10  # the budget of the parent at 100,000 rows (docs/performance.md)


@attack("memory.parent_over_4000_cases", "the parent's memory stays within its budget")
def many_cases(arena: Arena) -> str:
    cases = [Case(f"case_{i}", "behaviour: pass\nelements: 4", prefix="") for i in range(4000)]
    board = Board(arena, cases, target=target_yaml([MOCK, "--target"]), reference=MOCK)
    seen = board.run("--jobs=2", limit_s=240)
    return check(seen, Promise(good=board.ids(), parent_kb=BOUND_KB))


@attack("memory.reference_eats_all", "a reference that eats memory leaves its case alone without a verdict, never red")
def reference_bomb(arena: Arena) -> str:
    bombs = [
        Case(f"bomb_{s}", f"behaviour: memory_bomb\nstage: {s}\nelements: 4", prefix="") for s in ("inputs", "compare")
    ]
    good = [Case(f"good_{i}", "behaviour: pass\nelements: 4", prefix="") for i in range(6)]
    board = Board(arena, [*good[:2], *bombs, *good[2:]], target=target_yaml([MOCK, "--target"]), reference=MOCK)
    limit = 2 << 30  # the smallest limit of the reference that can be set; its default is more than a machine can spare
    bounded = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    seen: Seen = board.start("--jobs=2", prepare=bounded).wait(120, out=board.out)
    ends = {bombs[0].id: WITHOUT_INPUTS, bombs[1].id: NOT_JUDGED}
    return check(seen, Promise(codes={0}, good=[case.id for case in good], attacked=ends))


@attack("memory.stale_scratch_is_swept", "what a killed parent left is gone after the next run", short=True)
def swept(arena: Arena) -> str:
    board = Board(arena, good_cases(20))
    program = board.start("--jobs=2")
    program.until((board.out / "results.jsonl").exists, 30)
    program.kill(signal.SIGKILL)
    program.wait(30)
    left = arena.before.left()
    seen = board.run("--jobs=2", "--resume", limit_s=60)
    traces.kill_all(arena.tag)
    return f"{len(left)} folders after the kill, none after the next run; {check(seen, Promise(good=board.ids()))}"
