# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tensors in a case's folder: input_<i>.npy and output_<i>.npy (support/files/npy.h).

Every element takes whole bytes; element types that NumPy lacks are void elements
of their size on disk and ml_dtypes' types in memory.
"""

from __future__ import annotations

import functools
import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from .protocol import TensorType, unsupported

Array = np.ndarray[Any, Any]

_NUMPY = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}

# Files of this size and more are mapped instead of read: XLA's CPU then uses their pages as its buffers.
MAPPED_BYTES = 4 << 20
_COMPARED_BYTES = 1 << 20
_NPY_1_0 = b"\x93NUMPY\x01\x00"

_ML_DTYPES = {"i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4", "bf16": "bfloat16"}


def _in_ml_dtypes(name: str) -> str:
    """ml_dtypes' name of a type that NumPy lacks: float8_e4m3fn for f8E4M3FN."""
    small = re.fullmatch(r"f(\d)(E\d+M\d+\w*)", name)
    return f"float{small[1]}_{small[2].lower()}" if small else _ML_DTYPES[name]


def dtype_of(name: str) -> np.dtype[Any]:
    """NumPy's or ml_dtypes' dtype of an MLIR element type."""
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    try:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, _in_ml_dtypes(name)))
    except (ImportError, KeyError, AttributeError):
        raise unsupported(f"elements of type {name} have no array type in this Python (NumPy, ml_dtypes)") from None


def read_inputs(folder: Path, types: list[TensorType]) -> list[Array]:
    return [read_tensor(folder / f"input_{i}.npy", each) for i, each in enumerate(types)]


def read_tensor(path: Path, type_: TensorType) -> Array:
    """The tensor of a file. What a device writes into it does not reach the file."""
    if path.stat().st_size >= MAPPED_BYTES:
        array = np.asarray(np.load(path, mmap_mode="c"))
    else:
        array = _read_small(path)
    wanted = dtype_of(type_.dtype)
    return array if array.dtype == wanted else array.view(wanted)


@functools.lru_cache(maxsize=1024)
def _layout_of(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, Fortran order and dtype. To parse a header takes longer than to read a small file."""
    return np.lib.format.read_array_header_1_0(io.BytesIO(header))


def _read_small(path: Path) -> Array:
    data = bytearray(path.read_bytes())
    if data.startswith(_NPY_1_0):
        begin = len(_NPY_1_0)
        end = begin + 2 + int.from_bytes(data[begin : begin + 2], "little")
        shape, fortran_order, dtype = _layout_of(bytes(data[begin:end]))
        if not fortran_order:
            return np.frombuffer(data, dtype, offset=end).reshape(shape)
    return np.asarray(np.load(path))


def write_outputs(folder: Path, runs: list[list[Array]], types: list[TensorType]) -> None:
    """Writes the outputs of the first run and, if the bytes of the last run (runs[-1]) differ, those as well.
    A shape or type other than declared is the target's fault."""
    for arrays in runs:
        if len(arrays) != len(types):
            raise ValueError(f"{len(arrays)} results, {len(types)} are declared")
    for i, type_ in enumerate(types):
        first, last = (np.asarray(arrays[i]) for arrays in (runs[0], runs[-1]))
        write_tensor(folder / f"output_{i}.npy", first, type_)
        (folder / f"last_output_{i}.npy").unlink(missing_ok=True)  # a file of an earlier execution
        if len(runs) > 1 and not _have_same_bytes(first, last):
            write_tensor(folder / f"last_output_{i}.npy", last, type_)


def _have_same_bytes(a: Array, b: Array) -> bool:
    x, y = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return x.size == y.size and all(
        np.array_equal(x[at : at + _COMPARED_BYTES], y[at : at + _COMPARED_BYTES])
        for at in range(0, x.size, _COMPARED_BYTES)
    )


def write_tensor(path: Path, array: Array, type_: TensorType) -> None:
    wanted = dtype_of(type_.dtype)
    if array.dtype != wanted or array.shape != type_.shape:
        found = f"{array.dtype}{list(array.shape)}"
        raise ValueError(f"{path.stem} is {found}, {type_.dtype}{list(type_.shape)} is declared")
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array).reshape(array.shape)
    if type_.dtype not in _NUMPY:
        array = array.view(f"V{wanted.itemsize}")
    with open(path, "wb") as file:
        np.lib.format.write_array(file, array, version=(1, 0))
