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
from .protocol import ONLY, REPLY_FD, Fields, Grid, TensorType, read_frame


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

    def __init__(
        self,
        text: str,
        inputs: list[tuple[np.ndarray, str]],
        outputs: list[tuple[tuple[int, ...], str]],
        grid: Grid | None = None,
        shardings: dict[str, list[str]] | None = None,
    ):
        """`inputs` are those of all processes of the grid; `outputs` are the types of one. With shardings both are
        whole tensors."""
        self.grid = grid or Grid()
        self.shardings = shardings
        self._folder = tempfile.TemporaryDirectory()
        self.dir = Path(self._folder.name)
        self.file = self.dir / "case.mlir"
        self.file.write_text(text)
        of_each = len(inputs) if shardings else len(inputs) // self.grid.processes
        self.input_types = [TensorType(array.shape, dtype) for array, dtype in inputs[:of_each]]
        self.output_types = [TensorType(shape, dtype) for shape, dtype in outputs]
        for i, (array, _) in enumerate(inputs):
            tensors.write_tensor(self.dir / f"input_{i}.npy", array, self.input_types[i % len(self.input_types)])

    def fields(self, case: str = "case") -> Fields:
        grid = {"grid": dataclasses.asdict(self.grid)} if self.grid != Grid() else {}
        shardings = {"shardings": self.shardings} if self.shardings else {}
        return {
            **grid,
            **shardings,
            "case": case,
            "file": str(self.file),
            "dir": str(self.dir),
            "inputs": [dataclasses.asdict(each) for each in self.input_types],
            "outputs": [dataclasses.asdict(each) for each in self.output_types],
            "repeat": {"min": 1, "max": 3, "budget_ms": 1000},
        }

    def output(self, i: int = 0) -> np.ndarray:
        return tensors.read_tensor(self.dir / f"output_{i}.npy", self.output_types[i % len(self.output_types)])

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


