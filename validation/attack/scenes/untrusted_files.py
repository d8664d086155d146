# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by untrusted files: their claims, their form, and what is printed of them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.board import MOCK, Board, Case, target_yaml
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

MANY_SHARDS = 9_999_999_999
MANY_ROWS = 10**18
BOUND_KB = 600 << 10  # of a program that reads a few rows, whatever the file claims
ENDS = DOCUMENTED - {129, 130, 143}
REFUSED = frozenset({3, 4})
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
ESCAPES = "a\x1b[31mred\x1b]0;title\x07\x1b\x08\x9bz"  # as in a diagnostic


def judged(seen: Seen, codes: frozenset[int], *words: str) -> str:
    """Checks that the program ended with one of the codes, printed one of the words, and no terminal control
    sequences."""
    breaches = judge(seen, Promise(codes=codes, complete=False, parent_kb=BOUND_KB))
    printed = seen.stdout + seen.stderr
    if words and not breaches and not any(word in printed for word in words):
        breaches.append(f"it says none of {', '.join(words)}: {printed.strip()[-200:]}")
    controls = sorted(set(CONTROL.findall(printed)))
    if controls:
        breaches.append(f"it prints {controls!r}")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {(printed.strip().splitlines() or ['nothing'])[-1][:100]}"


def finished(arena: Arena, name: str = "run") -> Board:
    """A run of two rows that has ended; its results are in board.out."""
    cases = [Case(f"case_{i}", "behaviour: pass\nelements: 4", prefix="") for i in range(2)]
    limits = "{timeout_s: 40, memory_mb: 512}"
    board = Board(arena, cases, name, target=target_yaml([MOCK, "--target"], limits=limits), reference=MOCK)
    seen = board.run("--jobs=2", "--reports=off", limit_s=60)
    arena.expect(seen.code == 0, f"the run to be attacked: exit {seen.code}: {seen.stderr[-200:]}")
    return board


def lines_of(board: Board) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (board.out / "results.jsonl").read_text().splitlines()]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


# Commands that read the results of a run; {run} is its folder, {out} one to write.
READERS = {
    "report": ["report", "{run}", "-o", "{out}/report"],
    "merge": ["merge", "{run}", "-o", "{out}/merged"],
    "partial_merge": ["merge", "--partial", "{run}", "-o", "{out}/merged"],
    "import": ["history", "import", "{run}", "--db", "{out}/history.db"],
    "diff": ["diff", "{run}", "{run}"],
    "baseline": ["baseline", "update", "{run}", "--baseline", "{out}/baseline.yaml"],
    "balance": [
        "run",
        "{split}",
        "--target",
        "host",
        "--shard",
        "1/2",
        "--balance",
        "{run}",
        "--",
        "--gtest_list_tests",
    ],
}


def read_by(arena: Arena, verb: str, run: Path) -> Seen:
    words = [word.format(run=run, out=arena.make("read"), split=run.parent) for word in READERS[verb]]
    return arena.start("opbyop", *words).wait(60)


def reader(name: str, verbs: tuple[str, ...], codes: frozenset[int], *words: str, short: tuple[str, ...] = ()) -> Any:
    """Registers a function that changes the results of a run as an attack on each of these verbs."""

    def enter(change: Callable[[Arena, Board], None]) -> None:
        def one(verb: str) -> None:
            @attack(
                f"untrusted_files.{name}.{verb}", "a documented code and a sentence, in no time", short=verb in short
            )
            def act(arena: Arena) -> str:
                board = finished(arena)
                change(arena, board)
                return judged(read_by(arena, verb, board.out), codes, *words)

        for each in verbs:
            one(each)

    return enter


# --- numbers in headers


@reader("many_shards", ("report", "merge", "partial_merge", "import", "diff"), ENDS, short=("merge", "report"))
def many_shards(arena: Arena, board: Board) -> None:
    lines = lines_of(board)
    lines[0] |= {"shard": 1, "shards": MANY_SHARDS}
    write_lines(board.out / f"results-1-of-{MANY_SHARDS}.jsonl", lines)
    (board.out / "results.jsonl").unlink()


