#!/usr/bin/env python3
"""opbyop's iree target against a shell loop of the vendor's tools, on the same cases.

    device/iree/loop_benchmark.py RUN [--cases 200] [--jobs 2] [--batch 50]

RUN is a folder with manifest.yaml and cases/. The loop runs iree-compile and
iree-run-module for each case, --jobs at a time; opbyop runs the same cases alone
and batched. All three in one go, so that they share whatever else the machine does.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FLAGS = [line.split()[1] for line in (ROOT / "manifests/targets/iree.yaml").read_text().splitlines() if line.startswith("  - --")]
LOOP = """xargs -P {jobs} -I@ sh -c '{bin}/iree-compile {flags} {run}/cases/@.mlir -o {dir}/@.vmfb 2>/dev/null &&
  {bin}/iree-run-module --device=local-sync --module={dir}/@.vmfb --function=main $(cat {dir}/@.inputs) >/dev/null'"""


def cases_of(run: Path) -> list[dict[str, Any]]:
    """The manifest holds one JSON object a line for its cases."""
    lines = (run / "manifest.yaml").read_text().splitlines()
    return [json.loads(line.strip().removeprefix("- ").rstrip(",")) for line in lines if '"id":' in line]


def loop(run: Path, cases: list[dict[str, Any]], jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            shapes = ["x".join([*map(str, each["shape"]), each["dtype"]]) for each in case["inputs"]]
            (Path(folder) / f"{case['id']}.inputs").write_text(" ".join(f"--input={shape}=1" for shape in shapes))
        script = LOOP.format(jobs=jobs, bin=ROOT / ".venv-iree/bin", flags=" ".join(FLAGS), run=run, dir=folder)
        begin = time.perf_counter()
        subprocess.run(["sh", "-c", script], input="\n".join(case["id"] for case in cases), text=True, check=False)
        return time.perf_counter() - begin


def opbyop(run: Path, cases: list[dict[str, Any]], jobs: int, batch: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        select = [f"--select=id={case['id']}" for case in cases]
        flags = [f"--manifest={run}/manifest.yaml", "--target=iree", f"--out={folder}", f"--jobs={jobs}", f"--batch={batch}"]
        command = [ROOT / "build/bin/conformance", *flags, "--baseline=none", "--progress=quiet", *select]
        begin = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=50)
    arguments = parser.parse_args()
    run = arguments.run.resolve()
    cases = cases_of(run)
    cases = random.Random(7).sample(cases, min(arguments.cases, len(cases)))
    vendor = loop(run, cases, arguments.jobs)
    print(f"{len(cases)} cases, {arguments.jobs} at a time")
    print(f"iree-compile and iree-run-module: {vendor:.1f} s, {vendor / len(cases) * 1e3:.0f} ms a case", flush=True)
    for batch in (1, arguments.batch):
        mine = opbyop(run, cases, arguments.jobs, batch)
        print(
            f"opbyop, batch {batch}: {mine:.1f} s, {mine / len(cases) * 1e3:.0f} ms a case, {vendor / mine:.1f} times as fast",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
