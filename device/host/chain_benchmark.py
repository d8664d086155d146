#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares opbyop's host target with a shell loop of Debian's tools, on the same cases.

    device/host/chain_benchmark.py RUN [--cases 200] [--jobs 2] [--loop-jobs 1] [--most-bytes 65536]

RUN is a folder with manifest.yaml and cases/. The loop compiles each case's linalg, the
output of the host target's second stage, to an object file with mlir-opt-22,
mlir-translate-22, opt-22 and llc-22, one case after the other as a shell loop does. It runs
the target's own passes of MLIR and LLVM, in four processes, and stops there. opbyop goes
from StableHLO to the compared result on --jobs cores. The benchmark prints two figures for
opbyop: the whole case, and the two stages that correspond to the chain.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "validation/benchmarks"))

from benchmark_cases import Case, figures, opbyop, sample, shell_loop
from target_table import load

CHAIN = """mlir-opt-22 --pass-pipeline='{mlir}' {dir}/@/*_stablehlo-to-linalg.mlir |
  mlir-translate-22 --mlir-to-llvmir | opt-22 --passes='{llvm}' | llc-22 --filetype=obj -o {dir}/@.o 2>/dev/null"""
SAME_STAGES = ("linalg-to-llvm", "llvm-to-flatbuffer")
OWN_PASS = re.compile(r",?\s*opbyop-[\w-]+(\{[^}]*\})?")


def pipelines() -> tuple[str, str]:
    """The host target's pipelines from linalg to LLVM and in LLVM, without opbyop's own passes."""
    target = yaml.safe_load((ROOT / "manifests/targets/host.yaml").read_text())
    stages = {stage["name"]: stage.get("pipeline", "") for stage in target["stages"]}
    mlir = OWN_PASS.sub("", stages["linalg-to-llvm"])
    return re.sub(r"\(\s*,", "(", mlir), stages["llvm-to-flatbuffer"]


def keep_linalg(run: Path, cases: list[Case], folder: str) -> None:
    select = [f"--select=id={case['id']}" for case in cases]
    command = [
        ROOT / "build/bin/conformance",
        f"--manifest={run}/manifest.yaml",
        "--target=host",
        f"--out={folder}/run",
    ]
    flags = [f"--keep={folder}", "--baseline=none", "--progress=quiet"]
    subprocess.run([*command, *flags, *select], stdout=subprocess.DEVNULL, check=False)
    for tensor in Path(folder).glob("*/*.npy"):
        tensor.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--loop-jobs", type=int, default=1)
    parser.add_argument("--most-bytes", type=int, default=0, metavar="N", help="only cases that move at most N bytes")
    arguments = parser.parse_args()
    run = arguments.run.resolve()
    cases = sample(run, arguments.cases, arguments.most_bytes)
    with tempfile.TemporaryDirectory() as folder:
        keep_linalg(run, cases, folder)
        mlir, llvm = pipelines()
        script = CHAIN.format(mlir=mlir, llvm=llvm, dir=folder)
        chain = shell_loop(script, [case["id"] for case in cases], arguments.loop_jobs)
        objects = sum(path.stat().st_size > 0 for path in Path(folder).glob("*.o"))
        print(f"{len(cases)} cases; the loop {arguments.loop_jobs} at a time, opbyop {arguments.jobs}")
        print(f"{objects} object files of the chain")
        print(figures("mlir-opt | mlir-translate | opt | llc", chain, len(cases)), flush=True)
        whole = opbyop("host", run, cases, arguments.jobs, Path(folder) / "timed")
        _, records = load(Path(folder) / "timed/results.jsonl")
    stages = [stage for record in records.values() for stage in record["stages"]]
    same = sum(stage["ms"] for stage in stages if stage["name"] in SAME_STAGES) / 1e3 / arguments.jobs
    print(figures("opbyop, parse to compare", whole, len(cases), chain))
    print(figures(f"opbyop, {' and '.join(SAME_STAGES)}", same, len(cases), chain))
    return 0


if __name__ == "__main__":
    sys.exit(main())
