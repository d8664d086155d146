# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that `opbyop` builds a verb that a build tree lacks. CMake is replaced by a script.

python3 -m unittest commands.build_tree_test
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time

from fixtures.programs import BIN, NO_INPUT, ROOT, USAGE, Done, ProgramTest

# Builds what `--target` names: a program that prints how it was called.
CMAKE = """#!/bin/sh
echo "cmake $*"
sleep 0.3
echo "$*" >> "$2/builds"
printf '#!/bin/sh\\n# libopbyop.so\\necho "$0" "$@"\\nexit 6\\n' > "$2/bin/$4"
chmod +x "$2/bin/$4"
"""


class BuildTreeTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.tree = self.folder / "build"
        (self.tree / "bin").mkdir(parents=True)
        (self.tree / "CMakeCache.txt").touch()
        shutil.copy(BIN / "opbyop", self.tree / "bin/opbyop")
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.write_cmake(CMAKE)

    def write_cmake(self, text: str) -> None:
        path = self.write("tools/cmake", text)
        path.chmod(0o755)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.tree / "bin/opbyop"), *arguments],
            cwd=ROOT,
            env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments: str) -> Done:
        child = self.start(*arguments)
        stdout, stderr = child.communicate(timeout=60)
        return Done(child.args, child.returncode, stdout, stderr)

    def builds(self) -> list[str]:
        path = self.tree / "builds"
        return path.read_text().splitlines() if path.exists() else []

    def test_a_verb_is_built_when_it_is_first_called(self) -> None:
        done = self.call("merge", "a", "-o", "b")
        self.assertEqual(done.returncode, 6)
        self.assertEqual(done.stdout, f"{self.tree}/bin/opbyop-merge merge a -o b\n")
        self.assertIn("building opbyop-merge", done.stderr)
        self.assertIn(f"cmake --build {self.tree} --target opbyop-merge", done.stderr)
        self.assertEqual(self.call("merge").stderr, "")
        self.assertEqual(len(self.builds()), 1)

    def test_a_verb_that_is_older_than_a_shared_library_is_built_again(self) -> None:
        self.call("merge")
        later = time.time() + 1
        (self.tree / "bin/libopbyop.so").touch()
        os.utime(self.tree / "bin/libopbyop.so", (later, later))
        time.sleep(1)
        self.assertIn("building opbyop-merge", self.call("merge").stderr)
        self.assertEqual(self.call("merge").stderr, "")

    def test_two_calls_at_once_build_once(self) -> None:
        children = [self.start("merge") for _ in range(2)]
        for child in children:
            child.communicate(timeout=60)
            self.assertEqual(child.returncode, 6)
        self.assertEqual(len(self.builds()), 1)

    def test_help_and_completion_build_nothing(self) -> None:
        for arguments in (
            ["--help"],
            ["merge", "--help"],
            ["history", "import", "-h"],
            ["--print=bash"],
            ["--version"],
        ):
            self.assertEqual(self.call(*arguments).returncode, 0)
        self.assertIn("did you mean merge?", self.call("merg").stderr)
        self.assertEqual(self.call("merg").returncode, USAGE)
        self.assertEqual(self.builds(), [])

    def test_a_verb_that_cannot_be_built_says_so(self) -> None:
        self.write_cmake("#!/bin/sh\nexit 5\n")
        done = self.call("merge")
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertIn("opbyop-merge is not built, and building it failed (exit code 5): ./dev build", done.stderr)

    def test_an_installation_builds_nothing(self) -> None:
        (self.tree / "CMakeCache.txt").unlink()
        done = self.call("merge")
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertIn("cannot be started", done.stderr)
        self.assertEqual(self.builds(), [])
