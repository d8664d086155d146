# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads tensors in .npy files without NumPy. The bundle of a finding contains this file as compare.py.

    python3 compare.py    # got_<i>.npy against expected_<i>.npy; exit 1 if a difference exceeds bound_<i>.npy

Types that NumPy lacks are read by their names in signature.json. A got_<i>.bin has only the elements, as
iree-run-module writes them.
"""

from __future__ import annotations

import ast
import json
import math
import re
import struct
import sys
from pathlib import Path
from typing import NamedTuple

Number = float | int | complex | bytes

INTEGERS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "ui8": "B", "ui16": "H", "ui32": "I", "ui64": "Q"}
FLOATS = {"f16": "e", "f32": "f", "f64": "d"}


class Minifloat(NamedTuple):
    """A floating-point type in the low bits of a byte: sign, exponent, mantissa."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: str  # values that are not finite: "ieee", "fn" all ones is NaN, "fnuz" minus zero is NaN, "" none


def minifloat_of(dtype: str) -> Minifloat | None:
    """The format that the name states, if it is one: f8E4M3B11FNUZ has 4 and 3 bits and the bias 11."""
    parts = re.fullmatch(r"f([468])E(\d)M([1-9])(?:B(\d+))?(FNUZ|FN|)", dtype)
    if not parts:
        return None
    bits, exponent, mantissa = map(int, parts.group(1, 2, 3))
    bias = int(parts[4] or 2 ** (exponent - 1) - (parts[5] != "FNUZ"))
    return Minifloat(exponent, mantissa, bias, (parts[5].lower() or "ieee") if bits == 8 else "")


def read_npy(path: Path) -> tuple[tuple[int, ...], bytes]:
    """The shape, and the elements in C order."""
    data = path.read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path}: no .npy file")
    wide = data[6] > 1
    size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    begin = 12 if wide else 10
    header = ast.literal_eval(data[begin : begin + size].decode("latin1"))
    return tuple(header["shape"]), data[begin + size :]


def minifloat(bits: int, kind: Minifloat) -> float:
    exponent = bits >> kind.mantissa_bits & (1 << kind.exponent_bits) - 1
    mantissa = bits & (1 << kind.mantissa_bits) - 1
    negative = bits >> kind.exponent_bits + kind.mantissa_bits & 1
    last = exponent == (1 << kind.exponent_bits) - 1
    if kind.special == "fnuz" and negative and exponent == mantissa == 0:
        return math.nan
    if kind.special == "fn" and last and mantissa == (1 << kind.mantissa_bits) - 1:
        return math.nan
    if kind.special == "ieee" and last:
        return math.nan if mantissa else math.copysign(math.inf, -negative)
    significand = mantissa + (bool(exponent) << kind.mantissa_bits)
    magnitude = math.ldexp(significand, max(exponent, 1) - kind.bias - kind.mantissa_bits)
    return -magnitude if negative else magnitude


def elements(data: bytes, dtype: str) -> list[Number]:
    """The elements as numbers; as single bytes if the type is not known here."""
    if dtype in INTEGERS or dtype in FLOATS:
        code = INTEGERS.get(dtype) or FLOATS[dtype]
        return [value for (value,) in struct.iter_unpack("<" + code, data)]
    if dtype == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    if dtype in ("complex<f32>", "complex<f64>"):
        parts = elements(data, dtype[8:-1])
        return [complex(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]  # type: ignore[arg-type]
    if kind := minifloat_of(dtype):
        return [minifloat(bits, kind) for bits in data]
    if dtype == "f8E8M0FNU":
        return [math.nan if bits == 0xFF else math.ldexp(1, bits - 127) for bits in data]
    return [data[i : i + 1] for i in range(len(data))]


def packed(value: float, dtype: str) -> bytes | None:
    """The bits of the value in that type; None beyond the largest number."""
    try:
        return struct.pack("<" + FLOATS.get(dtype, "d"), value)
    except OverflowError:
        return None


def shortest(value: Number, dtype: str) -> str:
    """The number in as few digits as identify it in its type."""
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 17))
    return next((text for text in texts if packed(float(text), dtype) == packed(value, dtype)), repr(value))


def index_of(at: int, shape: tuple[int, ...]) -> list[int]:
    index = []
    for size in reversed(shape):
        index.insert(0, at % size)
        at //= size
    return index


def differs(got: Number, expected: Number, bound: float) -> bool:
    if isinstance(got, bytes) or isinstance(expected, bytes):
        return got != expected
    if got != got or expected != expected:
        return (got != got) != (expected != expected)
    return got != expected and not abs(got - expected) <= bound


def signs_differ(got: Number, expected: Number) -> bool:
    """Whether both are zeros, with different signs."""
    if isinstance(got, complex) and isinstance(expected, complex):
        return signs_differ(got.real, expected.real) or signs_differ(got.imag, expected.imag)
    if not isinstance(got, float) or not isinstance(expected, float):
        return False
    return got == expected == 0 and math.copysign(1, got) != math.copysign(1, expected)


def wrong_elements(got: list[Number], expected: list[Number], bounds: list[float], seen: list[Number]) -> list[int]:
    """The indices at which `got` is wrong.

    `seen` is the wrong result that the bundle reports. If it differs from `expected` in nothing but the signs of zeros,
    wrong signs of zeros in `got` count, too.
    """
    found = [i for i, bound in enumerate(bounds) if differs(got[i], expected[i], bound)]
    if not seen or any(map(differs, seen, expected, bounds)):
        return found
    return sorted({*found, *(i for i in range(len(expected)) if signs_differ(got[i], expected[i]))})


def compare(folder: Path) -> int:
    wrong = 0
    for i, output in enumerate(json.loads((folder / "signature.json").read_text())["outputs"]):
        dtype = output["dtype"]

        def read(name: str, dtype: str = dtype, i: int = i) -> list[Number]:
            path, plain = folder / f"{name}_{i}.npy", folder / f"{name}_{i}.bin"
            if plain.exists():
                return elements(plain.read_bytes(), dtype)
            return elements(read_npy(path)[1], dtype) if path.exists() else []

        shape, _ = read_npy(folder / f"expected_{i}.npy")
        got, expected, seen = read("got"), read("expected"), read("seen")
        bounds = [float(bound) for bound in read("bound", "f64")]  # type: ignore[arg-type]
        if len(bounds) != len(expected):
            bounds = [0.0] * len(expected)
        if len(got) != len(expected):
            wrong += len(expected)
            print(f"output {i}: got {len(got)} elements, expected {len(expected)}")
            continue
        for at in wrong_elements(got, expected, bounds, seen):
            wrong += 1
            if wrong <= 10:
                text = f"got {shortest(got[at], dtype)}, expected {shortest(expected[at], dtype)}"
                print(f"output {i}{index_of(at, shape)}: {text}")
    print(f"{wrong} wrong" if wrong else "as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(compare(Path(__file__).resolve().parent))
