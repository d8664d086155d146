# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the tests of the history on a real PostgreSQL server.

python3 -m unittest history.test.postgres_test
"""

from __future__ import annotations

import os
import subprocess
import unittest
from unittest import mock

from fixtures.programs import BIN, ROOT, run
from history.test import kill_test, month_test
from history.test.postgres_server import PostgresServer, programs


@unittest.skipIf(programs() is None, "no PostgreSQL: apt-get install postgresql")
class PostgresTest(unittest.TestCase):
    def test_the_tests_of_a_file_pass_on_a_server(self) -> None:
        with PostgresServer() as server:
            done = subprocess.run(
                [BIN / "history_test", "--gtest_filter=-MigrationsTest.*:SlowdownTest.*", "--gtest_brief=1"],
                cwd=ROOT,
                env={**os.environ, "OPBYOP_TEST_HISTORY": server.url},
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def run_on_a_server(self, tests: type[unittest.TestCase], least: int) -> None:
        with PostgresServer() as server, mock.patch.dict(os.environ, {"OPBYOP_TEST_HISTORY": server.url}):
            suite = unittest.defaultTestLoader.loadTestsFromTestCase(tests)
            result = unittest.TestResult()
            suite.run(result)
            self.assertGreaterEqual(result.testsRun, least)
            self.assertEqual([text for _, text in [*result.errors, *result.failures]], [])

    def test_a_month_on_a_server(self) -> None:
        self.run_on_a_server(month_test.MonthTest, 6)

    def test_an_import_into_a_server_that_is_killed(self) -> None:
        self.run_on_a_server(kill_test.KillTest, 3)

    def test_a_server_without_a_history_says_so(self) -> None:
        with PostgresServer() as server:
            done = run("opbyop", "rank", "--db", server.url)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("holds no history", done.stderr)


if __name__ == "__main__":
    unittest.main()
