# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A plain loop over programs of several devices on a PJRT plugin, the peer of `opbyop run` on the suite for a mesh:
compiles each, gives each device its inputs, executes and reads the results back. It judges nothing.

    .venv-pjrt/bin/python -m validation.peers.mesh_loop PLUGIN CASES.json

CASES.json is a list of {"program", "grid", "inputs", "shardings", "sets"}: the file of the program as the plugin
takes it, the counts of replicas and partitions, the types, their texts of `mhlo.sharding` (null: each process has
files of its own), and for each set of inputs its folder and how often it is executed. Prints the seconds.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import time
from math import prod
from pathlib import Path

from pypjrt import typing as types
from pypjrt.client import Buffer, Client, Device
from pypjrt.compile_options import CompileOptions

TILES = re.compile(r"\{devices=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?( last_tile_dim_replicate)?\}")
NAMES = {"i1": "PRED", "complex<f32>": "C64", "complex<f64>": "C128"}


def code_of(dtype: str) -> int:
    """The number of PJRT's element type."""
    name = NAMES.get(dtype) or re.sub("^I", "S", re.sub("^UI", "U", dtype.upper()))
    return types._code(name)


def read(path: Path) -> tuple[list[int], bytes]:
    """The shape and the elements of an .npy file."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:10], "little")
    return list(ast.literal_eval(data[10 : 10 + length].decode())["shape"]), data[10 + length :]


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def places(text: str, rank: int, devices: int) -> list[list[tuple[int, int]]]:
    """For each device, the number of its part and the count of parts of each dimension."""
    if text == "{replicated}":
        return [[(0, 1)] * rank] * devices
    match = TILES.fullmatch(text)
    if match is None:
        sys.exit(f"the sharding {text} is not understood")
    tiles, sizes = numbers(match[1]), numbers(match[2])
    order = numbers(match[3]) if match[3] else list(range(len(sizes)))
    strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
    found: list[list[tuple[int, int]]] = [[]] * devices
    for place in range(devices):
        device, rest = 0, place
        for axis in reversed(order):
            device += rest % sizes[axis] * strides[axis]
            rest //= sizes[axis]
        parts, rest = [], place
        for count in reversed(tiles):
            parts.append((rest % count, count))
            rest //= count
        found[device] = parts[::-1][:rank]
    return found


def part(data: bytes, shape: list[int], place: list[tuple[int, int]], item: int) -> bytes:
    """The bytes of one part, filled up with zeros where a dimension does not divide evenly."""
    if all(count == 1 for _, count in place) or not data:
        return data
    own = part_shape(shape, place)
    first, row = place[0][0] * own[0], len(data) // shape[0]
    mine = range(first, min(first + own[0], shape[0]))
    rows = [part(data[i * row : (i + 1) * row], shape[1:], place[1:], item) for i in mine]
    return b"".join(rows).ljust(prod(own) * item, b"\0")


def part_shape(shape: list[int], place: list[tuple[int, int]]) -> list[int]:
    return [-(-size // count) for size, (_, count) in zip(shape, place, strict=True)]


def arguments(client: Client, devices: list[Device], case: dict, folder: Path) -> list[list[Buffer]]:
    given: list[list[Buffer]] = [[] for _ in devices]
    for number, each in enumerate(case["inputs"]):
        code = code_of(each["dtype"])
        if case["shardings"] is None:
            for process, device in enumerate(devices):
                shape, data = read(folder / f"input_{process * len(case['inputs']) + number}.npy")
                given[process].append(client.buffer_from_host(bytearray(data), code, shape, device))
            continue
        shape, data = read(folder / f"input_{number}.npy")
        for process, place in enumerate(places(case["shardings"][number], len(shape), len(devices))):
            mine = bytearray(part(data, shape, place, len(data) // max(1, prod(shape))))
            own = part_shape(shape, place)
            given[process].append(client.buffer_from_host(mine, code, own, devices[process]))
    return given


def run(client: Client, case: dict) -> None:
    replicas, partitions = case["grid"]
    options = CompileOptions(num_replicas=replicas, num_partitions=partitions, use_spmd_partitioning=partitions > 1)
    with (
        client.devices() as all_devices,
        client.compile(Path(case["program"]).read_bytes(), options=options) as program,
    ):
        for folder, executions in case["sets"]:
            given = arguments(client, all_devices[: replicas * partitions], case, Path(folder))
            for _ in range(executions):
                for results in program.execute_sharded(given):
                    for result in results:
                        result.to_host()
                        result.close()
            for buffers in given:
                for buffer in buffers:
                    buffer.close()


def main() -> None:
    plugin, file = sys.argv[1:]
    cases = json.loads(Path(file).read_text())
    begin = time.perf_counter()
    client = Client.create(plugin, options={"cpu_device_count": 8})
    for case in cases:
        try:
            run(client, case)
        except Exception as error:  # the loop goes on, as opbyop does
            print(f"{case['program']}: {error}", file=sys.stderr)
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    main()