@reader("many_rows", ("report", "merge", "import", "diff"), ENDS, short=("merge",))
def many_rows(arena: Arena, board: Board) -> None:
    for shard in (1, 2):
        lines = lines_of(board)
        selected = f"0-{MANY_ROWS // 2}" if shard == 1 else f"{MANY_ROWS // 2 + 1}-{MANY_ROWS - 1}"
        lines[0] |= {"shard": shard, "shards": 2, "manifest_rows": MANY_ROWS, "selected": selected}
        write_lines(board.out / f"results-{shard}-of-2.jsonl", [lines[0], lines[shard], lines[-1]])
    (board.out / "results.jsonl").unlink()


@reader("many_stages", ("report", "import"), REFUSED, "stages")
def many_stages(arena: Arena, board: Board) -> None:
    lines = lines_of(board)
    lines[0]["stages"] = [f"stage_{i}" for i in range(1_000_000)]
    write_lines(board.out / "results.jsonl", lines)


@reader("numbers_without_end", ("report", "import", "diff"), ENDS, short=("report",))
def numbers_without_end(arena: Arena, board: Board) -> None:
    lines = lines_of(board)
    for line in lines[1:-1]:
        line |= {"wall_ms": 1e308, "artifact_bytes": 2**63 - 1, "attempts": 2**31 - 1, "peak_rss_kb": 2**63 - 1}
        for stage in line["stages"]:
            stage["ms"] = 1e308
    write_lines(board.out / "results.jsonl", lines)


# --- things that are no files


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket may have 107 characters
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "fifo": (fifo, "pipe"),
    "socket": (unix_socket, "socket"),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), "device"),
    "folder": (Path.mkdir, "folder"),
}


def kind_of_results(kind: str) -> None:
    make, word = KINDS[kind]
    verbs = ("report", "merge", "import", "diff", "balance")

    @reader(f"results_are_a_{kind}", verbs, REFUSED | {2}, word, "no shard", "no run", short=("report",))
    def change(arena: Arena, board: Board) -> None:
        (board.out / "results.jsonl").unlink()
        make(board.out / "results.jsonl")


# Other files that a command may be given, each with the command; {file} is the attacked file.
FILES = {
    "trace.top": ["optrace", "top", "{file}"],
    "trace.export": ["optrace", "export", "{file}", "--to", "csv", "-o", "{out}/csv"],
    "trace.diff": ["optrace", "diff", "{file}", "{file}"],
    "model.split": ["opbyop", "split", "{file}", "-o", "{out}/split"],
    "model.eval": ["opbyop", "eval", "{file}"],
    "model.opt": ["opbyop-opt", "{file}"],
    "input.eval": ["opbyop", "eval", "{model}", "--input", "{file}"],
    "models.split": ["opbyop", "split", "{folder}", "-o", "{out}/split"],
    "baseline.report": ["opbyop", "report", "{run}", "-o", "{out}/report", "--baseline", "{file}"],
    "manifest.report": ["opbyop", "report", "{run}", "-o", "{out}/report", "--manifest", "{file}"],
    "policy.run": ["opbyop", "run", "{split}", "--target", "host", "--policy", "{file}"],
    "target.run": ["opbyop", "run", "{split}", "--target", "{file}"],
    "history.list": ["opbyop", "history", "list", "--db", "{file}"],
}
PROGRAM = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
# A folder of models, and a folder of baselines for several targets, are valid arguments too.
MAY_BE_FOLDERS = frozenset({("model.split", "folder"), ("baseline.report", "folder")})

NAMES = {"policy": "policy.yaml", "target": "target.yaml", "models": "models.yaml"}


def ask(arena: Arena, what: str, make: Callable[[Path], object]) -> Seen:
    folder = arena.make("handed")
    file = folder / NAMES.get(what.split(".")[0], "file")
    make(file)
    run = finished(arena) if any("{run}" in word or "{split}" in word for word in FILES[what]) else None
    places = {
        "file": file,
        "folder": folder,
        "out": arena.make("asked"),
        "model": arena.write("program.mlir", PROGRAM),
        "run": run.out if run else "",
        "split": run.folder if run else "",
    }
    program, *words = [word.format(**places) for word in FILES[what]]
    return arena.start(program, *words).wait(60)


