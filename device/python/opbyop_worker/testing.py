# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A parent for tests: starts a worker program and talks to it as the harness does.

with Parent([sys.executable, "device/xla/worker.py"]) as parent:
    answer = parent.ask("compile", case="a", file="a.mlir", dir=folder)
    answer.stages            # [("parse", "pass"), ...]
"""

from __future__ import annotations

import dataclasses
import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from . import tensors
from .protocol import ONLY, REPLY_FD, Fields, TensorType, read_frame


@dataclasses.dataclass
class Answer:
    stages: list[tuple[str, str]]
    done: Fields

    @property
    def status(self) -> str:
        return self.done["status"]


class Parent:
    def __init__(self, argv: list[str], only: str = ""):
        reader, writer = os.pipe()
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[writer],
            env={
                **os.environ,
                REPLY_FD: str(writer),
                ONLY: only,
                "PYTHONPATH": str(Path(__file__).parent.parent),
            },
        )
        os.close(writer)
        self._replies = os.fdopen(reader, "rb")
        self.hello = self._read()
        self._id = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self) -> Fields:
        frame = read_frame(self._replies)
        if frame is None:
            raise EOFError(f"the worker left with {self._process.wait()}")
        return json.loads(frame)

    def ask(self, verb: str, **fields: Any) -> Answer:
        self._id += 1
        body = json.dumps({"id": self._id, "verb": verb, **fields}).encode()
        assert self._process.stdin
        self._process.stdin.write(struct.pack("<I", len(body)) + body)
        self._process.stdin.flush()
        stages = []
        while (message := self._read())["event"] != "done":
            if message["state"] == "end":
                stages.append((message["stage"], message["status"]))
        return Answer(stages, message)

    def __enter__(self) -> Parent:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        self._replies.close()


class CaseFolder:
    """A case on disk: its file, its inputs, and its outputs once a worker wrote them."""

    def __init__(self, text: str, inputs: list[tuple[np.ndarray, str]], outputs: list[tuple[tuple[int, ...], str]]):
        self._folder = tempfile.TemporaryDirectory()
        self.dir = Path(self._folder.name)
        self.file = self.dir / "case.mlir"
        self.file.write_text(text)
        self.input_types = [TensorType(array.shape, dtype) for array, dtype in inputs]
        self.output_types = [TensorType(shape, dtype) for shape, dtype in outputs]
        for i, (array, _) in enumerate(inputs):
            tensors.write_tensor(self.dir / f"input_{i}.npy", array, self.input_types[i])

    def fields(self, case: str = "case") -> Fields:
        return {
            "case": case,
            "file": str(self.file),
            "dir": str(self.dir),
            "inputs": [dataclasses.asdict(each) for each in self.input_types],
            "outputs": [dataclasses.asdict(each) for each in self.output_types],
            "repeat": {"min": 1, "max": 3, "budget_ms": 1000},
        }

    def output(self, i: int = 0) -> np.ndarray:
        return tensors.read_tensor(self.dir / f"output_{i}.npy", self.output_types[i])

    def cleanup(self) -> None:
        self._folder.cleanup()


class WorkerChecks:
    """A mix-in for unittest.TestCase: checks that every target's worker must pass. `argv` starts the worker."""

    argv: list[str]
    compile_stages: list[tuple[str, str]]
    parent: Parent

    @classmethod
    def setUpClass(cls) -> None:
        cls.parent = Parent(cls.argv)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.parent.__exit__()

    def run_case(self, case: CaseFolder) -> None:
        self.addCleanup(case.cleanup)
        compiled = self.parent.ask("compile", **case.fields())
        self.assertEqual(compiled.stages, self.compile_stages, compiled.done)
        self.assertGreater(compiled.done.get("artifact_bytes", 1), 0)  # absent if it is not known
        executed = self.parent.ask("execute", **case.fields())
        self.assertEqual(executed.stages, [("load", "pass"), ("execute", "pass")], executed.done)
        self.assertEqual(executed.done["timing"]["n"], 2)  # three runs, the first without a time

    def test_values_survive_a_round_trip(self) -> None:
        case = unary("stablehlo.negate", "f32", np.array([[1, -2], [0.5, 4]], np.float32))
        self.run_case(case)
        self.assertEqual(case.output().tolist(), [[-1, 2], [-0.5, -4]])

    def test_a_saved_artifact_runs_in_a_worker_that_only_executes(self) -> None:
        case = unary("stablehlo.negate", "f32", np.array([[1, -2]], np.float32))
        self.addCleanup(case.cleanup)
        artifact = str(case.dir / "artifact")
        with Parent(self.argv, only="compile") as compiler:
            compiled = compiler.ask("compile", artifact=artifact, **case.fields())
        self.assertTrue(compiled.done["saved"], compiled.done)
        with Parent(self.argv, only="execute") as device:
            for _ in range(2):
                executed = device.ask("execute", artifact=artifact, **case.fields())
                self.assertEqual(executed.stages, [("load", "pass"), ("execute", "pass")], executed.done)
                self.assertTrue(executed.done["loaded"])
                self.assertEqual(case.output().tolist(), [[-1, 2]])

    def test_the_artifact_in_the_file_is_used_whatever_was_compiled(self) -> None:
        cases = [unary(op, "f32", np.array([[1, -2]], np.float32)) for op in ("stablehlo.negate", "stablehlo.abs")]
        for case in cases:
            self.addCleanup(case.cleanup)
            self.parent.ask("compile", artifact=str(case.dir / "artifact"), **case.fields())
        first = {**cases[1].fields(), "artifact": str(cases[0].dir / "artifact")}
        self.assertEqual(self.parent.ask("execute", **first).status, "pass")
        self.assertEqual(cases[1].output().tolist(), [[-1, 2]])

    def test_a_truncated_artifact_fails_in_load(self) -> None:
        case = unary("stablehlo.negate", "f32", np.array([[1, -2]], np.float32))
        self.addCleanup(case.cleanup)
        artifact = case.dir / "artifact"
        self.parent.ask("compile", artifact=str(artifact), **case.fields())
        artifact.write_bytes(artifact.read_bytes()[:100])
        executed = self.parent.ask("execute", artifact=str(artifact), **case.fields())
        self.assertEqual(executed.stages, [("load", "fail")], executed.done)

    def test_kept_cases_run_in_any_order_and_report_their_spans(self) -> None:
        cases = [unary(op, "f32", np.array([[1, -2]], np.float32)) for op in ("stablehlo.negate", "stablehlo.abs")]
        for i, case in enumerate(cases):
            self.addCleanup(case.cleanup)
            self.assertTrue(self.parent.ask("compile", keep=True, **case.fields(f"case{i}")).done["kept"])
        executed = self.parent.ask("execute", spans=True, **cases[0].fields("case0")).done
        self.assertEqual(cases[0].output().tolist(), [[-1, 2]])
        kinds = [line.split()[0] for line in executed["spans"].splitlines()]
        self.assertEqual([kinds.count(kind) for kind in ("transfer_in", "execute", "transfer_out")], [1, 1, 1])
        self.assertGreater(executed["longest_ns"], 0)


def unary(op: str, dtype: str, values: np.ndarray) -> CaseFolder:
    """A program with `op` on one operand; the result has the operand's type."""
    type_ = "tensor<" + "".join(f"{dim}x" for dim in values.shape) + dtype + ">"
    body = f"%0 = {op} %arg0 : {type_}\n    return %0 : {type_}"
    text = f"module {{\n  func.func @main(%arg0: {type_}) -> {type_} {{\n    {body}\n  }}\n}}\n"
    return CaseFolder(text, [(values, dtype)], [(values.shape, dtype)])
