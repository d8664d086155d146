# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Assembles a tensor from the shards that the devices of a mesh hold. A mesh of one device has one shard.

    data = assemble([Shard((2, 3), first), Shard((2, 3), second)], (4, 3), 4, "result 0")

A shard is a piece along one dimension, in order, or a replica of the whole tensor. Any other list is a ShardError: a
guess would be judged as if the device had computed it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Shape = tuple[int, ...]


class ShardError(Exception):
    """The shards do not form a tensor of the given shape."""


@dataclass(frozen=True)
class Shard:
    shape: Shape
    data: bytes  # C order, dense


def assemble(shards: Sequence[Shard], whole: Shape, item_bytes: int, what: str) -> bytes:
    """The bytes of the tensor of shape `whole`, in C order."""
    for shard in shards:
        if len(shard.data) != math.prod(shard.shape) * item_bytes:
            raise ShardError(
                f"{what}: a shard of shape {list(shard.shape)} has {len(shard.data)} bytes, "
                f"{math.prod(shard.shape) * item_bytes} were expected"
            )
    if not shards:
        raise ShardError(f"{what}: the list of its shards is empty")
    shapes = [_aligned(shard.shape, whole) for shard in shards]
    if all(shape == whole for shape in shapes):
        if any(shard.data != shards[0].data for shard in shards):
            raise ShardError(f"{what}: its {len(shards)} replicas differ, and which of them is right nothing says")
        return shards[0].data
    axis = _axis(shapes, whole)
    if axis is None:
        shown = ", ".join(str(list(shard.shape)) for shard in shards)
        make = "shard of {} does not make up" if len(shards) == 1 else "shards of {} do not make up"
        raise ShardError(f"{what}: its {len(shards)} {make.format(shown)} {list(whole)}")
    pieces = []
    inner = math.prod(whole[axis + 1 :]) * item_bytes
    for row in range(math.prod(whole[:axis])):
        for shape, shard in zip(shapes, shards, strict=True):
            length = shape[axis] * inner
            pieces.append(shard.data[row * length : (row + 1) * length])
    return b"".join(pieces)


def _aligned(shape: Shape, whole: Shape) -> Shape:
    """Gives a scalar that is held as one element, or one element that is held as a scalar, the shape of the whole."""
    return whole if math.prod(shape) == math.prod(whole) == 1 else shape


def _axis(shapes: list[Shape], whole: Shape) -> int | None:
    """The dimension along which the sizes of the shards add up to that of the whole."""
    if any(len(shape) != len(whole) for shape in shapes):
        return None
    for axis, extent in enumerate(whole):
        rest = whole[:axis] + whole[axis + 1 :]
        if sum(shape[axis] for shape in shapes) == extent and all(s[:axis] + s[axis + 1 :] == rest for s in shapes):
            return axis
    return None
