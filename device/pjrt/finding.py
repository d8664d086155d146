# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a finding in the compiler of a PJRT plugin as a script on pypjrt, which shares no code with opbyop."""

from __future__ import annotations

import shlex
from typing import Any

import quoting  # from commands/bundle/, as the program that loads this file does

SCRIPT = '''"""Compiles program.mlir with a PJRT plugin and, where it has a device, runs it and compares."""

import glob
import json
import sys
from pathlib import Path

import pypjrt

import compare

NAMES = {"i1": "PRED", "complex<f32>": "C64", "complex<f64>": "C128"}
HEADER = "{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}"


def code(dtype):
    """Of PJRT's enumeration: f32, ui8, f8E4M3FN, i4 are F32, U8, F8E4M3FN, S4."""
    plain = "U" + dtype[2:] if dtype.startswith("ui") else "S" + dtype[1:] if dtype.startswith("i") else dtype.upper()
    return getattr(plugin.abi, "PJRT_Buffer_Type_" + NAMES.get(dtype, plain))


program = Path("program.mlir").read_text()
plugin = pypjrt.Plugin(glob.glob(sys.argv[1])[0])
if len(sys.argv) > 2:
    from pypjrt.topology import Topology

    plugin.initialize()
    print(Topology.create(plugin, sys.argv[2]).compile(program))
    sys.exit()
client = pypjrt.Client(plugin)
run = client.compile(program)
types = json.loads(Path("signature.json").read_text())
with client.device() as device:
    inputs = []
    for i, each in enumerate(types["inputs"]):
        shape, data = compare.read_npy(Path(f"input_{i}.npy"))
        inputs.append(client.buffer_from_host(bytearray(data or b"none"), code(each["dtype"]), shape, device))
    for i, output in enumerate(run(*inputs)):
        wanted = types["outputs"][i]["dtype"]
        if output.element_type != code(wanted):
            print(f"output {i} has elements of PJRT's type {output.element_type}, {wanted} is {code(wanted)}\\n1 wrong")
            sys.exit(1)
        data = bytes(output.to_host())
        header = HEADER.format(size=len(data)).ljust(117) + "\\n"
        Path(f"got_{i}.npy").write_bytes(b"\\x93NUMPY\\x01\\x00\\x76\\x00" + header.encode() + data)
sys.exit(compare.compare(Path(".")))
'''


def command(finding: Any) -> str:
    """The command, with a variable for the path of the plugin."""
    topology = finding.target["topology"] if not finding.executes else ""
    return " ".join(["python3", "reproduce.py", '"$PLUGIN"', *([shlex.quote(topology)] if topology else [])])


def write(finding: Any) -> None:
    finding.write("reproduce.py", SCRIPT)
    variables = quoting.exports(finding.target["environment"])
    finding.write(
        "reproduce.sh",
        "#!/bin/sh\n"
        f"# Needs pypjrt in python3, and in $PLUGIN the plugin: "
        f"{quoting.comment(finding.header.get('toolchain', ''))}\n"
        f'cd "$(dirname "$0")" || exit 1\n{variables}exec {command(finding)}\n',
    )


def report(finding: Any) -> str:
    return f"""# {finding.title}

{finding.description()}

## How to reproduce

`PLUGIN=/path/to/plugin.so sh reproduce.sh` in the attached zip. It needs `pip install pypjrt`, a client of PJRT's C
interface; `reproduce.py` is all that it runs.

## Versions

{quoting.fence(finding.versions)}
"""
