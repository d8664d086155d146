# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks of the dashboards that need no Superset.

python3 -m unittest history.superset.bundle_test
"""

from __future__ import annotations

import io
import json
import re
import sqlite3
import unittest
import uuid
import zipfile

from fixtures.programs import ROOT
from history.superset.boards import HISTORY, OPTEST
from history.superset.bundle import address, assets, zipped

URL = "postgresql://reader:s%40cret@db.example:5433/opbyop?sslmode=require"
BOARDS = (HISTORY, OPTEST)


class BundleTest(unittest.TestCase):
    def test_a_password_is_not_written(self) -> None:
        masked, password = address(URL)
        self.assertEqual(password, "s@cret")
        self.assertEqual(masked, "postgresql+psycopg2://reader:XXXXXXXXXX@db.example:5433/opbyop?sslmode=require")
        self.assertNotIn(b"s%40cret", zipped(assets(URL, HISTORY)))
        self.assertNotIn("cret", json.dumps(assets(URL, HISTORY)))

    def test_a_history_in_a_file_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "out/history.db: not the address"):
            address("out/history.db")

    def test_the_same_history_makes_the_same_bytes(self) -> None:
        self.assertEqual(zipped(assets(URL, HISTORY)), zipped(assets(URL, HISTORY)))
        with zipfile.ZipFile(io.BytesIO(zipped(assets(URL, HISTORY)))) as archive:
            self.assertIn("opbyop/metadata.yaml", archive.namelist())

    def test_every_chart_is_on_its_dashboard_once(self) -> None:
        for board in BOARDS:
            placed = [name for names, _ in board.layout for name in names]
            self.assertCountEqual(placed, board.charts)

    def test_an_import_replaces_charts_that_have_another_name_now(self) -> None:
        for board, file, name in (
            (HISTORY, "charts/what_to_fix_first.yaml", "What to mend first"),
            (OPTEST, "charts/optest_what_to_fix_first.yaml", "OpTest: what to mend first"),
        ):
            files = assets(URL, board)
            expected = str(uuid.uuid5(uuid.NAMESPACE_URL, f"opbyop:superset:chart:{name}"))
            self.assertEqual(files[file]["uuid"], expected)
            self.assertIn(f'"uuid": "{files[file]["uuid"]}"', json.dumps(files[f"dashboards/{board.slug}.yaml"]))

    def test_files_refer_to_each_other(self) -> None:
        for board in BOARDS:
            files = assets(URL, board)
            known = {file["uuid"] for file in files.values() if "uuid" in file}
            for name, file in files.items():
                for key in ("database_uuid", "dataset_uuid"):
                    self.assertIn(file.get(key, file.get("uuid")), {*known, None}, name)
        self.assertFalse(set(HISTORY.views) & set(OPTEST.views), "Superset tells datasets apart by their names alone")

    def test_charts_ask_for_columns_of_their_views(self) -> None:
        for board in BOARDS:
            for name, chart in board.charts.items():
                texts, numbers, times = board.views[chart["view"]]
                columns = {*texts.split(), *numbers.split(), *times}
                self.assertLessEqual(set(chart["query"]["columns"]), columns, name)
                for metric in chart["query"].get("metrics", []):
                    words = set(re.findall(r"[a-z_]+", re.sub(r"'[^']*'", "", metric["sqlExpression"])))
                    self.assertLessEqual(words - {"sum", "max", "count"}, columns, f"{name}: {metric['label']}")

    def test_columns_are_those_of_the_historys_views(self) -> None:
        database = sqlite3.connect(":memory:")
        self.addCleanup(database.close)
        for file in sorted((ROOT / "history/database/schema").glob("*.sql")):
            script = re.sub(r"/\* sqlite: (.*?) \*/", r"\1", file.read_text())
            database.executescript(script.replace("CREATE OR REPLACE VIEW", "CREATE VIEW"))
        for view, (texts, numbers, _) in HISTORY.views.items():
            there = {column[0] for column in database.execute(f"SELECT * FROM {view} LIMIT 0").description}
            self.assertLessEqual({*texts.split(), *numbers.split()}, there, view)


if __name__ == "__main__":
    unittest.main()
