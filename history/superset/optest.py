# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Loads arrays of OpTest records into a PostgreSQL database: a run's optest.json, or the output of tt-github-actions'
collect_data for its reports (github_job_<id>_<start>.json).

    python3 -m history.superset.optest --db postgresql://opbyop@db.example/opbyop github_job_*.json

The files' records of a job replace earlier ones. Needs psycopg2 (requirements.txt). The dashboard for these records is
that of `history.superset.bundle --optest`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg2
import psycopg2.extras

SCHEMA = Path(__file__).with_name("optest.sql")

# In the order of the table.
FIELDS = [
    "github_job_id",
    "full_test_name",
    "test_start_ts",
    "test_end_ts",
    "test_duration",
    "test_case_name",
    "filepath",
    "success",
    "skipped",
    "message",
    "config",
    "frontend",
    "model_name",
    "op_kind",
    "op_name",
    "framework_op_name",
    "inputs",
    "outputs",
    "op_params",
    "git_sha",
    "status",
    "card_type",
    "backend",
]
STRUCTURED = {"config", "inputs", "outputs", "op_params"}


def values(test: dict[str, Any]) -> list[Any]:
    return [
        json.dumps(test[field]) if field in STRUCTURED and test.get(field) is not None else test.get(field)
        for field in FIELDS
    ]


def load(url: str, files: Iterable[Path]) -> int:
    """Returns the number of records. Loads all of the files, or none."""
    jobs: set[int] = set()
    lines: list[list[Any]] = []
    for file in files:
        tests = json.loads(file.read_text())
        if not isinstance(tests, list):
            raise ValueError(f"{file}: not an array of OpTest records")
        for number, test in enumerate(tests):
            absent = [] if not isinstance(test, dict) else [f for f in ("github_job_id", "success") if f not in test]
            if not isinstance(test, dict) or absent:
                raise ValueError(
                    f"{file}: record {number} is no OpTest: it has no {' and no '.join(absent) or 'fields'}"
                )
            jobs.add(test["github_job_id"])
            lines.append(values(test))
    connection = psycopg2.connect(url)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(SCHEMA.read_text())
            cursor.execute("DELETE FROM optest.tests WHERE github_job_id = ANY(%s)", (sorted(jobs),))
            statement = f"INSERT INTO optest.tests ({', '.join(FIELDS)}) VALUES %s"
            psycopg2.extras.execute_values(cursor, statement, lines)
    finally:
        connection.close()
    return len(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Load arrays of OpTest records into PostgreSQL.")
    parser.add_argument("--db", required=True, help="postgresql://USER@HOST/NAME")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    arguments = parser.parse_args()
    try:
        print(f"{load(arguments.db, arguments.files)} records of {len(arguments.files)} files")
    except (OSError, ValueError, psycopg2.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
