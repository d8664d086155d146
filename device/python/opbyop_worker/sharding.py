# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The parts of a tensor that devices have, by a canonical text of `mhlo.sharding` (docs/worker-protocol.md).

division = Division.of("{devices=[2,4]<=[8]}", (16, 8), 8)
division.places[1]             # (slice(0, 8), slice(2, 4))
part = division.take(whole, 1)
whole = division.join(arrays)  # of all devices, in their order
to_sdy(["{devices=[2,4]<=[8]}"], [2], 8)   # ['#sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{"a0"}, {"a1"}]>']
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .protocol import StageError, unsupported

TILES = re.compile(r"\{devices=\[([\d,]+)\](?:<=\[([\d,]+)\](?:T\(([\d,]+)\))?|([\d,]+))( last_tile_dim_replicate)?\}")

Part = tuple[slice, ...]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _extreme(dtype: np.dtype[Any]) -> Any:
    """NaN, or where the type has none, as far from zero as it can be."""
    if dtype == np.bool_:
        return True
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return np.array(np.nan).astype(dtype)


@dataclass(frozen=True)
class Division:
    """The parts of an array of `shape`. They have one shape: where a dimension does not divide evenly, its size is
    rounded up, and the last parts are filled up with padding, which nobody reads."""

    shape: tuple[int, ...]
    part_shape: tuple[int, ...]
    places: list[Part]  # of each device, without padding

    @staticmethod
    def of(text: str, shape: tuple[int, ...], devices: int) -> Division:
        """ValueError if the text is no sharding of an array of this rank over so many devices."""
        if text == "{replicated}":
            return Division(shape, shape, [tuple(slice(0, size) for size in shape)] * devices)
        match = TILES.fullmatch(text)
        if match is None:
            raise ValueError(f"the sharding {text} is not understood")
        tiles = _numbers(match[1])
        if match[4]:
            ids = np.array(_numbers(match[4]))
        else:
            sizes = _numbers(match[2])
            ids = np.arange(np.prod(sizes)).reshape(sizes)
            ids = ids.transpose(_numbers(match[3])) if match[3] else ids
        counts = tiles[: len(tiles) - bool(match[5])]
        if ids.size != devices or np.prod(tiles) != devices or len(counts) != len(shape):
            raise ValueError(f"the sharding {text} does not divide the shape {list(shape)} among {devices} devices")
        part_shape = tuple(-(-size // count) for size, count in zip(shape, counts, strict=True))
        places: list[Part] = [()] * devices
        for place, device in np.ndenumerate(ids.reshape(tiles)):
            places[int(device)] = tuple(
                slice(min(at * n, size), min((at + 1) * n, size))
                for at, n, size in zip(place, part_shape, shape, strict=False)
            )
        return Division(shape, part_shape, places)

    @property
    def is_even(self) -> bool:
        """Whether no part has padding."""
        return all(tuple(at.stop - at.start for at in place) == self.part_shape for place in self.places)

    def _own(self, device: int) -> Part:
        """Where a part has elements of the array."""
        return tuple(slice(0, at.stop - at.start) for at in self.places[device])

    def take(self, whole: Any, device: int) -> Any:
        own = whole[self.places[device]]
        if own.shape == self.part_shape:
            return np.ascontiguousarray(own).reshape(self.part_shape)
        part = np.full(self.part_shape, _extreme(whole.dtype), whole.dtype)
        part[self._own(device)] = own
        return part

    def join(self, arrays: list[Any]) -> Any:
        """The whole array of the devices' parts. An error of the stage if a part has another shape, or if devices that
        have the same part differ in a bit."""
        whole = np.empty(self.shape, arrays[0].dtype)
        first: dict[str, int] = {}
        for process, (array, place) in enumerate(zip(arrays, self.places, strict=True)):
            if array.shape != self.part_shape:
                raise StageError(
                    f"process {process} has a result of shape {list(array.shape)}, its sharding has parts of "
                    f"{list(self.part_shape)}"
                )
            own, there = array[self._own(process)], whole[place]
            other = first.setdefault(str(place), process)
            if other == process:
                whole[place] = own
            elif own.tobytes() != there.tobytes():
                differs = np.frombuffer(own.tobytes(), np.uint8) != np.frombuffer(there.tobytes(), np.uint8)
                local = np.unravel_index(int(np.argmax(differs)) // own.dtype.itemsize, own.shape)
                index = [int(i) + at.start for i, at in zip(local, place, strict=True)]
                raise StageError(
                    f"process {process} has other bits than process {other} for element {index}, which the sharding "
                    "gives to both"
                )
        return whole


def _axes(text: str) -> list[list[tuple[int, int]]]:
    """The axes that divide each dimension, major first: digits of a device's number, as place value and base."""
    match = TILES.fullmatch(text)
    if match is None or match[4]:
        raise unsupported(f"the sharding {text} cannot be written with the axes of a mesh")
    sizes = _numbers(match[2])
    strides = [int(np.prod(sizes[i + 1 :])) for i in range(len(sizes))]
    order = _numbers(match[3]) if match[3] else range(len(sizes))
    digits = [(strides[i], sizes[i]) for i in order]
    tiles = _numbers(match[1])
    found: list[list[tuple[int, int]]] = []
    for count in tiles[: len(tiles) - bool(match[5])]:
        left = count
        found.append([])
        while left > 1:
            stride, base = digits.pop(0)
            taken = min(base, left)
            if base > taken:  # the rest of the digit divides the next dimension
                digits.insert(0, (stride, base // taken))
            found[-1].append((stride * (base // taken), taken))
            left //= taken
    return found


def to_sdy(texts: list[str], ranks: list[int], devices: int) -> list[str]:
    """The same shardings as attributes of Shardy, on one mesh. Ends the stage as unsupported if there is none."""
    divided = [[[]] * rank if text == "{replicated}" else _axes(text) for text, rank in zip(texts, ranks, strict=True)]
    axes = [axis for division in divided for dimension in division for axis in dimension]
    places = sorted({1, devices, *(stride for stride, _ in axes), *(stride * base for stride, base in axes)})
    if any(high % low for low, high in itertools.pairwise(places)):
        raise unsupported(f"the shardings {', '.join(texts)} have no mesh in common")
    spans = list(itertools.pairwise(places))[::-1]
    names = {low: f'"a{i}"' for i, (low, _) in enumerate(spans)}
    mesh = ", ".join(f"{names[low]}={high // low}" for low, high in spans)

    def dimension(axes: list[tuple[int, int]]) -> str:
        """The axes of the mesh that a dimension's digits are made of, major first."""
        own = [names[low] for stride, base in axes for low, _ in spans if stride <= low < stride * base]
        return "{" + ", ".join(own) + "}"

    return [f"#sdy.sharding<mesh<[{mesh}]>, [{', '.join(map(dimension, division))}]>" for division in divided]
