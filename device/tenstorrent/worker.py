# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The device of target `tenstorrent`: runs flatbuffers with tt-mlir's runtime, on a board that is opened once.

It is the second worker of that target (docs/adding-a-target.md, `device: {kind: worker}`): it gets the result of the
compile commands as a file. `load` uploads the case's own inputs in the types that the flatbuffer names; `execute`
submits the program. An exception of the runtime fails the stage; the board is then closed, and opened again for the
next case.
"""

from __future__ import annotations

import glob
import os
import sys
from typing import Any

import device_types
import flatbuffer
import numpy as np
import shards
from _ttmlir_runtime import binary, runtime

from opbyop_worker import Request, StageError, Stages, TargetWorker, serve, timing
from opbyop_worker.protocol import Fields, TensorType
from opbyop_worker.spans import Spans

NO_BOARD = "no Tenstorrent board: /dev/tenstorrent is empty, and TT_METAL_SIMULATOR names no simulator"


def has_board() -> bool:
    return bool(os.environ.get("TT_METAL_SIMULATOR") or glob.glob("/dev/tenstorrent/*"))


def type_name(dtype: Any) -> str:
    """The name of a value of the runtime's enumeration DataType."""
    return getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]


def same_tensor(held: tuple[int, ...], declared: tuple[int, ...]) -> bool:
    """Compares shapes without sizes of 1, which the compiler adds and drops: a scalar is held as one element."""
    return [extent for extent in held if extent != 1] == [extent for extent in declared if extent != 1]


def check_signature(program: flatbuffer.Program, request: Request) -> None:
    """Raises unless the program has the case's signature, in types that can represent those of the case."""
    for what, declared, held in (
        ("argument", request.inputs, program.inputs),
        ("result", request.outputs, program.outputs),
    ):
        if len(declared) != len(held):
            raise StageError(f"the flatbuffer has {len(held)} {what}s, the program {len(declared)}")
        for i, (type_, tensor) in enumerate(zip(declared, held, strict=True)):
            device_types.check_types(type_.dtype, tensor.device_type, f"{what} {i}")
            if not same_tensor(tensor.shape, type_.shape):
                raise StageError(
                    f"{what} {i} has the shape {list(tensor.shape)} in the flatbuffer, {list(type_.shape)} is declared"
                )


def dense_bytes(tensor: Any, dtype: np.dtype[Any], what: str) -> shards.Shard:
    """The elements of a host tensor without padding: its buffer may be larger than its elements and have strides."""
    shape = tuple(tensor.get_shape())
    data = bytes(tensor.get_data_buffer())
    dense = np.zeros(shape, dtype).strides
    stride = tuple(step * dtype.itemsize for step in tensor.get_stride()) if hasattr(tensor, "get_stride") else dense
    if 0 in shape or (stride == dense and len(data) == int(np.prod(shape)) * dtype.itemsize):
        return shards.Shard(shape, data)
    reach = sum((extent - 1) * step for extent, step in zip(shape, stride, strict=False)) + dtype.itemsize
    if len(stride) != len(shape) or min(stride, default=0) < 0 or reach > len(data):
        raise StageError(
            f"{what}: the runtime returned {len(data)} bytes for the shape {list(shape)} of {dtype.itemsize} bytes an "
            f"element, in strides of {[step // dtype.itemsize for step in stride]}"
        )
    return shards.Shard(shape, np.ndarray(shape, dtype, data, 0, stride).tobytes())


