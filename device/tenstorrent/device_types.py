# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Converts tensors between the types of programs and the types of a Tenstorrent device.

    array = to_device(argument, "i64", "Int32", "argument 0")     # values, never bytes
    result = from_device(array, "BFloat16", "i1", "result 0")

tt-mlir gives arguments and results the device's own types (i1 becomes BFloat16, i64 Int32, f64 Float32); a
flatbuffer names them. A value that the other type cannot represent is never changed silently:

| what                                                 | status                                                |
|------------------------------------------------------|-------------------------------------------------------|
| the device holds a float type in a narrower one      | unsupported: the op is computed with less precision   |
| an argument's value is beyond the device's integers  | unsupported, with the number of values and the first  |
| the declared type cannot represent a result          | fail, with the number of values and the first         |

NumPy has no bf16: an array of bf16 holds its bits as uint16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opbyop_worker.protocol import StageError, unsupported

Array = np.ndarray[Any, Any]

# The device's types, by their names in flatbuffers, and the form of an element in memory.
DEVICE_TYPES = {
    "Float32": np.dtype("<f4"),
    "Float16": np.dtype("<f2"),
    "BFloat16": np.dtype("<u2"),
    "UInt32": np.dtype("<u4"),
    "UInt16": np.dtype("<u2"),
    "UInt8": np.dtype("|u1"),
    "Int32": np.dtype("<i4"),
    # This type occurs in flatbuffers, but not in a device's memory.
    "Float64": np.dtype("<f8"),
    "Int64": np.dtype("<i8"),
    "UInt64": np.dtype("<u8"),
    "Int16": np.dtype("<i2"),
    "Int8": np.dtype("|i1"),
    "Bool": np.dtype("|b1"),
}

# The element types of programs and the form of an element in a .npy file (support/dtype.h).
DECLARED_TYPES = {
    "i1": np.dtype("|b1"),
    "i8": np.dtype("|i1"),
    "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"),
    "index": np.dtype("<i8"),
    "ui8": np.dtype("|u1"),
    "ui16": np.dtype("<u2"),
    "ui32": np.dtype("<u4"),
    "ui64": np.dtype("<u8"),
    "f16": np.dtype("<f2"),
    "bf16": np.dtype("<u2"),
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}

# The device's float types that can represent every value of the declared one.
HOLDS = {
    "bf16": ("BFloat16", "Float32", "Float64"),
    "f16": ("Float16", "Float32", "Float64"),
    "f32": ("Float32", "Float64"),
    "f64": ("Float64",),
}


def dtype_on_device(device: str, what: str) -> np.dtype[Any]:
    try:
        return DEVICE_TYPES[device]
    except KeyError:
        raise unsupported(f"{what} is {device} on the device, which this worker does not convert") from None


def dtype_declared(declared: str, what: str) -> np.dtype[Any]:
    try:
        return DECLARED_TYPES[declared]
    except KeyError:
        raise unsupported(f"{what} is {declared}, which no type of the device can represent") from None


def check_types(declared: str, device: str, what: str) -> None:
    """Raises unless the device can represent the declared type."""
    dtype_declared(declared, what)
    dtype_on_device(device, what)
    if declared in HOLDS and device not in HOLDS[declared]:
        raise unsupported(
            f"{what} is {declared}, and the flatbuffer holds it as {device}: the op would run in less than it declares"
        )


def to_device(array: Array, declared: str, device: str, what: str) -> Array:
    """Converts an argument to the device's type."""
    check_types(declared, device, what)
    converted, wrong = _convert(_numbers(array, declared == "bf16"), device)
    if wrong.any():
        raise unsupported(f"{what} is {declared}, and {_count(wrong, array)} beyond the {device} of the flatbuffer")
    return converted


def from_device(array: Array, device: str, declared: str, what: str) -> Array:
    """Converts a result, or an argument that the device generated, to the program's type."""
    check_types(declared, device, what)
    numbers = _numbers(array, device == "BFloat16")
    converted, wrong = _convert(numbers, declared)
    if wrong.any():
        raise StageError(f"{what}: the device gave {device}, and {_count(wrong, numbers)} beyond its type {declared}")
    return converted


def widen_bf16(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_to_bf16(values: Array) -> Array:
    """Rounds to nearest even; a NaN stays a NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + (0x7FFF + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def _count(wrong: Array, values: Array) -> str:
    first = values.reshape(-1)[np.flatnonzero(wrong.reshape(-1))[0]]
    many = int(wrong.sum())
    return f"{many} of its {values.size} values {'is' if many == 1 else 'are'}, the first {first},"


def _numbers(array: Array, is_bf16: bool) -> Array:
    if is_bf16:
        return widen_bf16(array)
    return array.astype(np.uint8) if array.dtype.kind == "b" else array


def _convert(numbers: Array, wanted: str) -> tuple[Array, Array]:
    """Converts `numbers` to `wanted`, a type of a program or of the device; also returns which it cannot represent."""
    if wanted in ("bf16", "BFloat16"):
        floats, wrong = _to_floats(numbers, np.dtype(np.float32))
        bits = round_to_bf16(floats)
        return bits, wrong | ~_same(widen_bf16(bits), floats)
    if wanted in ("i1", "Bool"):
        return numbers != 0, ~((numbers == 0) | (numbers == 1))
    dtype = {**DEVICE_TYPES, **DECLARED_TYPES}[wanted]
    return _to_floats(numbers, dtype) if dtype.kind == "f" else _to_integers(numbers, dtype)


def _same(a: Array, b: Array) -> Array:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _to_floats(numbers: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    with np.errstate(over="ignore"):
        floats = numbers.astype(dtype)
    if numbers.dtype.kind == "f":
        return floats, ~_same(floats.astype(np.float64), numbers.astype(np.float64))
    # Compared as integers, because f64 would round both sides.
    back = floats.astype(np.float64)
    within = np.isfinite(back) & (np.abs(back) < 2.0**63)
    return floats, ~within | (np.where(within, back, 0).astype(np.int64) != numbers.astype(np.int64))


def _to_integers(numbers: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    limits = np.iinfo(dtype)
    if numbers.dtype.kind == "f":
        exact = numbers.astype(np.float64)
        high = float(limits.max) + 1  # a power of two, and so exact even if the maximum is not
        right = np.isfinite(exact) & (exact == np.trunc(exact)) & (exact >= limits.min) & (exact < high)
        return np.where(right, exact, 0).astype(dtype), ~right
    wrong = np.zeros(numbers.shape, bool)
    own = np.iinfo(numbers.dtype)
    if own.min < limits.min:
        wrong |= numbers < limits.min
    if own.max > limits.max:
        wrong |= numbers > limits.max
    return numbers.astype(dtype), wrong
