"""Manifests, targets and baselines of any content: an error with a line, never a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.attack import seed
from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.board import Board, Case, good_cases, manifest, target_yaml
from validation.attack.judge import DOCUMENTED, Promise, Seen, judge

WITH_LINE = "an error with file and line, never a crash"
NO_CRASH = "read or refused with a documented code, never a crash"
REFUSALS = frozenset({2, 3, 4, 5})
READ = DOCUMENTED - {129, 130, 143}
MANY = 200_000

Make = Callable[[Arena, Board], None]


def look(board: Board, *flags: object, limit_s: float = 60) -> Seen:
    """The program reads all files of the board and lists the rows; nothing is run."""
    return board.run(*flags, "--gtest_list_tests", limit_s=limit_s)


def check(seen: Seen, codes: frozenset[int], where: str | None) -> str:
    breaches = judge(seen, Promise(codes=codes, complete=False))
    if where is not None and not breaches and f"{where}:" not in seen.stderr:
        breaches.append(f"its message names no line of {where}: {seen.stderr.strip()[-200:]}")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {(seen.stderr.strip().splitlines() or ['read'])[-1][-120:]}"


def file_attack(name: str, make: Make, file: str, line: bool = True, refused: bool = True, short: bool = False) -> None:
    """`make` changes a good board; the program must refuse it with a line of `file`, or read it."""

    @attack(name, WITH_LINE if refused else NO_CRASH, short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(3))
        make(arena, board)
        return check(look(board), REFUSALS if refused else READ, file if line and refused else None)


# --- the manifest's cases


def with_entry(change: Callable[[dict[str, Any]], Any]) -> Make:
    def make(arena: Arena, board: Board) -> None:
        entries = [case.entry() for case in board.cases]
        changed = change(entries[1])
        entries[1] = entries[1] if changed is None else changed
        board.manifest.write_text(manifest(entries))

    return make


def block_style(text: str) -> Make:
    """The list of cases in a form that is not this project's own."""

    def make(arena: Arena, board: Board) -> None:
        head = board.manifest.read_text().split("cases:")[0]
        board.manifest.write_text(f"{head}cases:{text}")

    return make


for each, text in {
    "scalar": "\n- hello\n",
    "number": "\n- 5\n",
    "null": "\n-\n",
    "list": "\n- [1, 2]\n",
    "empty_map": "\n- {}\n",
    "scalar_between_maps": '\n- {"id": "a"}\n- 7\n',
    "text_for_the_list": " hello\n",
    "map_for_the_list": " {a: 1}\n",
    "key_that_is_a_list": "\n- {[1, 2]: 3}\n",
    "alias_of_itself": "\n- &a {id: *a}\n",
    "cut_json": '\n- {"id":"a","op"\n',
}.items():
    file_attack(f"manifest.item.{each}", block_style(text), "manifest.yaml", short=each in ("scalar", "list"))

FIELDS: dict[str, tuple[str, Any]] = {
    "id_number": ("id", 5),
    "id_null": ("id", None),
    "id_with_slash": ("id", "../../x"),
    "id_doubled": ("id", "good_0"),
    "id_empty": ("id", ""),
    "id_long": ("id", "x" * 5000),
    "inputs_number": ("inputs", 5),
    "inputs_of_numbers": ("inputs", [5]),
    "shape_text": ("inputs", [{"shape": "x", "dtype": "f32"}]),
    "shape_negative": ("inputs", [{"shape": [-4], "dtype": "f32"}]),
    "shape_beyond_64_bits": ("inputs", [{"shape": [2**70], "dtype": "f32"}]),
    "shape_overflows": ("inputs", [{"shape": [2**40, 2**40], "dtype": "f32"}]),
    "dtype_unknown": ("inputs", [{"shape": [4], "dtype": "f33"}]),
    "outputs_null": ("outputs", None),
    "origins_map": ("origins", {}),
    "origin_count_text": ("origins", [{"model": "m", "count": "x"}]),
    "attributes_list": ("attributes", [1]),
    "attributes_numbers": ("attributes", {"a": 1}),
    "ranges_of_numbers": ("input_ranges", [5]),
    "ranges_of_texts": ("input_ranges", [["a", "b"]]),
    "ranges_short": ("input_ranges", [[1]]),
    "elided_text": ("elided_constants", ["x"]),
    "file_absolute": ("file", "/etc/passwd"),
    "file_above": ("file", "../../../../etc/passwd"),
    "file_hidden_above": ("file", "cases/../../../../../etc/passwd"),
    "file_is_a_folder": ("file", "cases"),
    "file_empty": ("file", ""),
    "file_number": ("file", 7),
}
MAY_BE_READ = {
    "flops_huge": ("flops", 1e300),
    "bytes_negative": ("bytes", -1),
    "hash_odd": ("hash", "zz"),
    "op": ("op", ""),
}

for each, (key, value) in (FIELDS | MAY_BE_READ).items():

    def change(entry: dict[str, Any], key: str = key, value: Any = value) -> None:
        entry[key] = value

    file_attack(
        f"manifest.{each}", with_entry(change), "manifest.yaml", refused=each in FIELDS, short=each.startswith("file_")
    )


def link_outside(arena: Arena, board: Board) -> None:
    path = board.folder / "cases/good_1.mlir"
    path.unlink()
    path.symlink_to("/etc/passwd")


def folder_link_outside(arena: Arena, board: Board) -> None:
    outside = arena.make("outside")
    (board.folder / "cases").rename(outside / "cases")
    (board.folder / "cases").symlink_to(outside / "cases")


