#!/usr/bin/env python3
"""opbyop's host target against a shell loop of Debian's tools, on the same cases.

    device/host/chain_benchmark.py RUN [--cases 200] [--jobs 2]

RUN is a folder with manifest.yaml and cases/. The loop takes each case's linalg,
as the host target's second stage left it, through mlir-opt-22, mlir-translate-22,
opt-22 and llc-22 to an object file: the target's own passes of MLIR and LLVM, each
process for itself. It stops there, while opbyop goes from StableHLO to the compared
result.
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
sys.path.insert(0, str(ROOT / "tools"))

from benchmark_cases import Case, figures, opbyop, sample, shell_loop

CHAIN = """mlir-opt-22 --pass-pipeline='{mlir}' {dir}/@/*_stablehlo-to-linalg.mlir |
  mlir-translate-22 --mlir-to-llvmir | opt-22 --passes='{llvm}' | llc-22 --filetype=obj -o {dir}/@.o 2>/dev/null"""
OWN_PASS = re.compile(r",?\s*opbyop-[\w-]+(\{[^}]*\})?")


def pipelines() -> tuple[str, str]:
    """The host target's pipelines from linalg to LLVM and in LLVM, without the passes that are opbyop's own."""
    target = yaml.safe_load((ROOT / "manifests/targets/host.yaml").read_text())
    stages = {stage["name"]: stage.get("pipeline", "") for stage in target["stages"]}
    mlir = OWN_PASS.sub("", stages["linalg-to-llvm"])
    return re.sub(r"\(\s*,", "(", mlir), stages["llvm-to-flatbuffer"]


def keep_linalg(run: Path, cases: list[Case], folder: str) -> None:
    select = [f"--select=id={case['id']}" for case in cases]
    command = [ROOT / "build/bin/conformance", f"--manifest={run}/manifest.yaml", "--target=host", f"--out={folder}/run"]
    flags = [f"--keep={folder}", "--baseline=none", "--progress=quiet"]
    subprocess.run([*command, *flags, *select], stdout=subprocess.DEVNULL, check=False)
    for tensor in Path(folder).glob("*/*.npy"):
        tensor.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    run = arguments.run.resolve()
    cases = sample(run, arguments.cases)
    with tempfile.TemporaryDirectory() as folder:
        keep_linalg(run, cases, folder)
        mlir, llvm = pipelines()
        chain = shell_loop(CHAIN.format(mlir=mlir, llvm=llvm, dir=folder), [case["id"] for case in cases], arguments.jobs)
        objects = sum(path.stat().st_size > 0 for path in Path(folder).glob("*.o"))
    print(f"{len(cases)} cases, {arguments.jobs} at a time; the chain makes {objects} object files")
    print(figures("mlir-opt | mlir-translate | opt | llc", chain, len(cases)), flush=True)
    mine = opbyop("host", run, cases, arguments.jobs)
    print(figures("opbyop, parse to compare", mine, len(cases), chain), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
