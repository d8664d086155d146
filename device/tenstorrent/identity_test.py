# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the identity of toolchain and card, with tools that report it and tools that do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import identity

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = ROOT / "fixtures/tenstorrent/bin"
COMMIT = "19c86fca00000000000000000000000000000001"


class IdentityTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ask(self, *options: str, path: str) -> dict[str, str]:
        command = [sys.executable, str(ROOT / "device/tenstorrent/identity.py"), *options]
        text = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": path}).stdout
        return json.loads(text)

    def tool(self, name: str, script: str) -> None:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def test_a_flatbuffer_gives_the_commit_and_tt_smi_the_card(self) -> None:
        found = self.ask(path=f"{STAND_INS}:{os.environ['PATH']}")
        self.assertEqual((found["commit"], found["card"]), (COMMIT, "n150"))
        self.assertIn("LLVM version", found["toolchain"])

    def test_values_of_the_target_file_are_used(self) -> None:
        found = self.ask("--commit=abc", "--card=wormhole_b0 (mock)", path=f"{STAND_INS}:{os.environ['PATH']}")
        self.assertEqual((found["commit"], found["card"]), ("abc", "wormhole_b0 (mock)"))

    def test_unknown_values_are_left_out(self) -> None:
        self.assertEqual(self.ask(path=str(self.folder)), {})

    def test_a_tool_that_fails_or_prints_invalid_output_reports_nothing(self) -> None:
        self.tool("ttmlir-opt", "echo broken; exit 1")
        self.tool("tt-smi", "echo '{\"device_info\": 3}'")
        self.assertEqual(self.ask(path=f"{self.folder}:{os.environ['PATH']}"), {})

    def test_a_build_reports_the_commit_of_its_checkout(self) -> None:
        self.tool("ttmlir-opt", 'case "$1" in --version) echo LLVM version 22;; *) exit 1;; esac')
        self.tool("git", f'[ "$2" = /src/tt-mlir ] && echo {COMMIT}')
        (self.folder / "CMakeCache.txt").write_text("A:B=c\nCMAKE_HOME_DIRECTORY:INTERNAL=/src/tt-mlir\n")
        found = self.ask(path=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(found, {"toolchain": "LLVM version 22", "commit": COMMIT})

    def test_bytes_that_are_no_flatbuffer_have_no_commit(self) -> None:
        for data in (b"", b"\0" * 8, b"\xff" * 200, b"\x08\0\0\0" * 30):
            self.assertIsNone(identity.commit_in(data))

    def test_boards_of_several_kinds_are_all_named(self) -> None:
        boards = [{"board_info": {"board_type": name}} for name in ("n300 L", "n300 R", "p150b")]
        self.tool("tt-smi", f"echo 'a banner'\necho '{json.dumps({'device_info': boards})}'")
        self.assertEqual(self.ask(path=f"{self.folder}:{os.environ['PATH']}"), {"card": "n300+p150b"})


if __name__ == "__main__":
    unittest.main()
