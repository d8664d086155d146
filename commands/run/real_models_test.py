# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that models.yaml lists the loops of the zoo at its real widths that are too much for the reference: those that
it judges with fewer trips instead, and those that nothing judges.

python3 -m unittest commands.run.real_models_test
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
from pathlib import Path

from fixtures.programs import BIN, ROOT, ProgramTest, Record

ZOO = ROOT / "fixtures/zoo/real"


def listed(key: str) -> list[str]:
    """Returns the cases under this key of all models."""
    lists = re.findall(rf"(?m)^    {key}:\n((?:      - .*\n)+)", (ZOO / "models.yaml").read_text())
    return re.findall(r"\{case: (\w+), why: ", "".join(lists))


class Reference:
    """The reference's worker (docs/worker-protocol.md)."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            [BIN / "opbyop-worker", "--reference"],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[writer],
            env={**os.environ, "OPBYOP_REPLY_FD": str(writer)},
        )
        os.close(writer)
        self._replies = os.fdopen(reader, "rb")
        self._read()

    def _read(self) -> Record:
        (size,) = struct.unpack("<I", self._replies.read(4))
        return json.loads(self._replies.read(size))

    def ask(self, **fields: object) -> Record:
        body = json.dumps({"id": 1, **fields}).encode()
        assert self._process.stdin
        self._process.stdin.write(struct.pack("<I", len(body)) + body)
        self._process.stdin.flush()
        while (message := self._read())["event"] != "done":
            pass
        return message

    def __enter__(self) -> Reference:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._replies.close()


class RealModelsTest(ProgramTest):
    def inputs(self, reference: Reference, file: Path) -> Record:
        return reference.ask(
            verb="inputs",
            case=file.stem,
            dir=str(self.folder),
            file=str(file),
            op="stablehlo.while",
            policy="domain",
            seed=0,
        )

    def test_the_loops_that_are_too_much_are_listed(self) -> None:
        self.opbyop("split", ZOO, "-o", self.folder)
        files = sorted((self.folder / "cases").glob("while_*.mlir"))
        with Reference() as reference:
            replies = {file.stem: self.inputs(reference, file) for file in files}
        skipped = {case: reply for case, reply in replies.items() if reply["status"] == "skipped"}
        self.assertCountEqual(skipped, listed("fewer_trips") + listed("not_judged"))
        # A machine with much memory has room for more of them.
        for case in listed("not_judged"):
            diagnostic = skipped[case]["diagnostic"]
            self.assertTrue("smaller" in skipped[case] or "alive at once" in diagnostic, diagnostic)