class Board:
    """The open device, and the programs' tensors on it."""

    def __init__(self) -> None:
        self._device: Any = None
        self._mesh: tuple[int, ...] = ()

    def open(self, loaded: Any, mesh: tuple[int, ...]) -> Any:
        if self._device is not None and mesh != self._mesh:
            self.close()
        if self._device is None:
            runtime.set_compatible_device_runtime(loaded)
            options = runtime.MeshDeviceOptions()
            options.mesh_shape = list(mesh)
            self._device, self._mesh = runtime.open_mesh_device(options), mesh
        return self._device

    def close(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        try:
            runtime.close_mesh_device(device)
        except Exception as error:
            print(f"closing the device: {error}", file=sys.stderr)


class Execution:
    """One program with its arguments; it is submitted once for each run."""

    def __init__(self, board: Board, request: Request, spans: Spans) -> None:
        self._request = request
        self._spans = spans
        self._binary = binary.load_binary_from_path(request.raw["artifact"])
        if not self._binary.check_schema_hash():
            raise StageError(
                "the flatbuffer's schema is not the runtime's: ttmlir-translate and the runtime are of different "
                "commits",
                "skipped",
            )
        self._program = flatbuffer.find_program(self._binary)
        check_signature(self._program, request)
        self._arrays = [self._argument(i, type_) for i, type_ in enumerate(request.inputs)]
        self._device = board.open(self._binary, self._program.mesh)
        self._inputs: list[Any] = [None] * len(self._arrays)
        self._upload()

    def _argument(self, i: int, type_: TensorType) -> device_types.Array:
        declared = device_types.dtype_declared(type_.dtype, f"argument {i}")
        array = np.load(self._request.dir / f"input_{i}.npy").view(declared)
        held = self._program.inputs[i]
        converted = device_types.to_device(array, type_.dtype, held.device_type, f"argument {i}")
        return np.ascontiguousarray(converted).reshape(held.shape)

    def _upload(self) -> None:
        """Uploads the arguments that are not on the device: a program may consume them."""
        for i, array in enumerate(self._arrays):
            if self._inputs[i] is not None and self._inputs[i].is_allocated():
                continue
            # The runtime borrows the memory of `array`, which lives as long as this execution.
            create = runtime.create_borrowed_host_tensor if array.size else runtime.create_owned_host_tensor
            stride = [step // array.itemsize for step in array.strides]
            dtype = getattr(runtime.DataType, self._program.inputs[i].device_type)
            with self._spans.span("transfer_in", i, array.nbytes):
                host = create(array.ctypes.data, list(array.shape), stride, array.itemsize, dtype)
                layout = runtime.get_layout(self._binary, self._program.index, i)
                self._inputs[i] = runtime.to_layout(host, self._device, layout, True)

    def run(self) -> list[Any]:
        self._upload()
        outputs = list(runtime.submit(self._device, self._binary, self._program.index, list(self._inputs)))
        runtime.wait(outputs)
        return outputs

    def fetch(self, outputs: list[Any], spans: Spans | None = None) -> list[device_types.Array]:
        """The results in the program's types."""
        declared = self._request.outputs
        if len(outputs) != len(declared):
            raise StageError(f"the device gave {len(outputs)} results, {len(declared)} are declared")
        arrays = []
        for i, (tensor, type_) in enumerate(zip(outputs, declared, strict=True)):
            with (spans or Spans(False)).span("transfer_out", i):
                pieces = list(runtime.to_host(tensor, untilize=True))
            arrays.append(self._result(i, pieces, type_))
        return arrays

    def _result(self, i: int, pieces: list[Any], type_: TensorType) -> device_types.Array:
        what, held = f"result {i}", self._program.outputs[i]
        # The tensor itself says which type its bytes have: the runtime may widen the type that the flatbuffer names.
        names = {type_name(piece.get_dtype()) for piece in pieces} or {held.device_type}
        if len(names) > 1:
            raise StageError(f"{what}: its shards have different types: {', '.join(sorted(names))}")
        [name] = names
        dtype = device_types.dtype_on_device(name, what)
        try:
            parts = [dense_bytes(piece, dtype, what) for piece in pieces]
            data = shards.assemble(parts, held.shape, dtype.itemsize, what)
        except shards.ShardError as error:
            raise StageError(str(error)) from error
        array = np.frombuffer(data, dtype).reshape(type_.shape)
        return device_types.from_device(array, name, type_.dtype, what)

    def release(self, tensors: list[Any]) -> None:
        for tensor in tensors:
            if tensor is not None and tensor.is_allocated():
                runtime.deallocate_tensor(tensor, True)

    def finish(self) -> None:
        self.release(self._inputs)


def write_npy(path: Any, array: device_types.Array, type_: TensorType) -> None:
    stored = np.ascontiguousarray(array).reshape(array.shape)
    with open(path, "wb") as file:
        np.lib.format.write_array(file, stored.view("V2") if type_.dtype == "bf16" else stored, version=(1, 0))


class Tenstorrent(TargetWorker):
    name = "tenstorrent"
    version = "tt-mlir runtime"

    def __init__(self) -> None:
        self._board = Board()
        self.compile_only = "" if has_board() else NO_BOARD

    def close(self) -> None:
        self._board.close()

    def compile(self, request: Request, stages: Stages) -> Fields:
        raise StageError("this worker executes what others compiled", "unsupported")

    def execute(self, request: Request, stages: Stages) -> Fields:
        try:
            return self._execute(request, stages)
        except StageError as error:
            # An error of this worker leaves the device unchanged; an exception of the runtime may not.
            if not isinstance(error.__cause__, StageError):
                self._board.close()
            raise

    def _execute(self, request: Request, stages: Stages) -> Fields:
        spans = Spans(request.spans)
        with stages.stage("load"):
            execution = Execution(self._board, request, spans)
        with stages.stage("execute"):
            kept, figures = timing.repeat(execution.run, request.repeat, spans)  # the first timed run and the last one
            runs = [execution.fetch(kept[0], spans), *(execution.fetch(each) for each in kept[1:])]
            for i, type_ in enumerate(request.outputs):
                first, last = runs[0][i], runs[-1][i]
                write_npy(request.dir / f"output_{i}.npy", first, type_)
                last_file = request.dir / f"last_output_{i}.npy"
                last_file.unlink(missing_ok=True)  # a file of an earlier execution
                if first.tobytes() != last.tobytes():
                    write_npy(last_file, last, type_)
            for outputs in kept:
                execution.release(outputs)
            execution.finish()
        return {"timing": figures, "artifact_bytes": os.path.getsize(request.raw["artifact"]), **spans.fields()}


if __name__ == "__main__":
    worker = Tenstorrent()
    try:
        sys.exit(serve(worker))
    finally:
        worker.close()
