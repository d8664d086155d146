# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks by manifests whose cases have any content: an error with a line, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from validation.attack.arena import Arena
from validation.attack.board import Board, manifest
from validation.attack.scenes.reading import Make, file_attack


def with_entry(change: Callable[[dict[str, Any]], Any]) -> Make:
    def make(arena: Arena, board: Board) -> None:
        entries = [case.entry() for case in board.cases]
        changed = change(entries[1])
        entries[1] = entries[1] if changed is None else changed
        board.manifest.write_text(manifest(entries))

    return make


def block_style(text: str) -> Make:
    """The list of cases in a YAML style that this project does not write."""

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
    "dtype_unknown": ("inputs", [{"shape": [4], "dtype": "f33"}]),  # the compiler knows which types exist
    "outputs_null": ("outputs", None),
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
