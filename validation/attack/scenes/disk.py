# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks with disks that are full for a while, folders that two programs write, and results that must survive
another run."""

from __future__ import annotations

import json
import re
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from fixtures.programs import ROOT
from validation.attack import results, sandbox
from validation.attack.arena import Arena, Broken, NotTried, Program, limit_files
from validation.attack.attack import attack
from validation.attack.board import REAL_REFERENCE, Board, Case, good_cases
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge
from validation.attack.scenes.check import ANY, check, check_refusal

READABLE = "a full disk that gets room again leaves results.jsonl readable, and --resume goes on from it"
FFNN = ROOT / "fixtures/models/ffnn.mlirbc"
ROOM, DISK = 24 << 10, 1 << 20


def need_mounts(arena: Arena) -> None:
    if not arena.private:
        raise NotTried("no mount namespace is allowed here")


def small_disk(arena: Arena, folder: Path, size: int) -> None:
    need_mounts(arena)
    folder.mkdir(parents=True, exist_ok=True)
    if not sandbox.mount_tmpfs(folder, size):
        raise NotTried("no tmpfs can be mounted here")


def is_torn(path: Path) -> bool:
    """Whether the file ends within a line: a write did not fit."""
    return path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")


def slow_board(arena: Arena, count: int) -> Board:
    return Board(arena, [Case(f"case_{i}", "target.execute: slow") for i in range(count)])


def check_readable_and_resumed(arena: Arena, board: Board, first: Seen) -> str:
    breaches = judge(first, Promise(codes=DOCUMENTED, complete=False))
    breaches += [f"after the full disk: {error}" for error in first.results.errors]
    if breaches:
        raise Broken("; ".join(dict.fromkeys(breaches)))
    again = board.run("--jobs=4", "--resume", limit_s=120)
    seen = check(again, Promise(attacked=dict.fromkeys(board.ids(), ANY)))
    return f"exit {first.code} with {len(first.results.cases)} recorded, then {seen}"


def give_room_when_torn(program: Program, path: Path, give: Callable[[], object]) -> bool:
    """Makes room a moment after a record was cut; other cases end while there is none."""
    was_full = program.until(lambda: is_torn(path), 60)
    time.sleep(0.1)
    give()
    return was_full


@attack("disk.results_full_for_a_while.tmpfs", READABLE, short=True)
def full_tmpfs(arena: Arena) -> str:
    board = slow_board(arena, 60)
    small_disk(arena, board.out, DISK)
    ballast = board.out / "ballast"
    ballast.write_bytes(bytes(DISK - ROOM))
    program = board.start("--jobs=4")
    full = give_room_when_torn(program, board.out / "results.jsonl", ballast.unlink)
    first = program.wait(120, out=board.out)
    arena.expect(full or len(first.results.cases) < 60, "the disk never was full: this attack proves nothing")
    return check_readable_and_resumed(arena, board, first)


@attack("disk.results_full_for_a_while.file_limit", READABLE, short=True)
def full_by_limit(arena: Arena) -> str:
    board = slow_board(arena, 60)
    program = board.start("--jobs=4", prepare=limit_files(ROOM))

    def give_room() -> None:
        if program.alive():
            resource.prlimit(program.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    give_room_when_torn(program, board.out / "results.jsonl", give_room)
    return check_readable_and_resumed(arena, board, program.wait(120, out=board.out))


@attack("disk.results_full_for_good", "an honest error; what is written stays readable")
def full_for_good(arena: Arena) -> str:
    board = slow_board(arena, 60)
    small_disk(arena, board.out, ROOM)
    seen = board.run("--jobs=4", limit_s=120)
    return check_refusal(seen, {1, 3}, "No space", "written", "room")


@attack("disk.full_before_the_start", "an honest error, nothing half-written")
def full_before(arena: Arena) -> str:
    board = slow_board(arena, 4)
    small_disk(arena, board.out, 8 << 10)
    (board.out / "ballast").write_bytes(bytes(8 << 10))
    seen = check_refusal(board.run(limit_s=60), {3}, "No space", "written")
    arena.expect(not list(board.out.glob("results*")), f"left: {list(board.out.glob('results*'))}")
    return seen


@attack("disk.folder_cannot_be_written", "an honest error")
def read_only_folder(arena: Arena) -> str:
    board = slow_board(arena, 2)
    arena.write("run/out", "a file stands where the folder should be")
    return check_refusal(board.run(limit_s=60), {2, 3, 4}, "out")


@attack("disk.scratch_full", "cases that find no room fail with a reason; the run ends and leaves nothing", short=True)
def scratch_full(arena: Arena) -> str:
    board = Board(arena, [Case(f"large_{i}", elements=100_000) for i in range(4)], reference=REAL_REFERENCE)
    small_disk(arena, Path("/dev/shm"), 64 << 10)
    small_disk(arena, arena.tmp, 64 << 10)
    seen = board.run("--jobs=2", limit_s=120)
    if seen.code in (3, 6):
        return check_refusal(seen, {3, 6}, "scratch", "room", "space")
    return check(seen, Promise(attacked=dict.fromkeys(board.ids(), (*ANY, "skipped"))))


@attack("disk.no_shared_memory", "without a writable /dev/shm the run uses TMPDIR and passes")
def no_shared_memory(arena: Arena) -> str:
    board = Board(arena, good_cases(4))
    small_disk(arena, Path("/dev/shm"), 4 << 10)
    (Path("/dev/shm") / "ballast").write_bytes(bytes(4 << 10))
    seen = board.run("--jobs=2", limit_s=60)
    (Path("/dev/shm") / "ballast").unlink()
    seen.files = arena.before.left()
    return check(seen, Promise(good=board.ids()))


# --- two at once


def check_split_folder(arena: Arena, folder: Path, ran: list[Seen]) -> str:
    breaches = [breach for seen in ran for breach in judge(seen, Promise(codes=DOCUMENTED, complete=False))]
    arena.expect(not breaches, "; ".join(breaches))
    arena.expect(any(seen.code == 0 for seen in ran), f"none of them split: {ran[0].stderr[-200:]}")
    listed = arena.run("conformance", f"--manifest={folder / 'manifest.yaml'}", "--gtest_list_tests")
    arena.expect(listed.code == 0, f"what they left is no run: {listed.stderr[-200:]}")
    files = {path.name for path in folder.rglob("*.mlir")}
    named = {
        line.split('"file":"')[1].split('"')[0]
        for line in (folder / "manifest.yaml").read_text().splitlines()
        if '"file":"' in line
    }
    lost = sorted(name for name in named if Path(name).name not in files)
    arena.expect(not lost, f"the manifest names files that are gone: {lost[:3]}")
    stray = [
        path.name for path in folder.iterdir() if path.name not in ("manifest.yaml", "cases") and not path.is_dir()
    ]
    return f"exit {' and '.join(str(seen.code) for seen in ran)}, {len(named)} cases" + (
        f", next to it: {stray}" if stray else ""
    )


def two_splits(rounds: int, models: list[list[str]], name: str, short: bool) -> None:
    @attack(
        f"disk.splits_at_once.{name}",
        "two first-time splits into one folder leave a whole one or an honest error",
        short=short,
    )
    def act(arena: Arena) -> str:
        said = ""
        for number in range(rounds):
            folder = arena.folder / f"split{number}"
            programs = [
                arena.start(
                    "opbyop", "split", "--quiet", *(ROOT / f"fixtures/models/{m}.mlirbc" for m in each), "-o", folder
                )
                for each in models
            ]
            said = check_split_folder(arena, folder, [program.wait(120) for program in programs])
        return f"{rounds} rounds; {said}"


two_splits(2, [["ffnn"], ["ffnn"]], "same_model", short=True)
two_splits(5, [["ffnn"], ["ffnn"], ["ffnn"], ["ffnn"]], "same_model_four_times", short=False)
two_splits(3, [["ffnn"], ["mnist_mlp"]], "other_models", short=False)


@attack(
    "disk.runs_at_once", "two runs into one folder: one is refused by name, the other's results are whole", short=True
)
def two_runs(arena: Arena) -> str:
    board = slow_board(arena, 12)
    programs = [board.start("--jobs=2") for _ in range(2)]
    ran = [program.wait(120, settle=False) for program in programs]
    last = programs[0].wait(1, out=board.out)
    codes = sorted(seen.code for seen in ran if seen.code is not None)
    arena.expect(codes == [0, 2], f"exit codes {codes}, promised 0 and 2")
    last.code = 0
    return check(last, Promise(good=board.ids()))


# --- a run of some rows after a run of all


def filtered(name: str, *flags: str) -> None:
    @attack(
        f"disk.complete_results_survive.{name}",
        "a run of some rows never destroys a complete results file",
        short=name == "filter",
    )
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(6))
        (board.folder / "out").symlink_to(".")  # `opbyop run` writes next to the manifest
        arguments = [
            "run",
            board.folder,
            f"--target={board.target}",
            "--",
            f"--reference-worker={board.reference}",
            "--baseline=none",
        ]
        arena.expect(arena.run("opbyop", *arguments).code == 0, "the complete run failed")
        before = results.read(board.folder / "results.jsonl")
        seen = arena.run("opbyop", *arguments, *flags)
        after = results.read(board.folder / "results.jsonl")
        lost = before.ends().keys() - after.ends().keys()
        arena.expect(
            not lost, f"exit {seen.code}; {len(lost)} of {len(before.ends())} records are gone: {sorted(lost)[:3]}"
        )
        arena.expect(not after.errors, f"unreadable: {after.errors}")
        return f"exit {seen.code}, {len(after.ends())} records are there: {json.dumps(seen.stderr.strip()[-80:])}"


filtered("filter", "--gtest_filter=*good_3")
filtered("select", "--select=id=good_3")
filtered("nothing_selected", "--gtest_filter=nosuch*")
filtered("fail_fast", "--gtest_fail_fast", "--gtest_filter=*good_2*")


# --- outputs that cannot be written, results that are removed


def refuses_output(form: str) -> None:
    @attack(f"disk.gtest_output_full.{form}", "an honest error, and the device stays a device", short=form == "xml")
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(2))
        seen = board.run(f"--gtest_output={form}:/dev/full", limit_s=60)
        said = check_refusal(seen, {3}, "/dev/full")
        arena.expect(Path("/dev/full").is_char_device(), "/dev/full is not a device any more")
        return said


for form in ("xml", "json"):
    refuses_output(form)


@attack("disk.gtest_output_full_disk.json", "an honest error where the file is not complete")
def json_on_a_full_disk(arena: Arena) -> str:
    board = Board(arena, good_cases(8))
    disk = arena.folder / "small"
    small_disk(arena, disk, 4096)
    (disk / "ballast").write_bytes(bytes(4096))
    return check_refusal(board.run(f"--gtest_output=json:{disk}/out.json", limit_s=60), {1, 3}, "out.json")


TAKEN = "the run ends with the next record, exit 3 and a sentence"


def takes_results(name: str, take: Callable[[Path], object], short: bool) -> None:
    @attack(f"disk.results_{name}", TAKEN, short=short)
    def act(arena: Arena) -> str:
        board = slow_board(arena, 200)
        program = board.start("--jobs=2")
        results_file = board.out / "results.jsonl"
        started = program.until(lambda: results_file.exists() and results_file.read_bytes().count(b"\n") > 2, 60)
        arena.expect(started, "no record was written")
        take(board.out)
        seen = program.wait(120)
        ended = re.search(r"\((\d+) of 200 cases\)", seen.stdout)
        arena.expect(ended is not None and int(ended[1]) < 150, "the run went on to its end")
        return check_refusal(seen, {3}, "removed", "replaced")


takes_results("folder_removed", shutil.rmtree, short=True)
takes_results("folder_moved", lambda out: out.rename(out.with_name("moved")), short=False)
takes_results("file_removed", lambda out: (out / "results.jsonl").unlink(), short=False)
takes_results("file_replaced", lambda out: _replace(out / "results.jsonl"), short=False)


def _replace(path: Path) -> None:
    draft = path.with_suffix(".other")
    draft.write_text("{}\n")
    draft.rename(path)
