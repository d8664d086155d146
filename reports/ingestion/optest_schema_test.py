# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python3 -m reports.ingestion.optest_schema_test SAMPLE_REPORT SCHEMA: checks optest.json of sample runs.

SCHEMA is this project's, optest.schema.json. The schema that the reader publishes is used too if it is in the folder of
the corpora (fixtures/corpora/folder.py).
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import jsonschema

from fixtures.corpora.folder import FOLDER

SAMPLE_REPORT = ""
SCHEMAS: list[pathlib.Path] = []

Record = dict[str, Any]


def sample(*options: str) -> list[Record]:
    """The optest.json of a sample run."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SAMPLE_REPORT, folder, *options], check=True, stdout=subprocess.DEVNULL)
        return json.loads((pathlib.Path(folder) / "optest.json").read_text())


class OpTestSchemaTest(unittest.TestCase):
    def assert_valid(self, records: list[Record]) -> None:
        self.assertTrue(records)
        for path in SCHEMAS:
            validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
            errors = [
                f"{record['test_case_name']}: {error.json_path}: {error.message}"
                for record in records
                for error in validator.iter_errors(record)
            ]
            with self.subTest(schema=path):
                self.assertEqual(errors[:20], [])

    def test_records_of_a_complete_run_are_valid(self) -> None:
        self.assert_valid(sample("400"))

    def test_records_of_a_run_that_was_cut_are_valid(self) -> None:
        self.assert_valid(sample("400", "--cut"))

    def test_the_schema_refuses_what_the_reader_drops_or_misreads(self) -> None:
        record = sample("20")[0]
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMAS[0].read_text()))
        self.assertTrue(validator.is_valid(record))
        for changes in [
            {"success": "True"},
            {"status": "crash"},
            {"test_start_ts": "2026-08-21T10:00:00Z"},
            {"model_name": "resnet50, bert_base"},
            {"op_name": None},
            {"test_duration": "1.25"},
            {"inputs": [{"shape": [2, 3], "data_type": "f32"}]},
            {"error_message": "the field's former name"},
        ]:
            with self.subTest(changes):
                self.assertFalse(validator.is_valid(record | changes))
        for field in ("inputs", "outputs", "model_name", "skipped"):
            with self.subTest(missing=field):
                self.assertFalse(validator.is_valid({name: value for name, value in record.items() if name != field}))


if __name__ == "__main__":
    SAMPLE_REPORT = sys.argv[1]
    SCHEMAS = [path for path in (pathlib.Path(sys.argv[2]), FOLDER / "schemas/optest.schema.json") if path.exists()]
    unittest.main(argv=sys.argv[:1])
