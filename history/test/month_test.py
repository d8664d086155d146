# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A month of nightlies with planted changes: each change is reported on its night, and nothing else is.

python3 -m unittest history.test.month_test
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

from fixtures.programs import NO_INPUT, ROOT, UNEXPECTED, cases, run
from history.test.month import NIGHTS, Month, drift, end, run_id, slow
from history.test.page_reader import HistoryPage

MODELS = ROOT / "fixtures/models"

# The night of each change.
BROKE, UNSUPPORTED, WORSE, SLOWER, NEW_MODEL = 7, 10, 13, 17, 21
FLAKY = [4, 9, 14, 23]


def month_of(folder: Path) -> tuple[Month, dict[str, str]]:
    """A real run on host, and the cases in which changes are planted."""
    ran, before = folder / "run", folder / "before"
    early, late = [MODELS / "ffnn.mlirbc", MODELS / "llama_2layer.mlirbc"], [MODELS / "mnist_mlp.mlirbc"]
    for out, models in ((before, early), (ran, early + late)):
        done = run("opbyop", "split", "--quiet", *models, "-o", out)
        assert done.returncode == 0, done.stderr
    done = run("opbyop", "run", ran, "--target", "host", "--policy", "domain")
    assert done.returncode == 0, done.stdout + done.stderr
    month = Month(ran, before, folder / "nights", seed=19, late_night=NEW_MODEL)
    there = (before / "manifest.yaml").read_text()
    usable = [
        record["case"]
        for record in cases(ran)
        if record["status"] == "pass" and record["timing"]["n"] > 1 and f'"id":"{record["case"]}"' in there
    ]
    by_op = {re.sub(r"_[0-9].*", "", case): case for case in usable}
    planted = {
        "broke": by_op["exponential"],
        "unsupported": by_op["negate"],
        "worse": by_op["reduce"],
        "slower": by_op["dot_general"],
        "flaky": by_op["transpose"],
    }
    month.plant(
        planted["broke"], range(BROKE, NIGHTS + 1), lambda r: end(r, "fail", "linalg-to-llvm", f"no {r['case']}")
    )
    month.plant(
        planted["unsupported"],
        range(UNSUPPORTED, NIGHTS + 1),
        lambda r: end(r, "unsupported", "stablehlo-to-linalg", "no kernel any more"),
    )
    month.plant(planted["worse"], range(1, WORSE), drift(0.15))
    month.plant(planted["worse"], range(WORSE, NIGHTS + 1), drift(0.45))
    month.plant(planted["slower"], range(SLOWER, NIGHTS + 1), slow(1.2))
    month.plant(planted["flaky"], FLAKY, lambda r: end(r, "fail", "execute", "the device did not answer"))
    return month, planted


