# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Describes the programs in a flatbuffer, through tt-mlir's runtime.

program = find_program(binary.load_binary_from_path("case.ttnn"))
program.inputs[0].device_type        # "BFloat16"
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from opbyop_worker.protocol import StageError

# A string, or a number that JSON lacks: the runtime writes such numbers without quotes.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\b(?:nan|inf)\b')
NUMBERS = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def parse_json(text: str) -> Any:
    """Parses the runtime's JSON, in which numbers may be nan and inf."""
    return json.loads(TOKEN.sub(lambda found: NUMBERS.get(found[0], found[0]), text)) if text.strip() else []


@dataclass(frozen=True)
class Tensor:
    """An argument or a result of a program."""

    shape: tuple[int, ...]
    device_type: str  # Float32, BFloat16, UInt32, ...


@dataclass(frozen=True)
class Program:
    index: int
    inputs: list[Tensor]
    outputs: list[Tensor]
    mesh: tuple[int, ...]


def _tensor(raw: Any, what: str) -> Tensor:
    try:
        desc = raw["desc"]
        return Tensor(tuple(desc["shape"]), desc["layout"]["memory_desc"]["data_type"])
    except (KeyError, TypeError) as error:
        raise StageError(f"the flatbuffer does not say shape and type of {what}: no {error}") from error


def _tensors(text: str, what: str) -> list[Tensor]:
    try:
        raw = parse_json(text)
    except ValueError as error:
        raise StageError(f"the flatbuffer's list of {what}s is no JSON: {error}") from error
    return [_tensor(each, f"{what} {i}") for i, each in enumerate(raw)]


def find_program(binary: Any) -> Program:
    """The one program that is not private: constants that were folded have private programs of their own."""
    public = [i for i in range(binary.get_num_programs()) if not binary.is_program_private(i)]
    if len(public) != 1:
        raise StageError(f"the flatbuffer has {len(public)} programs that are not private, one was expected")
    [index] = public
    return Program(
        index,
        _tensors(binary.get_program_inputs_as_json(index), "argument"),
        _tensors(binary.get_program_outputs_as_json(index), "result"),
        # Older bindings have no mesh for a program, and only programs for one device.
        tuple(binary.get_program_mesh_shape(index)) if hasattr(binary, "get_program_mesh_shape") else (1, 1),
    )
