# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares jaxlib's reader with this project's on the same files, in one run.

    python -m validation.peers.read_baseline build/bin/read_benchmark [FILE...]

Reads each file several times with both, and keeps the best time of each; the start of a process and the creation of a
context do not count. Text is parsed and verified, portable artifacts are deserialised. Without files: the committed
models, and the artifacts and large texts of the corpora if they are there. Prints a line per kind: how many files, the
sum of both times, the ratio of the sums and the worst ratio. The budget is 1.2.
"""

import collections
import pathlib
import subprocess
import sys
import time

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from fixtures.bindings import make_context
from fixtures.corpora.folder import FOLDER

LEAST, SECONDS = 5, 0.3
CORPORA = FOLDER / "corpora"
LARGE_TEXTS = 20


def default_files() -> list[pathlib.Path]:
    files = sorted(pathlib.Path("fixtures/models").glob("*.mlirbc"))
    files += sorted(CORPORA.glob("exports/*")) + sorted(CORPORA.glob("stablehlo/vhlo/*"))
    texts = sorted(CORPORA.glob("stablehlo/testdata/*.mlir"), key=lambda p: -p.stat().st_size)
    return files + texts[:LARGE_TEXTS]


def best_seconds(path: pathlib.Path) -> float | None:
    """None if jaxlib does not read the file, for example because it is newer."""
    data = path.read_bytes()
    is_artifact = data.startswith(b"ML\xefR")
    text = "" if is_artifact else data.decode()
    best, total, repeats = float("inf"), 0.0, 0
    context = make_context()
    context.enable_multithreading(False)
    with context, ir.Location.unknown():
        while repeats < LEAST or total < SECONDS:
            start = time.perf_counter()
            try:
                if is_artifact:
                    stablehlo.deserialize_portable_artifact(context, data)
                else:
                    ir.Module.parse(text)
            except (ir.MLIRError, ValueError, RuntimeError):
                return None
            seconds = time.perf_counter() - start
            best, total, repeats = min(best, seconds), total + seconds, repeats + 1
    return best


def main(argv: list[str]) -> int:
    if not argv:
        print(__doc__, file=sys.stderr)
        return 2
    files = [pathlib.Path(name) for name in argv[1:]] or default_files()
    sums: dict[str, list] = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0, ""])
    for path in files:
        theirs = best_seconds(path)
        if theirs is None:
            print(f"jaxlib does not read {path.name}")
            continue
        done = subprocess.run([argv[0], path], stdout=subprocess.PIPE, text=True, check=True)
        ours, kind, _ = done.stdout.split("\t")
        row = sums[kind]
        row[0] += 1
        row[1] += float(ours)
        row[2] += theirs
        if float(ours) / theirs > row[3]:
            row[3:] = [float(ours) / theirs, path.name]
    for kind, (count, ours, theirs, worst, name) in sums.items():
        print(
            f"{kind:<18} {count:>3} files {ours * 1e3:>9.1f} ms, jaxlib {theirs * 1e3:>9.1f} ms: "
            f"ratio {ours / theirs:.2f}, worst {worst:.2f} ({name})   budget 1.20"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
