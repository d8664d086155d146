# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Turns a program of one narrow float type into the same program in f64, and rounds its answer back once.

    wide = widened(instance)            # None where f64 would mean something else
    answer = narrowed(instance, evaluate(wide))

Except for its last bits, XLA's answer in f64 is then the exact result: XLA in f64 has no errors of its f32 functions,
sums and formats, which would otherwise explain most of its differences.
"""

import dataclasses
import re
from collections.abc import Sequence

import numpy as np

from validation.oracle.differential_draw import NUMPY, Instance

NARROWER = tuple(t for t in NUMPY if t in ("f32", "f16", "bf16") or (t.startswith("f8") and t != "f8E8M0FNU"))

# Ops that depend on the bits, the neighbours or the format of a number.
OF_THE_FORMAT = (
    "chlo.broadcast_next_after",
    "chlo.next_after",
    "stablehlo.bitcast_convert",
    "stablehlo.reduce_precision",
    "stablehlo.rng",
    "stablehlo.rng_bit_generator",
)
# Ops whose results are computed by several ops in a prescribed order, each of which rounds.
OF_STEPS = (
    "call",
    "chlo.scan",
    "stablehlo.case",
    "stablehlo.composite",
    "stablehlo.if",
    "stablehlo.map",
    "stablehlo.while",
)
_FLOAT = r"(?:bf16|f\d+(?:E\d+M\d+\w*)?)"
_TENSOR = re.compile(rf"(tensor<(?:[\d?]+x)*)(complex<)?({_FLOAT})\b")
_LITERAL = re.compile(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?")


def widened(instance: Instance) -> Instance | None:
    """The instance with f64 as its float type; None if it has several float types, or if its meaning depends on the
    type."""
    text = instance.text
    if any(re.search(rf"\b{re.escape(op)}\b", text) for op in OF_THE_FORMAT + OF_STEPS):
        return None
    if "algorithm" in text or "custom_call" in text:
        return None
    kinds = {found[3] for found in _TENSOR.finditer(text)}
    if len(kinds) != 1 or (kind := kinds.pop()) not in NARROWER or not _has_exact_constants(text, kind):
        return None

    def wide(type_text: str) -> str:
        return _TENSOR.sub(lambda m: f"{m[1]}{m[2] or ''}f64", type_text)

    return dataclasses.replace(
        instance,
        text=wide(text),
        inputs=tuple(_wide(data) for data in instance.inputs),
        input_types=tuple(wide(t) for t in instance.input_types),
        results=tuple((_WIDE.get(dtype, dtype), shape) for dtype, shape in instance.results),
    )


def narrowed(instance: Instance, answer: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Arrays of the instance's own types."""
    return [rounded(data, dtype) for data, (dtype, _) in zip(answer, instance.results, strict=True)]


def rounded(data: np.ndarray, dtype: str) -> np.ndarray:
    """Rounds from f64 in one step, to nearest, ties to even: ml_dtypes goes through f32, and so rounds twice."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if data.dtype != np.float64 or dtype in ("f16", "f32", "f64"):
            return data.astype(NUMPY[dtype])
        # Rounds to odd: an inexact number ends in a one, so that the second step finds no false tie.
        near = np.atleast_1d(data.astype(np.float32))
        exact = np.atleast_1d(data)
        bits = near.view(np.uint32)
        inexact = np.isfinite(exact) & (near.astype(np.float64) != exact) & (bits & 1 == 0)
        away = np.abs(near.astype(np.float64)) < np.abs(exact)
        odd = np.where(inexact, np.where(away, bits + 1, bits - 1), bits).astype(np.uint32)
        return odd.view(np.float32).reshape(data.shape).astype(NUMPY[dtype])


_WIDE = dict.fromkeys(NARROWER, "f64") | {"complex<f32>": "complex<f64>"}


def _wide(data: np.ndarray) -> np.ndarray:
    names = {np.dtype(NUMPY[kind]): NUMPY[wide] for kind, wide in _WIDE.items()}
    return data.astype(names.get(data.dtype, data.dtype))


def _has_exact_constants(text: str, kind: str) -> bool:
    """Whether each number means the same in f64: not if it is written as bits, or if the narrow type rounds it."""
    for attribute in re.findall(r"dense<([^>]*)>", text) + re.findall(r"epsilon = ([^,:}]*)", text):
        if "0x" in attribute:
            return False
        for number in _LITERAL.findall(attribute):
            with np.errstate(over="ignore"):
                if float(np.array(float(number)).astype(NUMPY[kind])) != float(number):
                    return False
    return True