def kind_of_file(what: str, kind: str) -> None:
    make, _ = KINDS[kind]

    @attack(f"untrusted_files.{what}_of_a_{kind}", "refused in a sentence, without waiting", short=kind == "fifo")
    def act(arena: Arena) -> str:
        return judged(ask(arena, what, make), ENDS - {0})


for each_kind in KINDS:
    kind_of_results(each_kind)
    for each_file in FILES:
        if (each_file, each_kind) not in MAY_BE_FOLDERS:
            kind_of_file(each_file, each_kind)


@attack(
    "untrusted_files.results_of_one_endless_line", "a line that is longer than any is an error, not memory", short=True
)
def endless_line(arena: Arena) -> str:
    board = finished(arena)
    path = board.out / "results.jsonl"
    size = path.stat().st_size
    os.truncate(path, size + (1 << 40))
    return judged(read_by(arena, "report", board.out), REFUSED, "longer than any")


@attack("untrusted_files.process_substitution", "what the caller's shell hands over as a pipe is read", short=True)
def process_substitution(arena: Arena) -> str:
    program = arena.write("program.mlir", PROGRAM)
    seen = arena.start("bash", "-c", f"opbyop eval <(cat '{program}')").wait(60)
    return judged(seen, frozenset({0}), "tensor")


# --- printed texts, and texts that spreadsheets read

PRINTERS = ("report", "diff", "import", "merge")


@reader("escapes_in_diagnostics", PRINTERS, ENDS, short=("report", "diff"))
def escapes(arena: Arena, board: Board) -> None:
    lines = lines_of(board)
    lines[0] |= {"target": ESCAPES, "toolchain": ESCAPES, "run_id": f"id{ESCAPES}", "compile_only": ESCAPES}
    lines[1] |= {"status": "fail", "diagnostic": ESCAPES, "stage": ESCAPES}
    lines[1]["stages"].append({"name": ESCAPES, "status": "fail", "ms": 1, "diagnostic": ESCAPES})
    lines.append({"record": "case", "case": ESCAPES, "status": "fail", "stages": []})
    write_lines(board.out / "results.jsonl", lines)


@attack(
    "untrusted_files.escapes_in_errors", "a message that quotes a file quotes nothing that a terminal obeys", short=True
)
def escapes_in_errors(arena: Arena) -> str:
    said = []
    for name, text in {
        "manifest.yaml": f'schema: opbyop-manifest/1\nmodels: []\ncases: []\n"{ESCAPES}": 1\n',
        "results.jsonl": f'{{"record":"{ESCAPES}"}}\n',
        f"odd{ESCAPES.replace('/', '')}.mlir": f"func.func @main( {ESCAPES}",
    }.items():
        path = arena.write(name, text)
        verb = {"manifest.yaml": ["run", path.parent], "results.jsonl": ["report", path, "-o", arena.make("out")]}
        said.append(judged(arena.start("opbyop", *verb.get(name, ["eval", path])).wait(60), ENDS - {0}))
    return said[-1]


def cells_of(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]


def computed(cells: list[str]) -> list[str]:
    """Cells that a spreadsheet would take for a formula."""
    found = []
    for cell in cells:
        if not cell or cell[0] not in "=+-@\t\r":
            continue
        try:
            float(cell.split(" ")[0].rstrip("%"))
        except ValueError:
            found.append(cell)
    return found


FORMULAS = ("=HYPERLINK(A1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1")


@attack("untrusted_files.formulas_in_csv.history", "no cell of CSV is a formula, and numbers are numbers", short=True)
def formulas_of_history(arena: Arena) -> str:
    board = finished(arena)
    lines = lines_of(board)
    for line, formula in zip(lines[1:-1], FORMULAS):
        line |= {"status": "fail", "stage": "execute", "diagnostic": formula}
    lines[0] |= {"target": FORMULAS[0], "toolchain": FORMULAS[1]}
    write_lines(board.out / "results.jsonl", lines)
    database = arena.folder / "history.db"
    judged(arena.start("opbyop", "history", "import", board.out, "--db", database).wait(60), ENDS)
    cells = []
    for verb in ("list", "groups", "since", "rank", "trend", "changes", "slowest"):
        seen = arena.start("opbyop", "history", verb, "--csv", "--db", database).wait(60)
        cells += cells_of(seen.stdout)
    arena.expect(any("HYPERLINK" in cell or "cmd|" in cell for cell in cells), f"no formula came out: {cells[:20]}")
    arena.expect(not computed(cells), f"computed: {computed(cells)[:5]}")
    return f"{len(cells)} cells"


