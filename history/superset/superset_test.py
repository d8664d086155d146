# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the dashboards on a real Superset and a real PostgreSQL: every chart shows opbyop's own numbers.

python3 -m unittest history.superset.superset_test
"""

from __future__ import annotations

import collections
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from fixtures.programs import ROOT, cases, run
from history.superset.boards import HISTORY, OPTEST, Board, Json
from history.superset.bundle import Superset
from history.superset.optest import load
from history.superset.server import SupersetServer
from history.test.month import NIGHTS, run_id
from history.test.month_test import BROKE, FLAKY, month_of
from history.test.page_reader import HistoryPage
from history.test.postgres_server import PostgresServer, programs

Lines = list[dict[str, Any]]


@unittest.skipIf(programs() is None, "no PostgreSQL: apt-get install postgresql")
class SupersetTest(unittest.TestCase):
    charts: dict[str, Lines]

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        cls.postgres = cls.enterClassContext(PostgresServer())
        month, cls.planted = month_of(cls.folder)
        cls.nights = [month.night(number) for number in range(1, NIGHTS + 1)]
        cls.do("opbyop", "history", "import", *cls.nights, "--db", cls.postgres.url)
        cls.do("opbyop", "history", "page", "--db", cls.postgres.url, "-o", cls.folder / "page")
        cls.page = HistoryPage(cls.folder / "page")
        cls.server = cls.enterClassContext(SupersetServer())
        files = [cls.collected(cls.nights[0], 1001, "01"), cls.collected(cls.nights[-1], 1002, "02")]
        for _ in range(2):
            cls.records = load(cls.postgres.url, files)
        cls.imports = [(board, cls.import_bundle(board)) for board in (HISTORY, HISTORY, OPTEST)]
        cls.api = Superset(cls.server.url, cls.server.USER, cls.server.PASSWORD)
        listed = cls.api.get("/api/v1/chart/?q=(page_size:100)")["result"]
        cls.listed = [chart["slice_name"] for chart in listed]
        cls.charts = {
            chart["slice_name"]: cls.api.get(f"/api/v1/chart/{chart['id']}/data/")["result"][0]["data"]
            for chart in listed
        }

    @classmethod
    def do(cls, *command: object) -> None:
        done = run(*command)
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def collected(cls, night: Path, job: int, day: str) -> Path:
        """The report that collect_data makes of a night's op-by-op report, with the OpTest fields that its parser
        fills."""
        out = cls.folder / f"reports-{job}"
        run("opbyop", "report", night, "-o", out)
        report = json.loads(next(out.glob("op_by_op_report-*.json")).read_text())
        tests: list[Json] = []
        for named in report["tests"][0]["user_properties"]:
            (key, expected), *others = named.items()
            assert not others
            name = key.removeprefix("OpTest model for: ")
            absent = dict.fromkeys(
                ("test_duration", "config", "op_params", "git_sha", "status", "card_type", "backend")
            )
            same = {field: expected[field] for field in ("model_name", "op_kind", "op_name", "framework_op_name")}
            times = {field: f"2026-11-{day}{expected[field][10:]}" for field in ("test_start_ts", "test_end_ts")}
            tests.append(
                {"github_job_id": job, "full_test_name": f"{out}::{name}", "test_case_name": name, "filepath": str(out)}
                | {
                    "success": expected["success"] == "True",
                    "skipped": expected["skipped"] == "True",
                    "frontend": "tt-xla",
                }
                | {"message": expected["error_message"] or None, "inputs": [], "outputs": []}
                | same
                | times
                | absent
            )
        file = cls.folder / f"github_job_{job}_2026-11-{day}T02:00:00Z.json"
        file.write_text(json.dumps(tests))
        return file

    @classmethod
    def import_bundle(cls, board: Board) -> subprocess.CompletedProcess[str]:
        to = ["--to", cls.server.url, "--user", cls.server.USER, *(["--optest"] if board is OPTEST else [])]
        return subprocess.run(
            [sys.executable, "-m", "history.superset.bundle", "--db", cls.postgres.url, *to],
            cwd=ROOT,
            env={**os.environ, "SUPERSET_PASSWORD": cls.server.PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )

    def assert_same(self, name: str, ours: Lines, columns: dict[str, str], order: bool = True) -> None:
        """`columns` maps our columns to those of the chart."""
        self.assertTrue(ours, name)

        def plain(value: Any) -> Any:
            return None if value in ("", None) else float(f"{value:.9g}") if isinstance(value, float) else value

        def lines(of: Lines, names: list[str]) -> list[tuple[Any, ...]]:
            made = [tuple(plain(line[name]) for name in names) for line in of]
            return made if order else sorted(made, key=repr)

        self.assertEqual(lines(self.charts[name], list(columns.values())), lines(ours, list(columns)), name)

    def test_each_import_says_what_it_made_and_a_second_replaces_it(self) -> None:
        for board, done in self.imports:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(f"{len(board.charts)} charts on {len(board.views)} views", done.stdout)
        self.assertCountEqual(self.listed, [*HISTORY.charts, *OPTEST.charts])
        self.assertEqual(self.api.get("/api/v1/dataset/")["count"], len(HISTORY.views) + len(OPTEST.views))

    def test_a_dashboard_holds_every_chart(self) -> None:
        for board in (HISTORY, OPTEST):
            on_it = self.api.get(f"/api/v1/dashboard/{board.slug}/charts")["result"]
            self.assertCountEqual([chart["slice_name"] for chart in on_it], board.charts)

    def test_pass_rate_is_that_of_each_run(self) -> None:
        shown = {
            datetime.datetime.fromtimestamp(line["started_at"] / 1000, datetime.UTC).date().day: line["pass rate"]
            for line in self.charts["Pass rate over time"]
        }
        trend = self.page.lines("trend")
        self.assertEqual(len(trend), NIGHTS)
        self.assertEqual(shown, {int(line["run"].removeprefix("night-")): line["pass"] for line in trend})

    def test_changes_of_each_run_are_shown_on_its_night(self) -> None:
        shown = {}
        for line in self.charts["What each run changed"]:
            day = datetime.datetime.fromtimestamp(line["started_at"] / 1000, datetime.UTC).date().day
            shown[run_id(day)] = {key: value for key, value in line.items() if key != "started_at"}
        ours = {
            line["run"]: {key: line[key] for key in ("broke", "unsupported now", "slower", "less exact", "fixed")}
            for line in self.page.lines("trend")
        }
        self.assertEqual(shown, ours)
        self.assertEqual({night for night in shown if shown[night]["broke"]}, {run_id(n) for n in (BROKE, *FLAKY)})

    def test_rank_is_in_our_order(self) -> None:
        self.assert_same(
            "What to fix first",
            self.page.lines("rank"),
            {"group": "cause", "turns ready": "unlocked", "models": "models", "ops": "ops", "rows": "rows_count",
             "device": "device_us", "diagnostic": "diagnostic"},
        )  # fmt: skip

    def test_the_heat_map_counts_the_stages_of_the_records(self) -> None:
        passed: collections.Counter[tuple[str, str]] = collections.Counter()
        reached: collections.Counter[tuple[str, str]] = collections.Counter()
        ops = {line["op"] for line in self.charts["Op by stage"]}
        for record in cases(self.nights[-1]):
            # "dot_general_4x4_f32_120e2401" is a case of stablehlo.dot_general
            op = next(op for op in ops if record["case"].startswith(op.partition(".")[2] + "_"))
            for stage in record["stages"]:
                reached[op, stage["name"]] += 1
                passed[op, stage["name"]] += stage["status"] == "pass"
        shown = {
            (line["op"], line["stage"]): float(line["cases that pass"] or 0) for line in self.charts["Op by stage"]
        }
        self.assertEqual(shown.keys(), reached.keys())
        for cell, share in shown.items():
            self.assertAlmostEqual(share, passed[cell] / reached[cell], msg=str(cell))
        self.assertLess(shown["stablehlo.exponential", "linalg-to-llvm"], 1)

    def test_models_and_what_is_left_for_them(self) -> None:
        self.assert_same(
            "Models",
            self.page.lines("ready"),
            {"model": "model", "ready": "ready_share", "ops": "ops", "ops left": "blocked_ops", "rows": "rows_count",
             "pass": "passed", "red": "red"},
            order=False,
        )  # fmt: skip
        self.assert_same(
            "Ops that are left",
            self.page.lines("left"),
            {"model": "model", "op": "op", "shapes": "signature", "ops": "ops", "status": "status", "group": "cause"},
            order=False,
        )

    def test_groups_have_the_rows_of_each_night(self) -> None:
        shown = {
            (line["cause"], run_id(datetime.datetime.fromtimestamp(line["started_at"] / 1000, datetime.UTC).day)): int(
                line["rows"]
            )
            for line in self.charts["Groups over time"]
        }
        ours = {
            (group, self.page.data["runs"][run]["name"]): rows
            for group, runs in self.page.data["causes"].items()
            for run, rows, *_ in runs
        }
        self.assertEqual(shown, ours)

    def test_numerics_are_the_worst_of_the_records(self) -> None:
        worst: dict[str, float] = collections.defaultdict(float)
        count: collections.Counter[str] = collections.Counter()
        for record in cases(self.nights[-1]):
            for comparison in record.get("comparisons", []):
                ratio = comparison["bound_ratio"]
                worst[comparison["policy"]] = max(worst[comparison["policy"]], float(ratio))
                count[comparison["policy"]] += 1
        shown_worst: dict[str, float] = collections.defaultdict(float)
        shown_count: collections.Counter[str] = collections.Counter()
        for line in self.charts["Numerics"]:
            value = line["worst error / bound"]
            ratio = float(value if value is not None else math.inf)
            shown_worst[line["policy"]] = max(shown_worst[line["policy"]], ratio)
            shown_count[line["policy"]] += int(line["comparisons"])
        self.assertEqual(shown_count, count)
        self.assertEqual(shown_worst, worst)

    def test_flaky_is_the_flaky_row_alone(self) -> None:
        self.assertEqual([line["case_name"] for line in self.charts["Flaky rows"]], [self.planted["flaky"]])
        self.assertEqual(self.charts["Flaky rows"][0]["flips"], self.page.lines("flaky")[0]["changes"])

    def test_changes_are_those_of_every_night(self) -> None:
        shown = collections.Counter((line["run"], line["kind"], line["case_name"]) for line in self.charts["Changes"])
        ours = collections.Counter(
            (night, change["kind"], change["case"])
            for night in map(run_id, range(1, NIGHTS + 1))
            for change in self.page.changes(night)
        )
        self.assertEqual(shown, ours)

    def test_optest_has_the_share_of_each_day(self) -> None:
        rates = {line["run"]: line["pass"] for line in self.page.lines("trend")}
        shown = [line["pass rate"] for line in self.charts["OpTest: pass rate over time"]]
        self.assertEqual([float(share) for share in shown], [rates[run_id(1)], rates[run_id(NIGHTS)]])

    def test_optest_counts_the_newest_record_of_each_row(self) -> None:
        ready = {line["model"]: line for line in self.page.lines("ready")}
        shown = {line["model_name"]: line for line in self.charts["OpTest: models"]}
        self.assertEqual(shown.keys(), ready.keys())
        for model, line in shown.items():
            expected = (int(line["tests"]), int(line["passed"]), int(line["failed"]))
            self.assertEqual(expected, (ready[model]["rows"], ready[model]["pass"], ready[model]["red"]), model)
        self.assertGreater(self.records, sum(int(line["tests"]) for line in shown.values()))

    def test_optest_names_what_fails(self) -> None:
        fails = self.charts["OpTest: what to fix first"]
        self.assertEqual([line["tests"] for line in fails], [1])
        self.assertIn(self.planted["broke"], fails[0]["first_test"])
        self.assertIn(f"no {self.planted['broke']}", fails[0]["message"])

    def test_optest_has_ops_by_outcome(self) -> None:
        shown = {
            (line["op_name"], line["outcome"]): int(line["tests"]) for line in self.charts["OpTest: op by outcome"]
        }
        red: collections.Counter[str] = collections.Counter()
        passed: collections.Counter[str] = collections.Counter()
        for line in self.page.lines("types"):
            red[line["op"]] += line["red"]
            passed[line["op"]] += line["pass"]
        self.assertEqual({op: n for (op, outcome), n in shown.items() if outcome == "success"}, dict(+passed))
        self.assertEqual({op: n for (op, outcome), n in shown.items() if outcome == "failed"}, dict(+red))

    def test_every_column_of_a_dataset_is_one_of_its_view(self) -> None:
        for view in self.api.get("/api/v1/dataset/?q=(page_size:100)")["result"]:
            got = self.api.get(f"/api/v1/dataset/{view['id']}")["result"]
            names = [column["column_name"] for column in got["columns"]]
            context = {
                "datasource": {"id": view["id"], "type": "table"},
                "queries": [{"columns": names, "row_limit": 1, "metrics": []}],
                "result_format": "json",
                "result_type": "full",
            }
            answer = self.api.post("/api/v1/chart/data", json.dumps(context).encode(), "application/json")
            self.assertIsNone(answer["result"][0]["error"], view["table_name"])


if __name__ == "__main__":
    unittest.main()
