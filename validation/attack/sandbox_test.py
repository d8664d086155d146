# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests what an attack by an ordinary user may do, and which attacks that user performs.

python3 -m unittest validation.attack.sandbox_test
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from fixtures.programs import ROOT
from validation.attack import sandbox
from validation.attack.__main__ import with_users
from validation.attack.attack import Attack, Single

USER = sandbox.ORDINARY_USER


def in_child(act: Callable[[], bool]) -> bool:
    """Returns the result of `act` in a separate process."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if act() else 1)
        except BaseException as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(2)
    return os.waitpid(pid, 0)[1] == 0


@unittest.skipIf(os.geteuid() != 0, "only root can become another user")
class OrdinaryUserTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)  # not readable for others

    def as_user(self, act: Callable[[], bool], *reachable: Path) -> bool:
        def become_and_act() -> bool:
            private = sandbox.isolate()
            if private:
                sandbox.make_reachable(reachable)
            sandbox.become(USER, may_mount=private)
            return act()

        return in_child(become_and_act)

    def test_modes_of_files_apply_to_it(self) -> None:
        (self.folder / "file").write_text("x")
        self.assertTrue(self.as_user(lambda: not os.access(self.folder / "file", os.R_OK)))

    def test_what_it_starts_has_no_rights_at_all(self) -> None:
        def act() -> bool:
            status = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
            return f"Uid:\t{USER}\t{USER}\t{USER}" in status and "CapEff:\t0000000000000000" in status

        self.assertTrue(self.as_user(act))

    def test_it_mounts_if_root_may(self) -> None:
        if not in_child(sandbox.isolate):
            self.skipTest("no mounts are allowed here")
        own = self.folder / "own"
        own.mkdir()
        os.chown(own, USER, USER)
        self.assertTrue(self.as_user(lambda: sandbox.mount_tmpfs(own, 1 << 20), own))

    def test_a_folder_below_a_closed_one_is_reached(self) -> None:
        if not in_child(sandbox.isolate):
            self.skipTest("no mounts are allowed here")
        inside = self.folder / "a/b"
        inside.mkdir(parents=True)
        (inside / "file").write_text("x")
        (self.folder / "other").write_text("x")
        reached = lambda: (inside / "file").read_text() == "x" and not (self.folder / "other").exists()  # noqa: E731
        self.assertTrue(self.as_user(reached, inside))
        self.assertTrue((self.folder / "other").exists(), "nothing of it is seen elsewhere")

    def test_this_project_and_its_python_are_reached(self) -> None:
        if not in_child(sandbox.isolate):
            self.skipTest("no mounts are allowed here")
        command = [sys.executable, "-c", "import validation.attack.sandbox"]
        paths = (ROOT, Path(sys.prefix), Path(sys.base_prefix))
        self.assertTrue(self.as_user(lambda: subprocess.run(command, cwd=ROOT, check=False).returncode == 0, *paths))


class AnyUserTest(unittest.TestCase):
    def test_what_it_starts_is_the_same_user(self) -> None:
        def act() -> bool:
            sandbox.isolate()
            started = subprocess.run(["id", "-u"], capture_output=True, text=True, check=True)
            return int(started.stdout) == os.getuid()

        self.assertTrue(in_child(act))


class WhoPerformsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.both = Single(Attack("modes.a", "", short=True, short_by_user=True), lambda _: "", 1)
        self.root = Single(Attack("text.a", "", short=True), lambda _: "", 1)
        self.chosen = [(scene, scene.attacks) for scene in (self.both, self.root)]

    def performed(self, whom: str, short: bool = False) -> list[tuple[str, int | None]]:
        return [(attacks[0].name, user) for _, attacks, user in with_users(self.chosen, whom, short)]

    def test_both_perform_what_differs(self) -> None:
        self.assertEqual(self.performed("both"), [("modes.a", None), ("text.a", None), ("modes.a", USER)])

    def test_one_performs_all(self) -> None:
        self.assertEqual(self.performed("root"), [("modes.a", None), ("text.a", None)])
        self.assertEqual(self.performed("user"), [("modes.a", USER), ("text.a", USER)])

    def test_the_short_form_has_few_of_the_user(self) -> None:
        self.assertEqual(self.performed("both", short=True), [("modes.a", None), ("text.a", None), ("modes.a", USER)])


if __name__ == "__main__":
    unittest.main()