file_attack("manifest.file_links_outside", link_outside, "manifest.yaml", short=True)
file_attack("manifest.folder_links_outside", folder_link_outside, "manifest.yaml")

# --- whole files


def replaced(text: str | bytes, of: str = "manifest") -> Make:
    def make(arena: Arena, board: Board) -> None:
        path: Path = getattr(board, of)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    return make


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
HEAD = "schema: opbyop-manifest/1\n"
TEXTS: dict[str, str | bytes] = {
    "empty": "",
    "zeros": bytes(4096),
    "noise": bytes(range(256)) * 64,
    "utf16": (HEAD + "models: []\ncases: []\n").encode("utf-16"),
    "not_utf8": HEAD.encode() + b"models: \xff\xfe\ncases: []\n",
    "brackets": "[" * MANY,
    "closed_brackets": "[" * MANY + "]" * MANY,
    "braces": "{" * MANY,
    "nested_maps": HEAD + "cases: " + "{a: " * MANY + "1" + "}" * MANY,
    "nested_lists_of_cases": HEAD + "models: []\ncases:\n- " + "[" * MANY + "]" * MANY + "\n",
    "nested_json_of_cases": HEAD + 'models: []\ncases:\n- {"id":' + "[" * MANY + "]" * MANY + "}\n",
    "dashes": "- " * MANY,
    "questions": "? " * MANY,
    "ever_deeper": "".join(f"{' ' * i}a:\n" for i in range(3000)),
    "laughs": HEAD + LAUGHS + "models: []\ncases: []\n",
    "alias_of_itself": HEAD + "models: &a [*a]\ncases: []\n",
    "alias_of_nothing": HEAD + "models: *nothing\ncases: []\n",
    "two_documents": HEAD + "models: []\ncases: []\n---\nschema: other\n",
    "tag": HEAD + "models: !!python/object:os.system [x]\ncases: []\n",
    "tabs": HEAD + "models:\n\t- name: m\ncases: []\n",
}
UNSURE = {"laughs", "two_documents", "tag", "utf16", "not_utf8"}
for each, what in TEXTS.items():
    file_attack(
        f"manifest.whole.{each}",
        replaced(what),
        "manifest.yaml",
        line=each not in ("empty", "zeros", "noise"),
        refused=each not in UNSURE,
        short=each in ("nested_json_of_cases", "closed_brackets"),
    )
    file_attack(f"target.whole.{each}", replaced(what, "target"), "target.yaml", line=False, refused=each not in UNSURE)


def odd_file(name: str, make: Callable[[Path], object]) -> None:
    """`make` puts something else in the place of a file that is read."""

    def of(which: str) -> None:
        def change(arena: Arena, board: Board) -> None:
            path: Path = getattr(board, which)
            path.unlink()
            make(path)

        file_attack(f"{which}.{name}", change, "", line=False)

    for which in ("manifest", "target"):
        of(which)


def terabyte(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


odd_file("is_a_folder", Path.mkdir)
odd_file("is_a_fifo", os.mkfifo)
odd_file("is_absent", lambda path: None)
odd_file("is_a_terabyte", terabyte)
odd_file("links_to_itself", lambda path: path.symlink_to(path.name))
odd_file("links_to_zeros", lambda path: path.symlink_to("/dev/zero"))

# --- targets

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


# --- at random


def mutate(data: bytes, draw: Any) -> bytes:
    """A few bytes changed, cut, doubled or replaced by what readers trip over."""
    pieces = (b"[" * 50, b"{", b"}", b"\x00", b"\xff", b"&a ", b"*a", b": ", b"- ", b"1e999", b"-9", b"\n", b'"', b"!!")
    for _ in range(draw.randint(1, 4)):
        at, length = draw.randrange(len(data) + 1), draw.randint(0, 30)
        kind = draw.randrange(4)
        piece = draw.choice(pieces) if kind < 2 else data[at : at + length] if kind == 2 else b""
        data = data[:at] + piece + data[at + (length if kind != 2 else 0) :]
    return data


def mutations(which: str, count: int, short: bool) -> None:
    @attack(f"{which}.mutated.{count}", NO_CRASH, short=short)
    def act(arena: Arena) -> str:
        board = Board(arena, good_cases(3))
        path: Path = getattr(board, which)
        original, draw = path.read_bytes(), seed.generator(f"mutate {which}")
        refused = 0
        for number in range(count):
            path.write_bytes(mutate(original, draw))
            seen = board.start("--gtest_list_tests").wait(30, settle=False)
            if seen.code not in READ:
                kept = arena.keep_sample(f"{which}-{seed.value}-{number}.yaml", path.read_bytes())
                raise Broken(f"number {number}: exit {seen.code}: {json.dumps(seen.stderr[-200:])}; kept as {kept}")
            refused += seen.code != 0
        return f"{refused} of {count} refused, none crashed"


for which in ("manifest", "target"):
    mutations(which, 30, short=True)
    mutations(which, 400, short=False)


@attack("baseline.any_content", "every file that is no baseline is refused with a documented code")
def baseline(arena: Arena) -> str:
    board = Board(arena, [Case("good_0")])
    for name, what in TEXTS.items():
        path = arena.write("baseline.yaml", what)
        seen = look(board, f"--baseline={path}")
        if seen.code not in READ:
            raise Broken(f"{name}: exit {seen.code}: {seen.stderr[-200:]}")
    return f"{len(TEXTS)} files, none crashed"
