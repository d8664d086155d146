# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that docs/design/rooms.md allows every include and every link between rooms."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS_PAGE = ROOT / "docs/design/rooms.md"

# The files of tests and benchmarks.
BENCH = re.compile(
    r"test_.*|.*(_test\.cc|_fixture\.(h|cc)|_benchmark\.cc|_main\.cc)|sample_.*|example_run.*|golden_page.*"
)

# Folders in a room that the page lists as rooms, or that hold data.
TABLED_ELSEWHERE = {"optrace"}
INCLUDE = re.compile(r'^#include "([a-z]+)/', re.MULTILINE)
RULE = re.compile(
    r"^\s*opbyop_(library|program|verb|test|fuzz)\((?:[A-Z_]+\s+)*?NAME\s+(\S+)(.*?)\)", re.MULTILINE | re.DOTALL
)


def allowed() -> dict[str, set[str]]:
    """The rooms that each room may use, in the page's order; `all above but a and b` is expanded."""
    rooms: dict[str, set[str]] = {}
    for line in ROOMS_PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or not cells[0].startswith("`"):
            continue
        named = set(re.findall(r"`(\w+)`", cells[2]))
        above = cells[2].startswith("all above")
        rooms[cells[0].strip("`/")] = set(rooms) - named if above else named
    return rooms


def folders_of_rooms() -> dict[str, list[str]]:
    """The folders of each room in the page's order: each may use those before it."""
    text = ROOMS_PAGE.read_text().split("## Folders of a room", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)/` \| (.*) \|$", text, re.MULTILINE)
    return {room: re.findall(r"`(\w+)/`", cells) for room, cells in rows}


def sources(pattern: str) -> list[Path]:
    return [path for room in allowed() for path in sorted((ROOT / room).rglob(pattern))]


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def dependencies(text: str) -> list[str]:
    found = re.search(r"\bDEPS\s+([^)]*)", text)
    return re.split(r"\s+", found.group(1).strip()) if found else []


class RoomsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.allowed = allowed()

    def refused(self, path: Path, used: str, is_bench: bool) -> bool:
        room = room_of(path)
        if used == room or used not in self.allowed:
            return False
        return used not in self.allowed[room] and not (is_bench and used == "fixtures")

    def test_the_page_names_every_room(self) -> None:
        rooms = {path.parent.name for path in ROOT.glob("*/CMakeLists.txt")} - {"build"}
        self.assertEqual(rooms, set(self.allowed))

    def test_no_two_rooms_use_each_other(self) -> None:
        for room, used in self.allowed.items():
            for other in used:
                self.assertNotIn(room, self.allowed[other], f"{room} and {other}")

    def test_an_edge_that_is_not_on_the_page_is_refused(self) -> None:
        self.assertTrue(self.refused(ROOT / "device/host/host_target.cc", "reference", False))
        self.assertTrue(self.refused(ROOT / "harness/slot/slot.cc", "fixtures", False))
        self.assertFalse(self.refused(ROOT / "harness/slot/slot_test.cc", "fixtures", True))
        self.assertTrue(self.refused(ROOT / "harness/slot/slot_test.cc", "device", True))

    def test_includes(self) -> None:
        found = sources("*.h") + sources("*.cc")
        self.assertGreater(len(found), 300)
        for path in found:
            for used in INCLUDE.findall(path.read_text()):
                if self.refused(path, used, bool(BENCH.fullmatch(path.name))):
                    self.fail(
                        f"{path.relative_to(ROOT)} includes {used}/: docs/design/rooms.md does not have that edge"
                    )

    def test_folders_of_a_room_use_those_before_them(self) -> None:
        rooms = folders_of_rooms()
        self.assertGreater(len(rooms), 5)
        for room, folders in rooms.items():
            here = {
                path.parent.relative_to(ROOT / room).parts[0]
                for path in (ROOT / room).rglob("*.cc")
                if path.parent != ROOT / room
            }
            self.assertLessEqual(
                here - {"test"} - TABLED_ELSEWHERE, set(folders), f"folders of {room}/ that {ROOMS_PAGE.name} lacks"
            )
            for place, folder in enumerate(folders):
                for path in [*(ROOT / room / folder).rglob("*.h"), *(ROOT / room / folder).rglob("*.cc")]:
                    if BENCH.fullmatch(path.name):
                        continue
                    used = set(re.findall(rf'^#include "{room}/(\w+)/', path.read_text(), re.MULTILINE))
                    self.assertLessEqual(
                        used & set(folders), set(folders[: place + 1]), f"{path.relative_to(ROOT)}: {ROOMS_PAGE.name}"
                    )

    def test_no_verb_uses_another(self) -> None:
        for path in (ROOT / "commands").glob("*/*.cc"):
            for used in re.findall(r'^#include "commands/(\w+)/', path.read_text(), re.MULTILINE):
                self.assertEqual(used, path.parent.name, path.relative_to(ROOT))

    def test_no_folder_of_code_has_more_files_than_a_screen(self) -> None:
        for room in self.allowed:
            for folder in {path.parent for path in (ROOT / room).rglob("*") if path.suffix in (".h", ".cc", ".py")}:
                files = [path for path in folder.iterdir() if path.suffix in (".h", ".cc", ".py")]
                self.assertLessEqual(len(files), 64, folder.relative_to(ROOT))

    def test_links(self) -> None:
        rules = [
            (path, *rule.groups()) for path in sources("CMakeLists.txt") for rule in RULE.finditer(path.read_text())
        ]
        homes = {name: room_of(path) for path, kind, name, _ in rules if kind == "library"}
        self.assertGreater(len(homes), 35)
        for path, kind, name, rest in rules:
            is_bench = kind == "test" or name.endswith("_benchmark")
            for used in dependencies(rest):
                if used in homes and self.refused(path, homes[used], is_bench):
                    edge = f"{name} links {used} of {homes[used]}/"
                    self.fail(f"{path.relative_to(ROOT)}: {edge}, an edge that is not in {ROOMS_PAGE.name}")


if __name__ == "__main__":
    unittest.main()
