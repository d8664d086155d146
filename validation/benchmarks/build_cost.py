# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The processor time of a build from nothing, without a compile cache: in all, by folder, and of the slowest files.

python3 -m validation.benchmarks.build_cost                # what ./dev nightly builds
python3 -m validation.benchmarks.build_cost all            # everything
python3 -m validation.benchmarks.build_cost ir --slowest 9

Files that are compiled together are one file here: Unity/unity_0_cxx.cxx has the first of its library. Sources that
other programs generate, and linking, are only in the sum.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from fixtures.programs import ROOT

LOG = "BUILD_COST_LOG"


def seconds() -> float:
    """Of the ended children of this process, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_one(log: str, command: list[str]) -> int:
    code = subprocess.run(command, check=False).returncode
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{seconds():.2f} {command[command.index('-o') + 1]}\n")
    return code


def programs() -> tuple[str, ...]:
    """What the first nightly on host builds."""
    sys.path.append(str(ROOT / "packaging"))
    names: tuple[str, ...] = importlib.import_module("dev.build").PROGRAMS
    return names


def folder_of(file: str) -> str:
    """Of the sources: "ir" for ir/CMakeFiles/ir.dir/stablehlo/forms.cc.o."""
    return re.sub(r"/?CMakeFiles/.*", "", file) or "precompiled headers"


def main() -> int:
    if log := os.environ.get(LOG):  # as the launcher of a compiler
        return compile_one(log, sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="of ninja")
    parser.add_argument("--slowest", type=int, default=20, help="how many files to list (default: 20)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder, "times")
        environment = {**os.environ, LOG: str(times), "PYTHONPATH": str(ROOT)}
        launcher = f"-DCCACHE={sys.executable};{Path(__file__).resolve()}"
        tree = Path(folder, "build")
        configure: list[str | Path] = ["cmake", "--preset", "release", "-B", tree, launcher]
        subprocess.run(configure, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        times.unlink(missing_ok=True)  # of programs that CMake compiled to try something
        before = seconds()
        subprocess.run(["ninja", "-C", tree, *(options.targets or programs())], env=environment, check=True)
        total = seconds() - before
        lines = [line.split(" ", 1) for line in times.read_text(encoding="utf-8").splitlines()]
    files = sorted(((float(spent), file) for spent, file in lines), reverse=True)
    folders: dict[str, float] = collections.defaultdict(float)
    for spent, file in files:
        folders[folder_of(file)] += spent
    print(f"{total:8.1f} s in all, {sum(spent for spent, _ in files):.1f} s of them for {len(files)} files")
    for folder, spent in sorted(folders.items(), key=lambda item: -item[1]):
        print(f"{spent:8.1f} s {folder}")
    for spent, file in files[: options.slowest]:
        print(f"{spent:8.1f} s {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
