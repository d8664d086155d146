# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that every import of a module of this repository names a file that exists, in tests that are skipped too."""

from __future__ import annotations

import ast
import functools
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def imported(tree: ast.Module) -> set[str]:
    """The modules that a file imports by their full names, and the names that it imports from packages."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@functools.cache
def names_in(module: Path) -> str:
    return ast.dump(ast.parse(module.read_text()))


def is_there(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    if path.with_suffix(".py").is_file() or path.is_dir():
        return True
    modules = [path.parent.with_suffix(".py"), path.parent / "__init__.py"]
    return any(path.name in names_in(module) for module in modules if module.is_file())


class ImportsTest(unittest.TestCase):
    def setUp(self) -> None:
        listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
        self.files = listed.stdout.split()
        self.own = {file.split("/")[0] for file in self.files if "/" in file}

    def test_imports_of_own_modules_name_files_that_exist(self) -> None:
        wrong = [
            f"{file}: {name}"
            for file in self.files
            for name in imported(ast.parse((ROOT / file).read_text()))
            if name.split(".")[0] in self.own and not is_there(name)
        ]
        self.assertEqual(wrong, [])

    def test_a_module_that_was_moved_is_found(self) -> None:
        self.assertFalse(is_there("validation.imports_test"))
        self.assertTrue(is_there("validation.repository.imports_test"))
        self.assertTrue(is_there("validation.repository.imports_test.ROOT"))


if __name__ == "__main__":
    unittest.main()
