# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests ./dev toolchains with a package index of a few wheels that the test makes.

PYTHONPATH=packaging python3 -m unittest toolchains_test
"""

from __future__ import annotations

import io
import os
import sys
import unittest
from unittest import mock

import toolchains

from commands.bisect.bisect_test import TANH, TARGET, has_pip, write_wheel
from fixtures.programs import BIN, ProgramTest

REQUIREMENTS = "device/fakecc/requirements.txt"


class RepinnedTest(unittest.TestCase):
    def test_only_lines_of_this_python_change(self) -> None:
        text = """# What it needs.
jax==0.12.0 ; python_version >= "3.12"
jax==0.10.2 ; python_version < "3.12"
ml_dtypes==0.6.0
"""
        changed = toolchains.repinned(text, {"jax": "0.13.0", "ml_dtypes": "0.7.0"}, minor=13)
        self.assertEqual(changed, text.replace("0.12.0", "0.13.0").replace("0.6.0", "0.7.0"))

    def test_a_package_that_is_not_installed_keeps_its_pin(self) -> None:
        self.assertEqual(toolchains.repinned("jax==0.12.0\n", {}), "jax==0.12.0\n")


class PinnedTest(ProgramTest):
    def test_targets_with_one_file_are_one_toolchain(self) -> None:
        self.write("a.txt", "libtpu==1\nhelper==2\n")
        found = toolchains.pinned_toolchains(self.folder, {"v6": ["a.txt"], "v5": ["a.txt"]})
        self.assertEqual(
            [(each.targets, each.packages, each.version) for each in found], [(["v5", "v6"], ["libtpu"], "1")]
        )

    def test_a_package_that_the_index_lacks_says_why(self) -> None:
        pinned = toolchains.Pinned("a.txt", ["chip"], ["no-such-package"], "1")
        with mock.patch.dict(os.environ, {"PIP_NO_INDEX": "1"}):
            self.assertIn("| chip | no-such-package | 1 | not known: ", toolchains.table([pinned]))


@unittest.skipUnless(has_pip(), "python3 has no pip: apt-get install python3-pip")
class UpdateTest(ProgramTest):
    """Of the wheels, 1.0 compiles everything, 1.2 and 1.3 no tanh."""

    def setUp(self) -> None:
        super().setUp()
        index = self.folder / "index"
        index.mkdir()
        for version in ("1.0", "1.2", "1.3"):
            write_wheel(index, version)
        settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index), "OPBYOP_BIN_DIR": str(BIN)}
        for patch in (mock.patch.dict(os.environ, settings), mock.patch("sys.stdout", io.StringIO())):
            patch.start()
            self.addCleanup(patch.stop)
        self.model = self.write("m.mlir", TANH)
        for folder in ("device/fakecc", "manifests/targets", "manifests/baselines"):
            (self.folder / folder).mkdir(parents=True)
        (self.folder / "manifests/targets/fakecc.yaml").write_text(TARGET)

    def update(self, pinned: str) -> toolchains.Update:
        (self.folder / REQUIREMENTS).write_text(f"# A compiler.\nfakecc=={pinned}\n")
        [toolchain] = toolchains.pinned_toolchains(self.folder, {"fakecc": [REQUIREMENTS]})
        cases = {"models": ["split", "--quiet", str(self.model)]}
        return toolchains.Update(self.folder, "fakecc", toolchain, self.folder / "out", cases)

    def test_a_version_with_which_a_row_breaks_is_worse_and_can_be_adopted(self) -> None:
        update = self.update("1.0")
        self.assertEqual(update.compare("1.2"), toolchains.WORSE)
        self.assertIn("==1.0", (self.folder / REQUIREMENTS).read_text(), "nothing is adopted before it is asked for")
        update.adopt("1.2")
        self.assertEqual((self.folder / REQUIREMENTS).read_text(), "# A compiler.\nfakecc==1.2\n")
        self.assertIn("tanh", (self.folder / "manifests/baselines/fakecc.yaml").read_text())

    def test_a_version_with_the_same_results_is_not_worse(self) -> None:
        self.assertEqual(self.update("1.2").compare("1.3"), toolchains.OK)

    def test_a_program_beside_the_requirements_completes_each_environment(self) -> None:
        completion = (self.folder / REQUIREMENTS).with_suffix(".py")
        completion.write_text(
            "import importlib.util as u, sys\nassert u.find_spec('fakecc')\nopen(sys.argv[1] + '/stubs', 'w').close()\n"
        )
        python = self.update("1.2").toolchain.environment("1.2")
        self.assertTrue((python.parents[1] / "stubs").exists())
        completion.write_text("raise SystemExit('no C compiler')\n")
        with self.assertRaisesRegex(toolchains.Stop, "not installed: requirements.py: no C compiler"):
            self.update("1.2").toolchain.environment("1.3")

    def test_a_version_that_cannot_be_installed_is_said_by_pip(self) -> None:
        with self.assertRaisesRegex(toolchains.Stop, "not installed: .*9.9"):
            self.update("1.0").compare("9.9")


if __name__ == "__main__":
    sys.exit(unittest.main())
