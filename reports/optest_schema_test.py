"""optest_schema_test.py SAMPLE_REPORT SCHEMA: optest.json of a sample run against the published schema of OpTest.

Exits 77 (skipped) where the schema or Python's jsonschema is absent.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def main() -> int:
    sample_report, schema_path = sys.argv[1], pathlib.Path(sys.argv[2])
    if not schema_path.exists():
        print(f"skipped: {schema_path} is absent")
        return SKIPPED
    try:
        import jsonschema
    except ImportError:
        print("skipped: Python's jsonschema is absent (Debian: apt-get install python3-jsonschema)")
        return SKIPPED
    validator = jsonschema.Draft202012Validator(json.loads(schema_path.read_text()))
    for options in (["400"], ["400", "--cut"]):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sample_report, folder, *options], check=True, stdout=subprocess.DEVNULL)
            tests = json.loads((pathlib.Path(folder) / "optest.json").read_text())
        wrong = [
            f"{test['test_case_name']}: {error.json_path}: {error.message}"
            for test in tests
            for error in validator.iter_errors(test)
        ]
        print(f"{' '.join(options)}: {len(tests)} records, {len(wrong)} errors")
        for line in wrong[:20]:
            print(line)
        if wrong or not tests:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
