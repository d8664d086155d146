# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Measures `opbyop run` on the suite for a mesh under `domain` against a plain Python loop over the same programs,
inputs and executions on the same plugin, xla-cpu-pjrt, one after the other.

python3 -m validation.benchmarks.mesh_benchmark [--ops '*'] [--rounds 1] [--jobs 2]

The programs are those that the plugin executes: the loop would die with the others. Budget: 1.5 times the loop.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fixtures.programs import ROOT, UNEXPECTED, records, run
from validation.benchmarks.benchmark_cases import Case, cases_of, opbyop

BUDGET = 1.5
TARGET = "xla-cpu-pjrt"
EXECUTIONS = 8  # of a program of several devices, on its first inputs
SKIPPED = 77


def executed(folder: Path) -> set[str]:
    """The cases of a run that the plugin executed."""
    done = [each for each in records(folder / "results.jsonl") if each["record"] == "case"]
    ended = [each for each in done if each["stages"] and each["stages"][-1]["name"] in ("execute", "compare")]
    return {each["case"] for each in ended if each["status"] in ("pass", "fail", "imprecise", "inconclusive")}


def for_the_loop(case: Case, kept: Path) -> dict:
    sets = [(kept, EXECUTIONS), *((each, 1) for each in sorted(kept.glob("domain#*")))]
    return {
        "program": str(kept / "0_parse.mlirbc"),
        "grid": [case["grid"]["replicas"], case["grid"]["partitions"]],
        "inputs": case["inputs"],
        "shardings": case["shardings"]["inputs"] if "shardings" in case else None,
        "sets": [[str(folder), count] for folder, count in sets],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", default="*")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    python = ROOT / ".venv-pjrt/bin/python"
    plugin = next(
        iter(ROOT.glob(".venv-pjrt/lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so")), None
    )
    if plugin is None:
        print(f"skipped: no plugin of {TARGET}; './dev setup --target {TARGET}' installs it")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        suite, kept = Path(temporary, "suite"), Path(temporary, "kept")
        made = run("opbyop", "suite", "stablehlo", "--mesh", "2x4", f"--op={arguments.ops}", "-o", suite)
        if made.returncode != 0:
            sys.exit(made.stderr)
        where = ["--target", TARGET, "--policy=domain", "--fresh", "--fresh-seed=none", "--cache=none", "--keep", kept]
        done = run("opbyop", "run", suite, *where, "--", "--baseline=none", "--reports=off", timeout=None)
        if done.returncode not in (0, UNEXPECTED):
            sys.exit(done.stderr[-2000:])
        known = executed(suite)
        cases = [
            case for case in cases_of(suite) if case["id"] in known and (kept / case["id"] / "input_0.npy").exists()
        ]
        listed = Path(temporary, "cases.json")
        listed.write_text(json.dumps([for_the_loop(case, kept / case["id"]) for case in cases]))
        flags = ("--policy=domain", "--fresh", "--fresh-seed=none", "--cache=none", "--reports=off")
        for number in range(1, arguments.rounds + 1):
            mine = opbyop(TARGET, suite, cases, arguments.jobs, Path(temporary, "out"), *flags)
            loop = [python, "-m", "validation.peers.mesh_loop", plugin, listed]
            peer = subprocess.run(loop, cwd=ROOT, capture_output=True, text=True, check=True)
            seconds, refused = float(peer.stdout), peer.stderr.count(".mlirbc: ")
            print(
                f"round {number}: {len(cases)} programs, opbyop {mine:.1f} s with {arguments.jobs} jobs, the loop "
                f"{seconds:.1f} s ({refused} refused): {mine / seconds:.2f} times, budget {BUDGET}",
                flush=True,
            )


if __name__ == "__main__":
    main()
