# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A target worker for tests that writes where it should not. Its stage `lower` returns the program unchanged.

A program that names @trespass makes it first write to each *.mlir of the other programs, to that program's own file and
to $HOSTILE_OUTSIDE; tried.txt in the folder $HOSTILE_LOG gets a line for each: `wrote FILE` or `refused FILE`. A
program that names @pipe or @link gets a FIFO or a link to $HOSTILE_OUTSIDE instead of the file that `lower` makes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "device/python"))

from opbyop_worker import protocol


def trespass(request: protocol.Request) -> None:
    scratch = request.dir.parents[1]
    others = [file for file in scratch.rglob("*.mlir") if request.dir not in file.parents]
    with open(Path(os.environ["HOSTILE_LOG"]) / "tried.txt", "a") as log:
        for file in (*others, request.file, Path(os.environ["HOSTILE_OUTSIDE"])):
            try:
                file.write_text("not a program")
            except OSError:
                print(f"refused {file}", file=log)
            else:
                print(f"wrote {file}", file=log)


class Hostile(protocol.TargetWorker):
    name = "hostile"
    version = "1"

    def compile(self, request: protocol.Request, stages: protocol.Stages) -> protocol.Fields:
        text = request.file.read_text()
        made = request.dir / "0_lower.mlir"
        with stages.stage("lower"):
            if "@trespass" in text:
                trespass(request)
            if "@pipe" in text:
                os.mkfifo(made)
            elif "@link" in text:
                made.symlink_to(os.environ["HOSTILE_OUTSIDE"])
            else:
                made.write_text(text)
        return {}


if __name__ == "__main__":
    sys.exit(protocol.serve(Hostile()))
