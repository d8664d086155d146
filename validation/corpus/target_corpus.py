# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the ops of the conformance corpora as cases on a target and counts how many pass.

    python3 -m validation.corpus.target_corpus --bin build/bin --target host \\
        --floor device/host/corpus_floor.json [--update] [--out DIR] [SET...]

Sets are folders of the corpora (testdata, quantized, math); by default those of the floor. Custom calls that implement
the corpora's own checks are not counted as ops. With --floor the test fails if fewer cases pass than the file says, or
if cases were added or removed; --update rewrites the file. Exits with 77 if the corpora are absent.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from fixtures.corpora.folder import corpora_or_exit
from reports.site.target_table import load, table

CHECKS = "-*__custom_call_*:*__check_*:*__interpreter_*"
# A seed of one day, so that a check in CI does not depend on its date.
FRESH_SEED = 20261127


def run_set(arguments: argparse.Namespace, data: Path, out: Path) -> dict[str, int]:
    """Splits and runs one set, prints its table, and returns its counts."""
    # Most programs test one op, and what it contains is a part of it. Some are no models by themselves; they are left
    # out, with exit code 6.
    whole = ["--regions", "whole", "--composites", "whole"]
    split = [str(arguments.bin / "opbyop"), "split", "--quiet", *whole, str(data), "-o", str(out)]
    code = subprocess.run(split, check=False, stderr=subprocess.DEVNULL).returncode
    if code not in (0, 6):
        raise SystemExit(f"splitting {data.name} ended with exit code {code}")
    (out / "results.jsonl").unlink(missing_ok=True)
    run = [str(arguments.bin / "opbyop"), "run", str(out), "--target", arguments.target, "--", "--baseline=none"]
    run.append(f"--fresh-seed={FRESH_SEED}")
    with (out / "run.log").open("w") as log:
        # Failing rows are expected, and counted.
        subprocess.run(
            [*run, "--gtest_brief=1", f"--gtest_filter={CHECKS}"], check=False, stdout=log, stderr=subprocess.STDOUT
        )
    header, records = load(out / "results.jsonl") if (out / "results.jsonl").exists() else ({}, {})
    if not records:
        log = (out / "run.log").read_text(encoding="utf-8", errors="replace").splitlines()
        said = [line for line in log if line.startswith("conformance: ") and "has no rows" not in line]
        raise SystemExit("\n".join([f"no case of {data.name} was run:", *said[:5]]))
    print(f"{data.name} on {table(header, records, arguments.cases)}\n", flush=True)
    passed = sum(record["status"] == "pass" for record in records.values())
    return {"cases": len(records), "pass": passed}


def compare(counted: dict[str, dict[str, int]], floor: dict[str, dict[str, int]]) -> list[str]:
    errors = []
    for name, counts in counted.items():
        wanted = floor.get(name)
        if wanted is None:
            errors.append(f"{name}: {counts}, of which the floor says nothing")
            continue
        if counts["cases"] != wanted["cases"]:
            errors.append(f"{name}: {counts['cases']} cases, the floor is of {wanted['cases']}")
        if counts["pass"] < wanted["pass"]:
            errors.append(f"{name}: {counts['pass']} cases pass, fewer than {wanted['pass']}")
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--floor", type=Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cases", type=int, default=0, help="name this many cases per reason")
    parser.add_argument("sets", nargs="*", metavar="SET")
    arguments = parser.parse_args()
    corpora = corpora_or_exit("corpora/stablehlo/testdata").parent
    floor = json.loads(arguments.floor.read_text(encoding="utf-8")) if arguments.floor else {}
    counted = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.sets or list(floor):
            out = (arguments.out or Path(scratch)) / name
            counted[name] = run_set(arguments, corpora / name, out)
    if arguments.update and arguments.floor:
        arguments.floor.write_text(json.dumps(floor | counted, indent=2) + "\n", encoding="utf-8")
        return 0
    errors = compare(counted, floor) if arguments.floor else []
    print("\n".join(errors), file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
