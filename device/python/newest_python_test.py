# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Which Python environments are made of: newest_python.sh among programs that answer for Pythons.

python3 -m unittest device.python.newest_python_test
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parent / "newest_python.sh"


class NewestPythonTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def program(self, name: str, script: str) -> Path:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def asked(self, *modules: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["/bin/sh", str(SCRIPT), *modules]
        environment = {"PATH": str(self.folder), **environment}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    def test_the_newest_that_has_the_modules_is_taken(self) -> None:
        self.program("python3", "echo /default")
        self.program("python3.12", 'case "$2" in *venv*) echo /twelve ;; *) exit 1 ;; esac')
        self.program("python3.14", 'case "$2" in *venv*) exit 1 ;; *) echo /fourteen ;; esac')
        self.assertEqual(self.asked().stdout, "/fourteen\n")
        self.assertEqual(self.asked("venv").stdout, "/twelve\n")
        self.assertEqual(self.asked("pip").stdout, "/fourteen\n")

    def test_that_of_the_environment_comes_first_and_must_do(self) -> None:
        self.program("python3.14", "echo /fourteen")
        mine = self.program("mine", 'case "$2" in *venv*) exit 1 ;; *) echo /mine ;; esac')
        self.assertEqual(self.asked(OPBYOP_PYTHON=str(mine)).stdout, "/mine\n")
        done = self.asked("venv", OPBYOP_PYTHON=str(mine))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("with the modules: venv", done.stderr)

    def test_uv_is_asked_where_the_path_has_none(self) -> None:
        done = self.asked("venv")
        self.assertEqual(done.returncode, 3)
        self.assertIn("python3-venv", done.stderr)
        there = self.program("elsewhere", "echo /of/uv")
        self.program("uv", f"echo {there}")
        self.assertEqual(self.asked("venv").stdout, "/of/uv\n")

    def test_this_python_is_found_and_an_old_one_is_not(self) -> None:
        self.program("python3", f'exec {sys.executable} "$@"')
        self.assertEqual(self.asked("venv").stdout, f"{sys.executable}\n")
        self.program("python3", "exit 1")  # what the comparison of versions ends with
        self.assertEqual(self.asked().returncode, 3)


if __name__ == "__main__":
    unittest.main()
