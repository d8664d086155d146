# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Measures opbyop against the Python splitter on the same files, in one run.

    python -m validation.peers.compare_splitters build/bin/split_benchmark fixtures/models

Runs both in turn, several times, and prints the best figure of each with its
ratio. Needs jaxlib (see fixtures/with_python.sh).
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# Figure: (line of split_benchmark, line of baseline_splitter, wanted ratio).
FIGURES = {
    "read": ("read ", "read:", 1 / 1.2),
    "walk + hash + dedupe": ("walk + hash", "walk + hash", 10),
    "read + split + write": ("read + split + write", "read + split + write", 5),
}
SPEED = re.compile(r"([\d,]+) ops/s")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m validation.peers.compare_splitters")
    parser.add_argument("benchmark", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(argv)
    models = sorted(str(path) for path in options.models.glob("*.mlirbc"))
    ours, theirs = {}, {}
    for _ in range(options.runs):
        take_best(ours, 0, [str(options.benchmark), str(options.models)])
        with tempfile.TemporaryDirectory() as folder:
            module = [sys.executable, "-m", "validation.peers.baseline_splitter"]
            take_best(theirs, 1, [*module, "--write", folder, *models])
    print(f"{'ops/s':24}{'opbyop':>12}{'bindings':>12}{'ratio':>8}{'wanted':>8}")
    for name, (_, _, wanted) in FIGURES.items():
        ratio = ours[name] / theirs[name]
        print(f"{name:24}{ours[name]:12,}{theirs[name]:12,}{ratio:8.2f}{wanted:8.2f}")
    return 0


def take_best(best: dict[str, int], side: int, command: list[str]) -> None:
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name, starts in FIGURES.items():
        for line in output.splitlines():
            found = SPEED.search(line)
            if found and line.startswith(starts[side]):
                speed = int(found.group(1).replace(",", ""))
                best[name] = max(best.get(name, 0), speed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
