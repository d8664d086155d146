#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares opbyop's iree target with a shell loop of the vendor's tools, on the same cases.

    device/iree/loop_benchmark.py RUN [--cases 200] [--jobs 2] [--batch 50] [--loop-jobs 1]

RUN is a folder with manifest.yaml and cases/. The loop runs iree-compile and
iree-run-module for each case, one after the other as a shell loop does; opbyop runs the
same cases on --jobs cores, one by one and batched, checks them, and says whether both ways
had the same results. All three measurements are made in one run of this benchmark, so that
other load affects all of them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "validation/benchmarks"))

from benchmark_cases import Case, figures, opbyop, sample, shell_loop

TARGET = (ROOT / "manifests/targets/iree.yaml").read_text()
FLAGS = [line.split()[1] for line in TARGET.splitlines() if line.startswith("  - --")]
BYTES = {"i1": "i8"}  # as iree-run-module reads them
LOOP = """{bin}/iree-compile {flags} {run}/cases/@.mlir -o {dir}/@.vmfb 2>/dev/null &&
  {bin}/iree-run-module --device=local-sync --module={dir}/@.vmfb --function=main $(cat {dir}/@.inputs) >/dev/null"""


def loop(run: Path, cases: list[Case], jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            types = [[*map(str, each["shape"]), BYTES.get(each["dtype"], each["dtype"])] for each in case["inputs"]]
            shapes = ["x".join(type_) for type_ in types]
            (Path(folder) / f"{case['id']}.inputs").write_text(" ".join(f"--input={shape}=1" for shape in shapes))
        script = LOOP.format(bin=ROOT / ".venv-iree/bin", flags=" ".join(FLAGS), run=run, dir=folder)
        return shell_loop(script, [case["id"] for case in cases], jobs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--loop-jobs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=50)
    arguments = parser.parse_args()
    run = arguments.run.resolve()
    cases = sample(run, arguments.cases)
    vendor = loop(run, cases, arguments.loop_jobs)
    print(f"{len(cases)} cases; the loop {arguments.loop_jobs} at a time, opbyop {arguments.jobs}")
    print(figures("iree-compile and iree-run-module", vendor, len(cases)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / f"batch-{batch}" for batch in (1, arguments.batch)]
        for batch, out in zip((1, arguments.batch), outs):
            mine = opbyop("iree", run, cases, arguments.jobs, out, f"--batch={batch}")
            print(figures(f"opbyop, batch {batch}", mine, len(cases), vendor), flush=True)
        same = [
            sys.executable,
            str(ROOT / "validation/repository/same_results.py"),
            *(str(out / "results.jsonl") for out in outs),
        ]
        subprocess.run(same, check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
