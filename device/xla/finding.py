# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a finding in XLA as a script that needs only jaxlib, in the form of JAX's bug template."""

from __future__ import annotations

from typing import Any

import quoting  # from commands/bundle/, as the program that loads this file does

SCRIPT = '''"""Compiles program.mlir with jaxlib's client, runs it and compares with what is expected."""

import json
import sys

import jax
import ml_dtypes
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

NAMES = {"i1": "bool", "bf16": "bfloat16", "complex<f32>": "complex64", "complex<f64>": "complex128"}


def dtype(name):
    """NumPy's, or that of ml_dtypes: f32, ui8, f8E4M3FN, i4."""
    if name in NAMES:
        return np.dtype(getattr(ml_dtypes, NAMES[name], None) or NAMES[name])
    plain = name.replace("ui", "uint") if name.startswith("ui") else name.replace("i", "int", 1)
    if name[0] == "f":
        plain = name.replace("f", "float", 1).lower() if "E" not in name else "float" + name[1] + "_" + name[2:].lower()
    return np.dtype(getattr(ml_dtypes, plain, None) or plain)


jax.config.update("jax_enable_x64", True)
jax.print_environment_info()
client = xla_bridge.get_backend()
device = client.local_devices()[0]
with mlir.make_ir_context():
    module = ir.Module.parse(open("program.mlir").read())
executable = client.compile_and_load(module, xla_client.DeviceList((device,)), xla_client.CompileOptions())
types = json.load(open("signature.json"))
inputs = [
    jax.device_put(np.load(f"input_{i}.npy").view(dtype(each["dtype"])), device)
    for i, each in enumerate(types["inputs"])
]
for i, shards in enumerate(executable.execute_sharded(inputs).disassemble_into_single_device_arrays()):
    got = np.asarray(shards[0])
    print(f"output {i}:", got if got.size <= 32 else got.ravel()[:32])
    wanted = dtype(types["outputs"][i]["dtype"])
    if got.dtype != wanted:
        print(f"output {i} has elements of {got.dtype}, of the program {wanted}\\n1 wrong")
        sys.exit(1)
    np.save(f"got_{i}.npy", got if got.dtype.isbuiltin == 1 else got.view(np.dtype(f"V{got.dtype.itemsize}")))

import compare
from pathlib import Path

sys.exit(compare.compare(Path(".")))
'''


def write(finding: Any) -> None:
    finding.write("reproduce.py", SCRIPT)
    finding.write(
        "reproduce.sh",
        f"#!/bin/sh\n# Needs jax and jaxlib ({quoting.comment(finding.header.get('toolchain', ''))}) in python3.\n"
        'cd "$(dirname "$0")" || exit 1\nexec python3 reproduce.py\n',
    )


def report(finding: Any) -> str:
    return f"""# XLA: {finding.title}

### Description

{finding.description()}

The attached zip has the program, its inputs and the expected values; `python3 reproduce.py` in it needs jaxlib only:

{quoting.fence(SCRIPT, "python")}

The expected values are those of the StableHLO specification, computed in f64. `full.mlir` is what this program was
reduced from.

### System info (python version, jaxlib version, accelerator, etc.)

{quoting.fence(finding.versions)}
"""