class MonthTest(unittest.TestCase):
    """On SQLite, or on the server of OPBYOP_TEST_HISTORY."""

    folder: Path
    planted: dict[str, str]
    page: HistoryPage

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        month, cls.planted = month_of(cls.folder)
        cls.nights = [month.night(number) for number in range(1, NIGHTS + 1)]
        cls.db = os.environ.get("OPBYOP_TEST_HISTORY", str(cls.folder / "history.db"))
        # The order of imports does not change the history.
        cls.imported = run("opbyop", "history", "import", *reversed(cls.nights), "--db", cls.db)
        assert cls.imported.returncode == 0, cls.imported.stdout + cls.imported.stderr

        made = run("opbyop", "history", "page", "--db", cls.db, "-o", cls.folder / "page")
        assert made.returncode == 0, made.stdout + made.stderr
        cls.page = HistoryPage(cls.folder / "page")

    def ask(self, *arguments: object, where: object = None) -> list[dict[str, str]]:
        done = run("opbyop", *arguments, "--most", 0, "--csv", "--db", where or self.db)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def expected_changes(self) -> set[tuple[str, str, str]]:
        """(night, kind, case)"""
        changes = {
            (run_id(BROKE), "broke", self.planted["broke"]),
            (run_id(UNSUPPORTED), "unsupported", self.planted["unsupported"]),
            (run_id(WORSE), "worse", self.planted["worse"]),
            (run_id(SLOWER), "slower", self.planted["slower"]),
        }
        for night in FLAKY:
            changes |= {
                (run_id(night), "broke", self.planted["flaky"]),
                (run_id(night + 1), "fixed", self.planted["flaky"]),
            }
        return changes

    def test_each_change_is_named_on_its_night_and_nothing_else_is(self) -> None:
        found = set()
        for line in self.ask("history", "changes"):
            if line["kind"] == "new":
                self.assertEqual(line["run"], run_id(NEW_MODEL))
                self.assertIn("mnist_mlp__", line["first row"])
            else:
                self.assertEqual(line["rows"], "1", line)
                found.add((line["run"], line["kind"], line["first row"].split("__", 1)[1]))
        self.assertEqual(found, self.expected_changes())

    def test_diff_of_each_night_with_the_one_before_says_the_same(self) -> None:
        worse = {BROKE, UNSUPPORTED, WORSE, SLOWER, *FLAKY}
        for number in range(2, NIGHTS + 1):
            done = run("opbyop", "diff", run_id(number - 1), run_id(number), "--markdown", "--db", self.db)
            self.assertEqual(done.returncode, UNEXPECTED if number in worse else 0, done.stdout + done.stderr)
            self.assertLess(len(done.stdout.splitlines()), 30)
            self.assertEqual("nothing got worse" in done.stdout, number not in worse, done.stdout)

    def test_diff_of_folders_names_what_broke(self) -> None:
        done = run("opbyop", "diff", self.nights[BROKE - 2], self.nights[BROKE - 1])
        self.assertEqual(done.returncode, UNEXPECTED, done.stderr)
        self.assertIn("1 thing got worse", done.stdout)
        self.assertIn(self.planted["broke"], done.stdout)

    def test_diff_of_the_first_and_the_last_night_has_all_of_it(self) -> None:
        done = run("opbyop", "diff", run_id(1), run_id(NIGHTS), "--db", self.db)
        self.assertEqual(done.returncode, UNEXPECTED)
        for name in ("broke", "unsupported", "worse"):
            self.assertIn(self.planted[name], done.stdout, name)
        self.assertNotIn(self.planted["flaky"], done.stdout)

    def test_rank_has_the_two_causes_that_block(self) -> None:
        ranks = self.ask("rank")
        self.assertEqual({(line["status"], line["rows"]) for line in ranks}, {("fail", "1"), ("unsupported", "1")})
        for line in ranks:
            self.assertNotEqual(line["device"], "", "the time is known from the nights before")

    def test_a_run_is_asked_without_a_history(self) -> None:
        def rank(*where: object) -> list[list[str]]:
            done = run("opbyop", "rank", *where, "--csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = csv.DictReader(io.StringIO(done.stdout))
            return [[line[key] for key in ("group", "models", "rows")] for line in lines]

        # The times of earlier nights decide the order.
        self.assertEqual(sorted(rank("--run", self.nights[-1])), sorted(rank("--db", self.db)))
        done = run("opbyop", "history", "changes", "--run", self.nights[-1], "--run", self.nights[-2], "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_flaky_is_the_flaky_row_alone(self) -> None:
        flaky = self.ask("history", "flaky")
        self.assertEqual([line["row"].split("__", 1)[1] for line in flaky], [self.planted["flaky"]])
        self.assertEqual(flaky[0]["changes"], str(2 * len(FLAKY)))

    def test_each_morning_names_what_is_known_by_then(self) -> None:
        """Asks after each night, in a history of its own, and compares rank, flaky, since and the page's copies of
        them."""
        db = self.folder / "mornings.db"
        flaky_from = FLAKY[1]  # down, up, down: the third change
        for number, night in enumerate(self.nights, 1):
            done = run("opbyop", "history", "import", night, "--db", db)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = run("opbyop", "history", "page", "--db", db, "--runs", 2, "-o", self.folder / "morning")
            self.assertEqual(made.returncode, 0, made.stderr)
            page = HistoryPage(self.folder / "morning")
            red = {self.planted["broke"]} if number >= BROKE else set()
            red |= {self.planted["flaky"]} if number in FLAKY else set()
            blocked = len(red) + (number >= UNSUPPORTED)
            case_of = lambda line: line["row"].split("__", 1)[1]  # noqa: E731
            with self.subTest(night=number):
                for lines in (self.ask("rank", where=db), page.lines("rank")):
                    self.assertEqual(sum(int(line["rows"]) for line in lines), blocked)
                for lines in (self.ask("history", "since", where=db), page.lines("since")):
                    self.assertEqual({case_of(line) for line in lines}, red)
                for lines in (self.ask("history", "flaky", where=db), page.lines("flaky")):
                    named = [self.planted["flaky"]] if number >= flaky_from else []
                    self.assertEqual([case_of(line) for line in lines], named)
                newest = page.lines("trend")[0]
                self.assertEqual((newest["run"], newest["red"]), (run_id(number), len(red)))
                self.assertEqual(newest["slower"], int(number == SLOWER))
                self.assertEqual(newest["less exact"], int(number == WORSE))

    def test_since_names_night_and_toolchain(self) -> None:
        lines = self.ask("history", "since")
        self.assertEqual([line["row"].split("__", 1)[1] for line in lines], [self.planted["broke"]])
        self.assertEqual(lines[0]["run"], run_id(BROKE))
        self.assertEqual(lines[0]["toolchain"], f"compiler 1.{BROKE}")
        self.assertEqual(lines[0]["last good toolchain"], f"compiler 1.{BROKE - 1}")

    def test_trend_marks_the_nights(self) -> None:
        marks: dict[str, set[str]] = {}
        for line in self.ask("history", "trend"):
            for column in (
                "broke",
                "unsupported now",
                "lost",
                "slower",
                "less exact",
                "new",
                "gone",
                "fixed",
                "faster",
            ):
                if line[column] != "0":
                    marks.setdefault(column, set()).add(line["run"])
        self.assertEqual(
            marks,
            {
                "broke": {run_id(BROKE), *map(run_id, FLAKY)},
                "fixed": {run_id(night + 1) for night in FLAKY},
                "unsupported now": {run_id(UNSUPPORTED)},
                "slower": {run_id(SLOWER)},
                "less exact": {run_id(WORSE)},
                "new": {run_id(NEW_MODEL)},
            },
        )

    def test_the_page_has_each_change_on_its_night_and_nothing_else(self) -> None:
        found = set()
        for number in range(1, NIGHTS + 1):
            for change in self.page.changes(run_id(number)):
                if change["kind"] == "new":
                    self.assertEqual((number, change["model"]), (NEW_MODEL, "mnist_mlp"))
                else:
                    found.add((run_id(number), change["kind"], change["case"]))
        self.assertEqual(found, self.expected_changes())
        self.assertEqual(
            {(line["run"], line["kind"], line["first row"].split("__", 1)[1]) for line in self.page.lines("changes")}
            - {(run_id(NEW_MODEL), "new", line["first row"].split("__", 1)[1]) for line in self.page.lines("changes")},
            self.expected_changes(),
        )

    def test_the_page_answers_as_the_terminal_does(self) -> None:
        self.assertEqual([line["row"].split("__", 1)[1] for line in self.page.lines("flaky")], [self.planted["flaky"]])
        self.assertEqual([line["run"] for line in self.page.lines("since")], [run_id(BROKE)])
        ranks, left = self.page.lines("rank"), self.page.lines("left")
        self.assertEqual([line["group"] for line in ranks], [line["group"] for line in self.ask("rank")])
        self.assertEqual(
            [(line["op"], line["shapes"], str(line["ops"])) for line in left],
            [(line["op"], line["shapes"], line["ops"]) for line in self.ask("history", "left")],
        )
        for line in self.page.lines("trend"):
            run = self.page.run(line["run"])
            self.assertEqual(line["rows"], sum(run["counts"]))
            self.assertEqual(line["pass"], run["counts"][0] / line["rows"])

    def test_the_page_has_each_group_in_its_nights(self) -> None:
        nights = {
            group: {self.page.data["runs"][run]["name"] for run, *_ in runs}
            for group, runs in self.page.data["causes"].items()
        }
        since = self.page.lines("since")[0]
        self.assertEqual(nights[since["group"]], {run_id(number) for number in range(BROKE, NIGHTS + 1)})
        self.assertIn({run_id(number) for number in FLAKY}, nights.values())

    def test_the_page_has_the_runs_of_a_case_and_what_the_newest_recorded(self) -> None:
        case = self.page.case(self.planted["broke"])
        self.assertEqual(
            [(run, status) for run, status, *_ in case["runs"]],
            [(run_id(n), "fail" if n >= BROKE else "pass") for n in range(NIGHTS, 0, -1)],
        )
        record = self.page.file(case["recorded"][0])
        self.assertIn("stablehlo.exponential", record["texts"][self.planted["broke"]][0]["text"])
        names = record["page"]["columns"]["case"]
        recorded = {item[names.index("id")] for item in record["page"]["cases"]}
        planted = {self.planted[name] for name in ("broke", "unsupported", "worse", "slower", "flaky")}
        self.assertLessEqual(planted, recorded)
        self.assertLess(len(recorded), len(self.page.file("cases")["name"]), "what always passed is not copied")

    def test_the_page_has_ir_and_errors_that_were_kept_of_the_same_target(self) -> None:
        case, kept = self.planted["slower"], self.folder / "kept"
        done = run("opbyop", "repro", case, "--run", self.nights[-1], "--policy", "domain", "-o", kept)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        def recorded() -> dict[str, Any]:
            made = run("opbyop", "history", "page", "--db", self.db, "--kept", kept, "-o", self.folder / "kept_page")
            self.assertEqual(made.returncode, 0, made.stderr)
            page = HistoryPage(self.folder / "kept_page")
            return page.file(page.case(case)["recorded"][0])

        record = recorded()
        names = [text["name"] for text in record["texts"][case]]
        self.assertEqual(names[:2], ["0_parse.mlir", "1_stablehlo-to-linalg.mlir"])
        errors = record["errors"][case]
        shape = re.search(rb"'shape': \(([\d, ]*)\)", (kept / case / "output_0.npy").read_bytes())
        assert shape is not None
        elements = math.prod(int(extent) for extent in shape[1].decode().split(",") if extent.strip())
        self.assertEqual([(each["policy"], sum(each["bins"])) for each in errors[:1]], [("domain", elements)])
        results = kept / "results.jsonl"
        results.write_text(results.read_text().replace('"target":"host"', '"target":"other"', 1))
        record = recorded()
        self.assertEqual([text["name"] for text in record["texts"][case]], [f"cases/{case}.mlir"])
        self.assertEqual(record["errors"], {})

    def test_what_is_left_has_shapes(self) -> None:
        left = self.ask("history", "left")
        self.assertEqual(len(left), 2)
        for line in left:
            self.assertRegex(line["shapes"], r"^\(.*\) -> \(.*\)$")

    def test_a_second_import_changes_nothing(self) -> None:
        done = run("opbyop", "history", "import", *self.nights, "--db", self.db)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(": is there\n"), NIGHTS, done.stdout)

    def test_a_run_that_is_nowhere(self) -> None:
        done = run("opbyop", "diff", "nosuch", run_id(1), "--db", self.db)
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertIn("nosuch", done.stderr)


if __name__ == "__main__":
    unittest.main()
