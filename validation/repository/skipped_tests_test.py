# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that all kinds of skips are found in ctest's output, and that those that are not on the list are refused.

python3 -m unittest validation.repository.skipped_tests_test
"""

from __future__ import annotations

import contextlib
import fnmatch
import io
import json
import pathlib
import subprocess
import tempfile
import unittest
from xml.sax.saxutils import escape

from fixtures.programs import BIN, ROOT
from validation.repository import skipped_tests

ENTRY = """<testcase name="browser_test" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>looking for a browser
skipped: no Chromium; './dev setup --tests' installs it
</system-out></testcase>"""
GTEST = """[ RUN      ] LandlockTest.Network
support/process/landlock_test.cc:95: Skipped
Landlock 3 knows no network

[  SKIPPED ] LandlockTest.Network (0 ms)
[ RUN      ] LandlockTest.Folders
[       OK ] LandlockTest.Folders (1 ms)
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] LandlockTest.Network
"""
UNITTEST = """test_files (commands.split.lower_test.LowerTest.test_files)
Of others. ... skipped 'this kernel has no Landlock'
test_plain (commands.split.lower_test.LowerTest.test_plain) ... ok
"""
NOT_BUILT = """<testcase name="gone_test" status="notrun"><skipped message="Unable to find executable"/>
<system-out>Unable to find executable: gone_test</system-out></testcase>"""

# The environments that `./dev setup --tests` installs, and the name for an entry that needs none.
VENVS_OF_CI = {"iree", "jax", "junit", "lint", "none", "pjrt", "site", "xla", "xprof"}


def commands_of_ctest() -> dict[str, list[str]]:
    """The command of each entry, by its name."""
    listing = subprocess.run(
        ["ctest", "--show-only=json-v1"], cwd=BIN.parent, capture_output=True, text=True, check=True
    )
    return {test["name"]: test.get("command", []) for test in json.loads(listing.stdout)["tests"]}


def passed(name: str, output: str) -> str:
    return f'<testcase name="{name}" status="run"><system-out>{escape(output)}</system-out></testcase>'


class SkippedTestsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, *cases: str, allowed: str | None = None) -> tuple[int, str]:
        junit, listed = self.folder / "tests.xml", self.folder / "allowed.txt"
        junit.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        arguments = [str(junit)]
        if allowed is not None:
            listed.write_text(allowed)
            arguments += ["--allowed", str(listed)]
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = skipped_tests.main(arguments)
        return code, output.getvalue()

    def test_a_skipped_entry_is_reported_with_its_reason_and_the_command_that_tests_it(self) -> None:
        code, output = self.run_on(ENTRY, passed("unit", "ok"))
        self.assertEqual(code, 0)
        self.assertIn("not tested: 1 skip in 1 of 2 ctest entries", output)
        self.assertIn("  no Chromium; './dev setup --tests' installs it\n    browser_test\n", output)
        self.assertIn("  ./dev setup --tests && ./dev test -R '^(browser_test)$'\n", output)

    def test_a_skip_within_googletest_is_found(self) -> None:
        self.assertIn(
            "  Landlock 3 knows no network\n    landlock_test/LandlockTest.Network\n",
            self.run_on(passed("landlock_test", GTEST))[1],
        )

    def test_a_skip_within_unittest_is_found(self) -> None:
        self.assertIn(
            "  this kernel has no Landlock\n    lower_test/LowerTest.test_files\n",
            self.run_on(passed("lower_test", UNITTEST))[1],
        )

    def test_a_run_without_skips_has_nothing_to_say(self) -> None:
        self.assertEqual(self.run_on(passed("unit", "ok"), allowed=""), (0, ""))

    def test_an_entry_that_could_not_be_started_is_no_skip(self) -> None:
        self.assertEqual(self.run_on(NOT_BUILT, allowed=""), (0, ""))

    def test_skips_that_a_glob_of_the_list_matches_are_allowed(self) -> None:
        allowed = "# of kernels\nlandlock_test/LandlockTest.*: an older kernel  # 6.1\nbrowser_test: none here\n"
        self.assertEqual(self.run_on(ENTRY, passed("landlock_test", GTEST), allowed=allowed)[0], 0)

    def test_a_skip_that_is_not_on_the_list_is_red(self) -> None:
        code, output = self.run_on(ENTRY, allowed="")
        self.assertEqual(code, 1)
        self.assertIn("browser_test may not be skipped: ", output)

    def test_an_allowed_skip_was_not_necessarily_skipped(self) -> None:
        self.assertEqual(self.run_on(passed("browser_test", "ok"), allowed="browser_test: none here\n"), (0, ""))

    def test_a_line_without_a_reason_is_refused_with_its_number(self) -> None:
        code, output = self.run_on(ENTRY, allowed="\nbrowser_test\n")
        self.assertEqual(code, 2)
        self.assertIn("allowed.txt:2: 'browser_test' has no reason", output)

    def test_every_line_of_the_list_names_an_entry_of_ctest(self) -> None:
        for glob in skipped_tests.read_allowed(ROOT / ".ci/allowed_skips.txt"):
            with self.subTest(glob):
                self.assertTrue(fnmatch.filter(commands_of_ctest(), glob.partition("/")[0]))

    def test_every_entry_whose_packages_are_not_those_of_ci_is_on_the_list(self) -> None:
        allowed = skipped_tests.read_allowed(ROOT / ".ci/allowed_skips.txt")
        for name, command in commands_of_ctest().items():
            if "fixtures/with_python.sh" not in command:
                continue
            venvs = command[command.index("fixtures/with_python.sh") + 1].split()
            if not VENVS_OF_CI.intersection(venvs):
                with self.subTest(name):
                    self.assertEqual(skipped_tests.refused([skipped_tests.Skip(name, "")], allowed), [])


if __name__ == "__main__":
    unittest.main()
