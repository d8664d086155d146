# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""An import that is killed leaves only whole runs, and the next import resumes it.

python3 -m unittest history.test.kill_test
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import ClassVar

from fixtures.programs import BIN, run
from history.test.month import NIGHTS
from history.test.month_test import month_of
from history.test.postgres_server import programs

TABLES = ["results", "stages", "comparisons", "timings", "run_counts", "run_models", "run_causes", "changes"]
QUESTIONS = ["list", "trend", "changes", "groups", "flaky", "since", "rank", "left", "types", "slowest"]

# The import is killed after it has reported this many runs.
MOMENTS = [0, 0, 1, 2, 5, 9, 14, 20, 24]


class KillTest(unittest.TestCase):
    """On SQLite, or on the server of OPBYOP_TEST_HISTORY."""

    folder: ClassVar[Path]
    nights: ClassVar[list[Path]]
    server: ClassVar[str | None]
    expected: ClassVar[dict[str, str]]
    killed = 0

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        month, _ = month_of(cls.folder)
        cls.nights = [month.night(number) for number in range(1, NIGHTS + 1)]
        cls.server = os.environ.get("OPBYOP_TEST_HISTORY")
        cls.expected = cls.answers(cls.fresh("whole", then_import=True))

    @classmethod
    def fresh(cls, name: str, *, then_import: bool = False) -> str:
        """An empty history."""
        if cls.server:
            cls.ask(cls.server, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        where = cls.server or str(cls.folder / f"{name}.db")
        if then_import:
            done = run("opbyop", "history", "import", *cls.nights, "--db", where)
            assert done.returncode == 0, done.stderr
        return where

    @staticmethod
    def ask(where: str, statement: str) -> list[str]:
        """The first column of the answer."""
        if where.startswith("postgresql://"):
            psql = [str((programs() or Path()) / "psql"), "-Atq", where, "-c", statement]
            return subprocess.run(psql, capture_output=True, text=True, check=True).stdout.split()
        with contextlib.closing(sqlite3.connect(where)) as db:
            return [str(line[0]) for line in db.execute(statement)]

    @staticmethod
    def answers(where: str) -> dict[str, str]:
        said = {}
        for question in QUESTIONS:
            more = [] if question == "list" else ["--most", "0", "--csv"]
            done = run("opbyop", "history", question, *more, "--db", where)
            assert done.returncode in (0, 7), done.stderr
            said[question] = done.stdout
        return said

    def kill_after(self, where: str, reported: int, delay_s: float) -> None:
        argv = [str(BIN / "opbyop"), "history", "import", *map(str, self.nights), "--db", where]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            new = 0
            while new < reported and (line := process.stdout.readline()):
                new += "imported" in line
            time.sleep(delay_s)
            process.kill()
        self.killed += process.returncode == -9

    def check_whole(self, where: str) -> None:
        """Checks that every run in the history is complete, and that nothing remains of any other run."""
        if not where.startswith("postgresql://"):
            if not Path(where).exists():
                return
            self.assertEqual(self.ask(where, "PRAGMA integrity_check"), ["ok"])
            if self.ask(where, "SELECT count(*) FROM sqlite_master WHERE name = 'runs'") == ["0"]:
                return
        elif self.ask(where, "SELECT count(*) FROM pg_tables WHERE tablename = 'runs'") == ["0"]:
            return
        for table in TABLES:
            orphans = self.ask(where, f"SELECT count(*) FROM {table} WHERE run_id NOT IN (SELECT id FROM runs)")
            self.assertEqual(orphans, ["0"], table)
        torn = self.ask(
            where,
            "SELECT r.name FROM runs r WHERE (SELECT count(*) FROM results x WHERE x.run_id = r.id) <> "
            "(SELECT coalesce(sum(rows_count), 0) FROM run_counts c WHERE c.run_id = r.id)",
        )
        self.assertEqual(torn, [])
        runs = self.ask(where, "SELECT name FROM runs ORDER BY started_us")
        self.assertEqual(runs, [night.name for night in self.nights[: len(runs)]], "one after the other")

    def test_a_killed_import_leaves_whole_runs_and_is_resumed(self) -> None:
        chance = random.Random(19)
        for number, reported in enumerate(MOMENTS):
            with self.subTest(reported=reported):
                where = self.fresh(f"killed-{number}")
                self.kill_after(where, reported, chance.uniform(0, 0.05))
                self.check_whole(where)
                done = run("opbyop", "history", "import", *self.nights, "--db", where)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.answers(where), self.expected)
        self.assertGreater(self.killed, 0, "some had not ended")

    def test_an_import_that_is_killed_again_and_again_is_finished(self) -> None:
        where, chance = self.fresh("again"), random.Random(20)
        for _ in range(12):
            self.kill_after(where, 1, chance.uniform(0, 0.03))
            self.check_whole(where)
        done = run("opbyop", "history", "import", *self.nights, "--db", where)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.answers(where), self.expected)

    def test_two_at_once_are_one_after_the_other(self) -> None:
        where = self.fresh("twice")
        argv = [str(BIN / "opbyop"), "history", "import", "--db", where]
        both = [
            subprocess.Popen([*argv, *map(str, nights)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for nights in (self.nights, self.nights[::-1])
        ]
        for process in both:
            said, _ = process.communicate()
            self.assertEqual(process.returncode, 0, said)
        self.check_whole(where)
        self.assertEqual(self.answers(where), self.expected)


if __name__ == "__main__":
    unittest.main()
