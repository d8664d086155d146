# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks on output that is published: reports and bundles must show no values of the environment, and run no part
of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.board import REAL_REFERENCE, Board, good_cases
from validation.attack.judge import Promise
from validation.attack.scenes.check import check, check_refusal

HIDDEN = "no value of 8 characters or more of a variable that the target does not name stands in it; the count is said"
INERT = "nothing of it is run"

# Variables whose names are on no list of suspicious words, with values that are hard to find or to print.
VARIABLES = {
    "DATABASE_URL": "postgres://u:hunter2@db.example/prod?a=b&c=d",
    "GH_PAT": "ghp_0123456789abcdefghij",
    "MYSQL_PWD": "correcthorse",
    "SENTRY_DSN": "https://0123abcd4567@o1.ingest.example/42",
    "PIP_INDEX_URL": "https://me:p4ssw0rd99@pypi.example/simple",
    "NPM_CONFIG__AUTH": "bWU6cGFzc3dvcmQ=",
    "TF_VAR_db": "tf-variable-value",
    "JAX_SOMETHING": "jax-variable-value",
    "IREE_LICENSE": "iree-variable-value",
    "OPBYOP_HISTORY": "postgres://h:history99@db.example/h",
    "CI_JOB_JWT": "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl",
    "PRIVATE_PEM": "-----BEGIN PRIVATE PEM-----\nMIIEvQIBADANBgkqh\nkiG9w0BAQEFAASC\n-----END PRIVATE PEM-----\n",
    "QUOTES": 'it\'s "quoted" `back` $HOME',
    "BACKSLASHES": "C:\\secrets\\of\\mine",
    "MARKUP": "<script>alert('mine')</script>",
    "UNICODE": "пароль-π-密码",
    "ESCAPES": "colour\x1b[31mred\x07bell",
    "BLANKS": "   padded secret   ",
    "REGEX": "(a+)+$[^x]{9}",
    "DIGITS": "8675309867",
    "lower_case": "lower-case-value",
    "WITH.DOT": "dotted-name-value",
}

TARGET = """schema: opbyop-target/1
name: leaky
worker: ["{{bin}}/opbyop-worker", "--target={{file}}"]
device: {{kind: command, parallel: true}}
version: {version}
stages:
  - {{name: lower, command: {command}, produces: case.chip}}
  - {{name: load}}
  - {{name: execute, command: ["true"]}}
"""

# Prints its environment in several forms, as a compiler's crash report may.
DUMP = "import os, json; print(json.dumps(dict(os.environ))); print(dict(os.environ))"
LEAK = f"env >&2; env | sed 's/^/error: /' >&2; python3 -S -c '{DUMP}' >&2; exit 1"


def parts(value: str) -> Iterator[str]:
    """The forms of the value that must not appear anywhere: the value, and each of its lines."""
    for part in [value, *value.split("\n")]:
        if len(part.strip()) >= 8:
            yield part.strip()
            yield json.dumps(part.strip())[1:-1]
            yield json.dumps(part.strip(), ensure_ascii=False)[1:-1]


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file below it by name, including those in archives."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes().decode(errors="replace")
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as file:
                for name in file.namelist():
                    yield f"{path.name}/{name}", file.read(name).decode(errors="replace")


def leaks(folder: Path) -> list[str]:
    return [
        f"{variable} in {name}"
        for name, text in texts(folder)
        for variable, value in VARIABLES.items()
        if any(part in text for part in parts(value))
    ]


def expect_hidden(arena: Arena, folder: Path, said: str) -> None:
    found = leaks(folder)
    arena.expect(not found, f"{len(found)} values can be read: {', '.join(found[:5])}")
    arena.expect("environment variable" in said and "GH_PAT" in said, f"the count is not said: {said[-300:]}")


def board_of(arena: Arena, version: str = '["sh", "-c", "echo 1.0; env"]') -> Board:
    script = arena.write("leak.sh", f"#!/bin/sh\n{LEAK}\n")
    command = json.dumps(["sh", str(script), "{input}", f"--key={VARIABLES['GH_PAT']}"])
    target = TARGET.format(version=version, command=command)
    return Board(arena, good_cases(2), target=target, reference=REAL_REFERENCE)


@attack("public.reports.variables", HIDDEN, short=True)
def reports_of_a_run(arena: Arena) -> str:
    board = board_of(arena)
    seen = board.run("--reports=on", f"--gtest_output=xml:{board.out}/g.xml", limit_s=120, environment=VARIABLES)
    expect_hidden(arena, board.out, seen.stderr)
    arena.expect(bool(list(board.out.glob("*.html"))), "there are no reports")
    return check(seen, Promise(attacked=dict.fromkeys(board.ids(), ("fail",)), codes={1}))


