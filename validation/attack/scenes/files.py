# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks with whole files of any content as manifest, target or baseline; with things that are no files; at random."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.attack import seed
from validation.attack.arena import Arena, Broken
from validation.attack.attack import attack
from validation.attack.board import Board, Case, good_cases
from validation.attack.scenes.reading import NO_CRASH, READ, Make, file_attack, look

MANY = 200_000


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
    """Registers an attack in which `make` replaces a file that is read."""

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


# --- at random


def mutate(data: bytes, draw: Any) -> bytes:
    """A few bytes changed, cut, duplicated or replaced by text that is difficult for readers."""
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
