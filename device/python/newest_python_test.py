# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests which Python newest_python.sh chooses for environments, with scripts in place of Pythons.

python3 -m unittest device.python.newest_python_test
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parent / "newest_python.sh"
MAKE_VENV = Path(__file__).parent / "make_venv.sh"


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

    def test_the_python_of_the_environment_comes_first_and_must_be_usable(self) -> None:
        self.program("python3.14", "echo /fourteen")
        mine = self.program("mine", 'case "$2" in *venv*) exit 1 ;; *) echo /mine ;; esac')
        self.assertEqual(self.asked(OPBYOP_PYTHON=str(mine)).stdout, "/mine\n")
        done = self.asked("venv", OPBYOP_PYTHON=str(mine))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("with the modules: venv", done.stderr)

    def test_uv_is_used_if_the_path_has_none(self) -> None:
        done = self.asked("venv")
        self.assertEqual(done.returncode, 3)
        self.assertIn("python3-venv", done.stderr)
        there = self.program("elsewhere", "echo /of/uv")
        self.program("uv", f"echo {there}")
        self.assertEqual(self.asked("venv").stdout, "/of/uv\n")

    def test_this_python_is_found_and_an_old_one_is_not(self) -> None:
        self.program("python3", f'exec {sys.executable} "$@"')
        self.assertEqual(self.asked("venv").stdout, f"{sys.executable}\n")
        # A Python that exits with 1 fails the check of its version.
        self.program("python3", "case $1 in --version) echo Python 3.10.13 ;; *) exit 1 ;; esac")
        done = self.asked()
        self.assertEqual(done.returncode, 3)
        self.assertIn("Python 3.10.13 there", done.stderr)
        done = self.asked(OPBYOP_PYTHON="python3")
        self.assertIn("python3 (Python 3.10.13), which is no Python of 3.11", done.stderr)


class MakeVenvTest(unittest.TestCase):
    def test_an_old_python_is_refused_by_name_before_anything_is_made(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            old = Path(name) / "old"
            old.write_text("#!/bin/sh\ncase $1 in --version) echo Python 3.10.13 ;; *) exit 1 ;; esac\n")
            old.chmod(0o755)
            requirements = Path(name) / "requirements.txt"
            requirements.touch()
            command = ["sh", str(MAKE_VENV), f"{name}/venv", str(requirements), str(old)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3)
            self.assertIn("is Python 3.10.13, and opbyop needs Python 3.11 or later", done.stderr)
            self.assertFalse((Path(name) / "venv").exists())

    def test_a_neighbour_of_the_requirements_completes_the_environment(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            requirements, venv = Path(name) / "requirements-chip.txt", Path(name) / "venv"
            requirements.touch()
            after = Path(name) / "requirements-chip.py"
            command = ["sh", str(MAKE_VENV), str(venv), str(requirements), sys.executable]
            after.write_text("import sys; sys.exit(f'no driver in {sys.argv[1]}')\n")
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"no driver in {venv}", done.stderr)
            after.write_text("import pathlib, sys; pathlib.Path(sys.argv[1], 'driver').write_text(sys.prefix)\n")
            subprocess.run(command, check=True)
            self.assertEqual((venv / "driver").read_text(), str(venv))


if __name__ == "__main__":
    unittest.main()