@attack("public.reports.variables_of_the_reader", HIDDEN)
def reports_of_a_file(arena: Arena) -> str:
    """Results that were written before values were hidden."""
    board = board_of(arena)
    seen = board.run("--reports=off", limit_s=120)
    results = board.out / "results.jsonl"
    lines = []
    for line in results.read_text().splitlines():
        record = json.loads(line)
        for key in ("diagnostic", "repro", "toolchain"):
            if key in record:
                record[key] = "; ".join(VARIABLES.values())
        if "argv" in record:
            record["argv"] = [*record["argv"], *(f"--key={value}" for value in VARIABLES.values())]
        lines.append(json.dumps(record))
    results.write_text("\n".join(lines) + "\n")
    out = arena.make("reports")
    seen = arena.run("opbyop", "report", board.out, "-o", out, environment=VARIABLES, limit_s=120)
    expect_hidden(arena, out, seen.stderr)
    arena.expect(seen.code == 1, f"exit {seen.code}: {seen.stderr[-200:]}")
    return f"{len(list(out.iterdir()))} reports without them"


def bundle(arena: Arena, board: Board, **environment: str) -> tuple[Path, str]:
    out = arena.make("public") / "finding"
    arguments = ("--run", board.folder, "--target", board.target, "--time-limit=5", "-o", out)
    seen = arena.run("opbyop", "bundle", board.ids()[0], *arguments, limit_s=240, environment=environment)
    arena.expect(seen.code == 0, f"exit {seen.code}: {seen.stderr[-300:]}")
    return out, seen.stderr


@attack("public.bundle.variables", HIDDEN, short=True)
def finding(arena: Arena) -> str:
    board = board_of(arena)
    out, said = bundle(arena, board, **VARIABLES)
    expect_hidden(arena, out.parent, said)
    exported = (out / "environment.sh").read_text()
    arena.expect("export PATH=" in exported, "the path of the tools is not shown")
    arena.expect(not any(name in exported for name in VARIABLES), f"a variable is exported: {exported[:300]}")
    listed = json.loads((out / "finding.json").read_text())["files"]
    there = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    arena.expect(listed == there, f"finding.json lists {listed}, there are {there}")
    return said.strip().splitlines()[-1][:100]


def outside_of_code(page: str) -> str:
    """The lines of Markdown outside of code blocks."""
    lines, fence = [], ""
    for line in page.splitlines():
        mark = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line == fence else fence
        elif len(mark) >= 3:
            fence = mark
        else:
            lines.append(line)
    return "\n".join(lines)


def runs_nothing(name: str, version: list[str]) -> None:
    @attack(f"public.bundle.version_{name}", INERT, short=name == "of_two_lines")
    def act(arena: Arena) -> str:
        board = board_of(arena, json.dumps(version))
        out, _ = bundle(arena, board)
        for script in out.glob("*.sh"):
            checked = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
            arena.expect(checked.returncode == 0, f"{script.name} is no script: {checked.stderr[-200:]}")
        elsewhere = arena.make("elsewhere")
        shutil.unpack_archive(out.with_suffix(".zip"), elsewhere)
        seen = arena.run("sh", elsewhere / "finding/reproduce.sh", cwd=elsewhere, limit_s=60)
        ran = [path for root in (arena.folder, out, elsewhere) for path in root.rglob("ran")]
        arena.expect(not ran, f"it ran: {ran}")
        arena.expect("not found" not in seen.stderr, f"a line of it was run: {seen.stderr[-300:]}")
        shown = outside_of_code((out / "report.md").read_text())
        arena.expect(shown.count("\n# ") == 0, "it made a heading of the report")
        return f"exit {seen.code} of reproduce.sh, as of the stage"


VERSIONS = {
    "of_two_lines": ["printf", "22.0\\ntouch ran\\n"],
    "with_carriage_returns": ["printf", "22.0\\r\\ntouch ran\\r\\n"],
    "with_a_fence": ["printf", "22.0\\n```\\n# heading\\n$(touch ran)`touch ran`\\n"],
    "with_quotes": ["printf", "%s", "'\"; touch ran; #\\"],
    "of_mlir_opt": ["sh", "-c", "echo 'LLVM version 22'; echo '  Optimized build.'; echo 'touch ran'"],
}
for each, argv in VERSIONS.items():
    runs_nothing(each, argv)


@attack("public.bundle.hostile_arguments", INERT)
def arguments(arena: Arena) -> str:
    script = arena.write("fails.sh", "#!/bin/sh\necho 'error: no' >&2\nexit 1\n")
    words = ["\necho 'stage x' >&2\ntouch ran\n", "'; touch ran; '", "$(touch ran)", "A=b"]
    target = TARGET.format(version="[echo, v]", command=json.dumps(["sh", str(script), *words]))
    board = Board(arena, good_cases(1), target=target, reference=REAL_REFERENCE)
    out, _ = bundle(arena, board)
    seen = arena.run("sh", out / "reproduce.sh", limit_s=60)
    ran = list(arena.folder.rglob("ran"))
    arena.expect(not ran, f"it ran: {ran}")
    return check_refusal(seen, {1}, "error: no")
