# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Ops of a program in jaxlib's bindings of MLIR.

for op in ops_of(module.operation): replace(op, "stablehlo.constant", [], attributes)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlib.mlir import ir


def ops_of(op: Any) -> Iterator[Any]:
    """All ops inside, the inner ones first. An op may be erased once it was given."""
    for region in op.regions:
        for block in region:
            for inner in list(block):
                yield from ops_of(inner.operation)
                yield inner.operation


def replace(op: Any, name: str, operands: list[Any], attributes: dict[str, Any]) -> None:
    types = [each.type for each in op.results]
    made = ir.Operation.create(
        name, results=types, operands=operands, attributes=attributes, loc=op.location, ip=ir.InsertionPoint(op)
    )
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