GROUPS = "replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
SUM = """({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""


class GridChecks(WorkerChecks):
    """Checks that the workers of targets with eight devices must pass too."""

    def run_on_grid(self, op: str, attributes: str, body: str, outputs: int, grid: Grid) -> list[list[float]]:
        """The results of each process for an op on four elements of f32, which are 10 p, 10 p + 1, ... on process p."""
        text = f"""module {{
  func.func @main(%a: tensor<4xf32>) -> tensor<{outputs}xf32> {{
    %0 = "stablehlo.{op}"(%a) <{{{attributes}}}> {body} : (tensor<4xf32>) -> tensor<{outputs}xf32>
    return %0 : tensor<{outputs}xf32>
  }}
}}
"""
        inputs = [(np.arange(4, dtype=np.float32) + 10 * p, "f32") for p in range(grid.processes)]
        case = CaseFolder(text, inputs, [((outputs,), "f32")], grid)
        self.run_case(case)
        return [case.output(p).tolist() for p in range(grid.processes)]

    def test_hello_names_eight_devices(self) -> None:
        self.assertEqual(self.parent.hello["devices"], 8)

    def test_a_sum_over_partitions_has_the_terms_of_its_group(self) -> None:
        attributes = f"{GROUPS}, {CHANNEL}, use_global_device_ids"
        outputs = self.run_on_grid("all_reduce", attributes, SUM, 4, Grid(partitions=8))
        self.assertEqual(outputs, [[60, 64, 68, 72]] * 4 + [[220, 224, 228, 232]] * 4)

    def test_a_sum_over_replicas_and_partitions_has_the_terms_of_all(self) -> None:
        attributes = f"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, {CHANNEL}"
        outputs = self.run_on_grid("all_reduce", attributes, SUM, 4, Grid(2, 4))
        self.assertEqual(outputs, [[280, 288, 296, 304]] * 8)

    def test_a_sum_over_replicas_has_the_terms_of_each_partition(self) -> None:
        attributes = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
        outputs = self.run_on_grid("all_reduce", attributes, SUM, 4, Grid(2, 4))
        self.assertEqual([each[0] for each in outputs], [40, 60, 80, 100, 40, 60, 80, 100])

    def test_each_process_gets_its_part_of_a_scattered_sum(self) -> None:
        attributes = f"scatter_dimension = 0 : i64, {GROUPS}, {CHANNEL}, use_global_device_ids"
        outputs = self.run_on_grid("reduce_scatter", attributes, SUM, 1, Grid(partitions=8))
        self.assertEqual(outputs, [[60], [64], [68], [72], [220], [224], [228], [232]])

    def test_a_process_that_is_no_target_of_a_permutation_has_zeros(self) -> None:
        attributes = f"source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, {CHANNEL}"
        outputs = self.run_on_grid("collective_permute", attributes, "", 4, Grid(partitions=8))
        self.assertEqual(outputs, [[0] * 4, [0, 1, 2, 3], [10, 11, 12, 13]] + [[0] * 4] * 5)

    def test_a_process_knows_its_own_ids(self) -> None:
        for op, expected in (("partition_id", [0, 1, 2, 3] * 2), ("replica_id", [0] * 4 + [1] * 4)):
            text = f"""module {{
  func.func @main() -> tensor<ui32> {{
    %0 = stablehlo.{op} : tensor<ui32>
    return %0 : tensor<ui32>
  }}
}}
"""
            case = CaseFolder(text, [], [((), "ui32")], Grid(2, 4))
            self.run_case(case)
            self.assertEqual([int(case.output(p)) for p in range(8)], expected)

    def test_more_processes_than_devices_are_unsupported(self) -> None:
        case = unary("stablehlo.negate", "f32", np.zeros(1, np.float32))
        case.grid = Grid(partitions=9)
        self.addCleanup(case.cleanup)
        answer = self.parent.ask("compile", **case.fields())
        self.assertNotEqual(answer.status, "pass", "it would run on fewer processes than the case has")

    def test_the_next_case_runs_after_a_failed_execution_on_several_devices(self) -> None:
        # Without a channel the groups hold replicas, of which there is one: XLA compiles this and fails when it runs.
        text = f"""module {{
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
    %0 = "stablehlo.all_reduce"(%a) <{{{GROUPS}}}> {SUM} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }}
}}
"""
        inputs = [(np.zeros(4, np.float32), "f32")] * 8
        wrong = CaseFolder(text, inputs, [((4,), "f32")], Grid(partitions=8))
        self.addCleanup(wrong.cleanup)
        self.assertEqual(self.parent.ask("compile", **wrong.fields()).status, "pass")
        failed = self.parent.ask("execute", **wrong.fields())
        self.assertEqual(failed.stages[-1], ("execute", "fail"), failed.done)
        self.test_a_sum_over_partitions_has_the_terms_of_its_group()


def unary(op: str, dtype: str, values: np.ndarray) -> CaseFolder:
    """A program with `op` on one operand; the result has the operand's type."""
    type_ = "tensor<" + "".join(f"{dim}x" for dim in values.shape) + dtype + ">"
    body = f"%0 = {op} %arg0 : {type_}\n    return %0 : {type_}"
    text = f"module {{\n  func.func @main(%arg0: {type_}) -> {type_} {{\n    {body}\n  }}\n}}\n"
    return CaseFolder(text, [(values, dtype)], [(values.shape, dtype)])


PRODUCT = """module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] :
      (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
"""


def sharded_product(
    inputs: list[str], output: str, sizes: tuple[int, int, int] = (4, 8, 2)
) -> tuple[CaseFolder, np.ndarray]:
    """A product on eight devices with these shardings, of rows, inner size and columns `sizes`, and its result."""
    rows, inner, columns = sizes
    lhs = np.arange(rows * inner, dtype=np.float32).reshape(rows, inner)
    rhs = np.arange(inner * columns, dtype=np.float32).reshape(inner, columns)
    result = f"{rows}x{columns}"
    program = PRODUCT.replace("4x8", f"{rows}x{inner}").replace("8x2", f"{inner}x{columns}").replace("4x2", result)
    shardings = {"inputs": inputs, "outputs": [output]}
    operands = [(lhs, "f32"), (rhs, "f32")]
    case = CaseFolder(program, operands, [((rows, columns), "f32")], Grid(partitions=8), shardings)
    return case, lhs @ rhs
