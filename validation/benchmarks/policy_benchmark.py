# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Measures the cost of a nightly's policies: CPU time of a run with all of them, and of the same run with `domain`
alone.

python3 -m validation.benchmarks.policy_benchmark [--target host] [--rounds 1] [MODEL...]

The time is user and system time of the run and all that it starts; waiting on a busy machine does not count.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
from pathlib import Path

from fixtures.programs import ROOT, UNEXPECTED, run

BUDGET = 1.4


def processor_seconds(folder: Path, target: str, *flags: str) -> float:
    """The CPU time of a run, which also counts if a row does not pass."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    argv = ["run", folder, "--target", target, "--fresh", *flags, "--", "--baseline=none", "--reports=off"]
    done = run("opbyop", *argv, "--progress=quiet", timeout=None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, UNEXPECTED):
        sys.exit(f"{flags} ended with {done.returncode}: {done.stderr[-2000:]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="host")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("models", nargs="*", type=Path, default=[ROOT / "fixtures/models"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run"
        split = run("opbyop", "split", "--quiet", *arguments.models, "-o", folder)
        if split.returncode != 0:
            sys.exit(split.stderr)
        every, one = [], []
        for number in range(1, arguments.rounds + 1):
            every.append(processor_seconds(folder, arguments.target))
            one.append(processor_seconds(folder, arguments.target, "--policy=domain"))
            print(f"round {number}: all policies {every[-1]:.1f} s, domain {one[-1]:.1f} s (processor)", flush=True)
        ratio = statistics.median(a / b for a, b in zip(every, one, strict=True))
    print(f"a nightly's policies on {arguments.target}: {ratio:.2f} times `domain` alone, budget {BUDGET}")


if __name__ == "__main__":
    main()
