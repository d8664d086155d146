# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A worker that behaves correctly unless a case file names a misbehaviour for the current role and verb.

    target.execute: second_done          # every time
    reference.inputs: slow
    target.compile: wrong_output *1      # the first time only

Good cases are identities of one f32 tensor: the device copies input 0 to output 0, and the reference expects that.
Lines may start with `//`, so that the file of a real case can contain them.
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.attack.hostile import frames

STAGES = {
    "inputs": ["inputs"],
    "compile": ["parse", "lower"],
    "compile_batch": ["parse", "lower"],
    "execute": ["load", "execute"],
    "compare": ["compare"],
}
LINE = re.compile(r"^(?:// )?(target|reference)\.(\w+): (\w+)(?: \*(\d+))?$", re.M)

Request = dict[str, Any]
Act = Callable[["Worker", Request], None]


def first_stage(request: Request) -> str:
    return STAGES[request["verb"]][0]


def idle() -> None:
    """Waits until the parent ends it."""
    time.sleep(600)


def npy(shape: list[int], values: bytes, descr: str = "<f4", order: str = "False") -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({''.join(f'{n}, ' for n in shape)}), }}"
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def same_files(expected: Path, output: Path) -> bool:
    if not (expected.is_file() and output.is_file()) or expected.stat().st_size != output.stat().st_size:
        return False
    return output.read_bytes() == expected.read_bytes()


class Worker:
    """Handles one request at a time; `behaviours` maps the names in case files to functions."""

    def __init__(self, role: str, behaviours: dict[str, Act]) -> None:
        self.role = role
        self.behaviours = behaviours
        self.files: dict[str, str] = {}
        self.spoiled = False  # by a case that passed

    def hello(self, **fields: Any) -> None:
        frames.send(
            {"event": "hello", "protocol": "opbyop-worker/1", "role": self.role, "name": "hostile", "version": "1"}
            | fields
        )

    def serve(self) -> None:
        while (request := frames.read_request()) is not None:
            self.behaviour_for(request)(self, request)

    def good(self, request: Request) -> None:
        """All stages of the verb and its `done`, as the protocol defines them."""
        for stage in STAGES[request["verb"]]:
            self.begin(request, stage)
            self.end(request, stage)
        self.done(request, **self.work(request))

    def begin(self, request: Request, stage: Any, **fields: Any) -> None:
        frames.send({"id": request["id"], "event": "stage", "stage": stage, "state": "begin"} | fields)

    def end(self, request: Request, stage: Any, **fields: Any) -> None:
        message = {"id": request["id"], "event": "stage", "stage": stage, "state": "end", "status": "pass", "ms": 0.1}
        frames.send(message | fields)

    def done(self, request: Request, **fields: Any) -> None:
        frames.send({"id": request["id"], "event": "done", "status": "pass", "diagnostic": ""} | fields)

    def work(self, request: Request) -> dict[str, Any]:
        """Does what the verb asks for; returns the fields of its `done`."""
        verb, folder = request["verb"], Path(request.get("dir") or ".")
        if verb == "inputs":
            for i, type_ in enumerate(request["inputs"]):
                count = 1
                for extent in type_["shape"]:
                    count *= extent
                values = struct.pack(f"<{count}f", *(float(n % 1000 + 1) for n in range(count)))
                (folder / f"input_{i}.npy").write_bytes(npy(type_["shape"], values))
        if verb == "execute":
            source = folder / "input_0.npy"
            if source.exists():
                (folder / "output_0.npy").write_bytes(source.read_bytes())
            return {"timing": {"n": 1, "min_us": 1, "median_us": 1, "p95_us": 1}, "artifact_bytes": 8}
        return {"comparisons": [self.comparison(folder)]} if verb == "compare" else {}

    def comparison(self, folder: Path) -> dict[str, Any]:
        expected, output = folder / "input_0.npy", folder / "output_0.npy"
        same = same_files(expected, output)
        fields = {"output": 0, "dtype": "f32", "elements": 4, "mismatches": 0 if same else 4, "rule": "bit-exact"}
        numbers = dict.fromkeys(("unbounded", "max_abs", "max_rel", "max_ulp", "nan_mismatches", "inf_mismatches"), 0)
        ratio = 0 if same else 1000
        shape = {"pcc": 1, "cosine": 1, "rmse": 0, "bound_ratio": ratio, "constant": False, "relaxed": "", "worst": []}
        return fields | numbers | shape | {"accepted": same}

    def behaviour_for(self, request: Request) -> Act:
        """The behaviour that the case's file names for this role and verb, or `good`."""
        if file := request.get("file"):
            self.files[request["case"]] = file
        for member in request.get("members", []):
            self.files[member["case"]] = member["file"]
        members = [member["case"] for member in request.get("members", [])] or [request["case"]]
        for case in members:
            act = self.named(case, request["verb"])
            if act is not None:
                return act
        return Worker.good

    def named(self, case: str, verb: str) -> Act | None:
        text = Path(self.files[case]).read_text() if case in self.files else ""
        for role, of, name, times in LINE.findall(text):
            if role == self.role and of == verb and (not times or self.count(case, name) <= int(times)):
                return self.behaviours[name]
        return None

    def count(self, case: str, name: str) -> int:
        """How often this was requested, including this time, over all workers of the run."""
        path = Path(os.environ["HOSTILE_MARKERS"]) / f"{case}.{self.role}.{name}"
        with path.open("ab") as file:
            file.write(b"x")
        return path.stat().st_size
