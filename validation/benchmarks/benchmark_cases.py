# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Shared parts of benchmarks against a shell loop of command line tools: the cases, the loop, and opbyop on the same
cases.

cases = sample(run, 200)                       # run: a folder with manifest.yaml and cases/
vendor = shell_loop("compile {}.mlir", [case["id"] for case in cases], jobs=2)
mine = opbyop("iree", run, cases, jobs=2, out=folder)
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Case = dict[str, Any]


def cases_of(run: Path) -> list[Case]:
    """The cases of a manifest, which has one JSON object a line for them."""
    lines = (run / "manifest.yaml").read_text().splitlines()
    return [json.loads(line.strip().removeprefix("- ").rstrip(",")) for line in lines if '"id":' in line]


def sample(run: Path, count: int, most_bytes: int = 0) -> list[Case]:
    """The same cases at every call; with `most_bytes` only cases that move at most so many."""
    cases = [case for case in cases_of(run) if not most_bytes or case["bytes"] <= most_bytes]
    return random.Random(7).sample(cases, min(count, len(cases)))


def shell_loop(script: str, names: Sequence[str], jobs: int) -> float:
    """Seconds that `script` takes for all names, `jobs` at a time; @ in it is the name."""
    begin = time.perf_counter()
    command = ["xargs", "-P", str(jobs), "-I@", "sh", "-c", script]
    subprocess.run(command, input="\n".join(names), text=True, check=False)
    return time.perf_counter() - begin


def opbyop(target: str, run: Path, cases: Sequence[Case], jobs: int, out: Path, *flags: str) -> float:
    """Seconds that a run of these cases takes from the program's start to its end; `flags` are conformance's."""
    select = [f"--select=id={case['id']}" for case in cases]
    where = [f"--manifest={run}/manifest.yaml", f"--target={target}", f"--out={out}", f"--jobs={jobs}"]
    command = [ROOT / "build/bin/conformance", *where, *flags, "--baseline=none", "--progress=quiet", *select]
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begin


def figures(name: str, seconds: float, cases: int, vendor: float = 0.0) -> str:
    text = f"{name}: {seconds:.1f} s, {seconds / cases * 1e3:.0f} ms a case"
    return text + (f", {vendor / seconds:.1f} times as fast" if vendor else "")
