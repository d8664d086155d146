# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests full and read-only disks, files that are no history, and damaged runs: each is reported, and none does harm.

python3 -m unittest history.test.refusal_test
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import unittest
from pathlib import Path
from typing import Any

from fixtures.programs import BAD_INPUT, BIN, NO_INPUT, NOTHING, PARTIAL, UNSUPPORTED, ProgramTest

SCHEMA = Path(__file__).parents[1] / "database/schema"
CASES = 6


def write_run(folder: Path, run_id: str = "one", cases: int = CASES, **header: Any) -> Path:
    """A run of additions, all of which pass."""
    names = [f"add_{i}x4_f32_{i:08x}" for i in range(cases)]
    folder.mkdir(parents=True)
    manifest = [
        "schema: opbyop-manifest/1",
        'models:\n- {name: "m", source: "m.mlir", sha256: "0", frontend: jax, producer: "", ops: 6}',
        "cases:" if cases else "cases: []",
    ]
    for i, name in enumerate(names):
        tensor = {"shape": [i, 4], "dtype": "f32"}
        case = {"id": name, "op": "stablehlo.add", "kind": "elementwise_binary", "file": f"cases/{name}.mlir"}
        case |= {"hash": f"{i:08x}", "inputs": [tensor, tensor], "outputs": [tensor], "attributes": {}}
        case |= {"flops": 1, "bytes": 1, "origins": [{"model": "m", "count": 1, "locations": []}]}
        manifest.append("- " + json.dumps(case))
    (folder / "manifest.yaml").write_text("\n".join(manifest) + "\n")
    first = {"schema": "opbyop-results/1", "record": "header", "run_id": run_id, "target": "host"}
    first |= {"stages": ["parse", "compare"], "manifest": "manifest.yaml", "manifest_hash": ""}
    first |= {"start": "2026-11-21T02:00:00.000000+00:00"}
    lines = [first | header]
    for name in names:
        stages = [{"name": stage, "status": "pass", "ms": 1.5} for stage in ("parse", "compare")]
        lines.append({"record": "case", "case": name, "status": "pass", "stage": "compare", "stages": stages})
    lines.append({"record": "footer", "totals": {"pass": cases}, "wall_s": 1, "end": ""})
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


class RefusalTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.db = self.folder / "history.db"

    def import_run(self, *runs: Path, code: int = 0, db: Path | None = None) -> subprocess.CompletedProcess[str]:
        return self.opbyop("history", "import", *runs, "--db", db or self.db, code=code)

    def count(self, table: str, db: Path | None = None) -> int:
        with contextlib.closing(sqlite3.connect(db or self.db)) as opened:
            return int(opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def assert_says(self, done: subprocess.CompletedProcess[str], *words: str) -> None:
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertLessEqual(len(done.stderr.strip().splitlines()), 2, done.stderr)

    # --- runs

    def test_a_run_of_no_rows_is_one(self) -> None:
        self.assertIn("imported 0 rows", self.import_run(write_run(self.folder / "run", cases=0)).stdout)
        self.assertIn("one", self.opbyop("history", "list", "--db", self.db).stdout)
        self.assertIn("nothing", self.opbyop("history", "rank", "--db", self.db).stdout)

    def test_a_run_that_was_copied_is_there_once(self) -> None:
        run = write_run(self.folder / "run")
        self.import_run(run)
        copy = self.folder / "elsewhere"
        shutil.copytree(run, copy)
        self.assertIn("is there", self.import_run(copy).stdout)
        self.assertIn("is there", self.import_run(run, copy).stdout)
        self.assertEqual(self.count("runs"), 1)

    def test_a_truncated_run_is_kept_and_reported(self) -> None:
        run = write_run(self.folder / "run")
        text = (run / "results.jsonl").read_text()
        (run / "results.jsonl").write_text(text[: len(text) * 2 // 3])
        self.assertIn("did not end", self.import_run(run).stdout)
        self.assertIn("did not end", self.opbyop("history", "list", "--db", self.db).stdout)
        self.assertGreater(self.count("run_results WHERE status = 'missing'"), 0)
        # The run is resumed, and imported again.
        (run / "results.jsonl").write_text(text)
        self.assertIn(f"replaced with {CASES} rows", self.import_run(run).stdout)
        self.assertEqual(self.count("run_results WHERE status = 'missing'"), 0)

    def test_a_line_that_is_damaged_is_named_and_its_row_is_missing(self) -> None:
        run = write_run(self.folder / "run", cases=20_000)
        lines = (run / "results.jsonl").read_text().splitlines(keepends=True)
        lines[10_000] = lines[10_000][:40] + "\0\0\n"
        (run / "results.jsonl").write_text("".join(lines))
        done = self.import_run(run, code=PARTIAL)
        self.assertIn("imported 20,000 rows", done.stdout)
        self.assert_says(done, str(run / "results.jsonl"), "1 line cannot be read: 10001 (holds NUL bytes")
        self.assertEqual(self.count("run_results WHERE status = 'missing'"), 1)
        self.assertEqual(self.count("run_results WHERE status = 'pass'"), 19_999)

    def test_results_without_a_header_are_refused(self) -> None:
        run = write_run(self.folder / "run")
        (run / "results.jsonl").write_text("")
        self.assert_says(self.import_run(run, code=BAD_INPUT), "results.jsonl:1: no header")
        self.assertFalse(self.db.exists(), "nothing was to be kept")

    def test_a_missing_run_is_found_before_any_is_imported(self) -> None:
        """Errors in any of the runs are found before the first is written."""
        good = write_run(self.folder / "good")
        self.assert_says(self.import_run(good, self.folder / "nosuch", code=NO_INPUT), "nosuch")
        self.assertFalse(self.db.exists())

    # --- histories

    def test_a_file_that_is_no_history(self) -> None:
        run = write_run(self.folder / "run")
        for name, content in [("text", b"x" * 5000), ("gzip", b"\x1f\x8b" + bytes(range(256)) * 20)]:
            with self.subTest(name):
                path = self.write(name, content)
                self.assert_says(self.import_run(run, code=BAD_INPUT, db=path), str(path), "is it a history")
                self.assertEqual(path.read_bytes(), content, "it is left as it was")

    def test_a_folder_is_no_history(self) -> None:
        self.assert_says(self.import_run(write_run(self.folder / "run"), code=NO_INPUT, db=self.folder), "is a folder")
        self.assert_says(self.opbyop("history", "list", "--db", self.folder, code=NO_INPUT), "is a folder")

    def test_a_history_below_a_file_cannot_be_made(self) -> None:
        below = self.write("file", "x") / "history.db"
        done = self.import_run(write_run(self.folder / "run"), code=NO_INPUT, db=below)
        self.assert_says(done, str(below), "its folder cannot be made: Not a directory")

    def test_one_of_an_earlier_opbyop_is_brought_up_to_date(self) -> None:
        now = self.folder / "now.db"
        self.import_run(write_run(self.folder / "first"), db=now)
        with contextlib.closing(sqlite3.connect(self.db)) as opened:
            for step in sorted(SCHEMA.glob("*.sql"))[:2]:
                opened.executescript(step.read_text())
            opened.executescript(f"ATTACH '{now}' AS now; INSERT INTO statuses SELECT * FROM now.statuses")
            opened.execute("PRAGMA user_version = 2")
        before = self.db.read_bytes()
        asked = self.opbyop("history", "rank", "--db", self.db, code=BAD_INPUT)
        self.assert_says(asked, "its schema has version 2", "the next `opbyop history import` brings it up to date")
        self.assertEqual(self.db.read_bytes(), before, "a question changes nothing")
        self.import_run(write_run(self.folder / "run"))
        trends = [self.opbyop("history", "trend", "--db", db).stdout for db in (self.db, now)]
        self.assertEqual(trends[0], trends[1])

    def test_one_of_a_later_opbyop_is_left_alone(self) -> None:
        run = write_run(self.folder / "run")
        self.import_run(run)
        with contextlib.closing(sqlite3.connect(self.db)) as opened:
            opened.execute("PRAGMA user_version = 99")
        before = self.db.read_bytes()
        for arguments in (["import", run], ["list"], ["page", "-o", self.folder / "page"], ["prune", "--keep", 1]):
            with self.subTest(arguments[0]):
                done = self.opbyop("history", *arguments, "--db", self.db, code=UNSUPPORTED)
                self.assert_says(done, str(self.db), "has version 99", "a later opbyop made it")
        self.assertEqual(self.db.read_bytes(), before)

    def test_a_history_cut_in_two(self) -> None:
        self.import_run(write_run(self.folder / "run", cases=500))
        whole = self.db.read_bytes()
        self.db.write_bytes(whole[: len(whole) // 2])
        self.assert_says(self.import_run(write_run(self.folder / "next", "two"), code=BAD_INPUT), "malformed")

    # --- disks

    def limited(self, shell: str) -> subprocess.CompletedProcess[str]:
        """Runs as root without the right to bypass permissions; other users never have that right."""
        caps = "-dac_override,-dac_read_search"
        argv = ["setpriv", f"--bounding-set={caps}", f"--inh-caps={caps}"] if os.geteuid() == 0 else []
        return subprocess.run([*argv, "sh", "-c", shell], capture_output=True, text=True, check=False)

    def test_a_file_that_is_read_only(self) -> None:
        self.import_run(write_run(self.folder / "run"))
        self.db.chmod(0o444)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        opbyop = BIN / "opbyop"
        listed = self.limited(f"{opbyop} history list --db {self.db}")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.folder.chmod(0o755)
        run = write_run(self.folder / "next", "two")
        self.folder.chmod(0o555)
        done = self.limited(f"{opbyop} history import {run} --db {self.db}")
        self.assertEqual(done.returncode, NO_INPUT, done.stderr)
        self.assert_says(done, str(self.db), "cannot be written", "read-only")
        self.assertEqual(self.count("runs"), 1)

    def test_a_folder_that_is_read_only(self) -> None:
        run = write_run(self.folder / "run")
        closed = self.folder / "closed"
        closed.mkdir()
        closed.chmod(0o555)
        done = self.limited(f"{BIN / 'opbyop'} history import {run} --db {closed / 'history.db'}")
        self.assertEqual(done.returncode, NO_INPUT, done.stderr)
        self.assert_says(done, str(closed / "history.db"), "cannot be")
        self.assertEqual(list(closed.iterdir()), [])

    def on_small_disk(self, shell: str) -> subprocess.CompletedProcess[str]:
        """Runs with a disk of one megabyte at $DISK, which is removed afterwards."""
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        script = f"mount -t tmpfs -o size=1m none {disk} && DISK={disk}\n{shell}"
        users = [] if os.geteuid() == 0 else ["--map-root-user"]
        argv = ["unshare", "--mount", *users, "sh", "-c", script]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest(f"no disk of its own: {done.stderr.strip()}")
        return done

    def test_a_disk_that_fills_up(self) -> None:
        small, large = write_run(self.folder / "small"), write_run(self.folder / "large", "two", 20_000)
        opbyop = BIN / "opbyop"
        done = self.on_small_disk(
            f"{opbyop} history import {small} --db $DISK/history.db || exit 99\n"
            f"{opbyop} history import {large} --db $DISK/history.db; code=$?\n"
            f"{opbyop} history list --db $DISK/history.db; ls $DISK; exit $code"
        )
        self.assertEqual(done.returncode, NO_INPUT, done.stderr)
        self.assert_says(done, "disk/history.db", "disk is full")
        self.assertRegex(done.stdout, "\none ", "what was there is listed")
        self.assertEqual(done.stdout.splitlines()[-1], "history.db", "no journal is left")
        self.assertNotIn("two", done.stdout)

    def test_a_file_that_may_not_grow(self) -> None:
        run = write_run(self.folder / "run", cases=5000)
        done = self.limited(f"ulimit -f 1200; {BIN / 'opbyop'} history import {run} --db {self.db}")
        self.assertEqual(done.returncode, NO_INPUT, done.stderr)
        self.assert_says(done, str(self.db))
        self.assertEqual(self.opbyop("history", "list", "--db", self.db, code=None).returncode, NOTHING)


if __name__ == "__main__":
    unittest.main()