def trace_with(name: str) -> str:
    types = [{"shape": [4], "dtype": "f32"}]
    header = {"record": "header", "schema": "optrace/1", "run_id": "r", "model": name, "target": name}
    op = {"record": "op", "id": 0, "case_id": "c", "hlo": name, "framework": name, "path": [name], "operands": types}
    span = {"record": "span", "id": 0, "op": 0, "section": "execution", "name": name, "start_ps": 0, "dur_ps": 5}
    return "".join(json.dumps(each) + "\n" for each in (header, op, span, {"record": "footer"}))


@attack("untrusted_files.formulas_in_csv.trace", "no cell of CSV is a formula", short=True)
def formulas_of_trace(arena: Arena) -> str:
    cells = []
    for formula in FORMULAS:
        trace = arena.write("optrace.ndjson", trace_with(formula))
        seen = arena.start("optrace", "export", trace, "--to", "csv", "-o", arena.folder / "csv").wait(60)
        judged(seen, frozenset({0}))
        for file in (arena.folder / "csv").iterdir():
            cells += cells_of(file.read_text())
    arena.expect(any("HYPERLINK" in cell for cell in cells), f"no formula came out: {cells[:20]}")
    arena.expect(not computed(cells), f"computed: {computed(cells)[:5]}")
    return f"{len(cells)} cells"


@attack("untrusted_files.escapes_in_traces", "nothing that a terminal obeys is printed of a trace", short=True)
def escapes_of_trace(arena: Arena) -> str:
    trace = arena.write("optrace.ndjson", trace_with(ESCAPES))
    said = ""
    for words in (["top", trace], ["explain", trace, "0"], ["diff", trace, trace], ["verify", trace]):
        said = judged(arena.start("optrace", *words).wait(60), ENDS)
    return said


# --- bytes that are no text

BAD = b"\xff\xfe\x80\xc3"
BYTES = {
    "manifest": b"schema: opbyop-manifest/1\nmodels:\n- name: m\n  source: " + BAD + b"\n  ops: 1\ncases: []\n",
    "case": b'schema: opbyop-manifest/1\nmodels: []\ncases:\n- {"id":"' + BAD + b'"}\n',
    "error": b'schema: opbyop-manifest/1\nmodels:\n- {name: m, error: "' + BAD + b'"}\ncases: []\n',
}


def bad_utf8(name: str) -> None:
    @attack(
        f"untrusted_files.bad_utf8.{name}", "an error that names the line, never an exception", short=name == "manifest"
    )
    def act(arena: Arena) -> str:
        board = finished(arena)
        board.manifest.write_bytes(BYTES[name])
        said = judged(board.run("--gtest_list_tests"), frozenset({4}), "manifest.yaml:")
        for verb in ("report", "import"):
            judged(read_by(arena, verb, board.out), ENDS - {0})
        return said


for each_name in BYTES:
    bad_utf8(each_name)


@reader("bad_utf8_in_results", ("report", "import", "diff", "merge"), ENDS, short=("report",))
def bad_results(arena: Arena, board: Board) -> None:
    path = board.out / "results.jsonl"
    text = path.read_bytes().replace(b'"stage"', b'"sta' + BAD + b'"').replace(b'"pass"', b'"pa\xff"', 1)
    path.write_bytes(text)


def bad_bytes(what: str) -> None:
    @attack(f"untrusted_files.{what}_of_bad_utf8", "read or refused with a documented code, never an exception")
    def act(arena: Arena) -> str:
        seen = ask(arena, what, lambda path: path.write_bytes(b"schema: " + BAD + b"\nname: " + BAD))
        return judged(seen, ENDS - {0})


for each_file in FILES:
    bad_bytes(each_file)
