# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a finding in IREE for iree-compile and iree-run-module, in the form of IREE's bug template."""

from __future__ import annotations

from typing import Any

import quoting  # from commands/bundle/, as the program that loads this file does

# The names of element types that iree-run-module spells differently. An element of i1 takes a byte, and complex numbers
# are named by the bits of both parts together.
TYPES = {"i1": "i8", "complex<f32>": "cf64", "complex<f64>": "cf128"}


# The diagnostic of device/iree/worker.py. iree-run-module shows only results.
OVERWRITTEN = "wrote into the caller's buffer"

ARGUMENTS = '''"""Runs program.vmfb and looks at what is left of its arguments."""

import sys

import iree.runtime as rt
import numpy as np

config = rt.Config({device})
with open("program.vmfb", "rb") as file:
    module = rt.load_vm_module(rt.VmModule.copy_buffer(config.vm_instance, file.read()), config)
given = [np.load(f"input_{{i}}.npy") for i in range({count})]
arguments = [rt.asdevicearray(config.device, each) for each in given]
module.main(*arguments)
wrong = 0
for i, (before, argument) in enumerate(zip(given, arguments)):
    after = argument.to_host()
    if before.tobytes() != after.tobytes():
        print(f"argument {{i}}: was {{before.tolist()}}, is {{after.tolist()}}")
        wrong += 1
print(f"{{wrong}} wrong" if wrong else "as expected")
sys.exit(wrong > 0)
'''


def overwrites(finding: Any) -> bool:
    return OVERWRITTEN in finding.record.get("diagnostic", "")


def device_flag(finding: Any) -> str:
    return next((each for each in finding.target["worker"] if each.startswith("--device=")), "--device=local-sync")


def element_type(tensor: Any) -> str:
    return "x".join([*map(str, tensor.shape), TYPES.get(tensor.dtype, tensor.dtype)])


def compile_command(finding: Any) -> str:
    return quoting.command(["iree-compile", *finding.target["flags"], "program.mlir", "-o", "program.vmfb"])


def run_command(finding: Any) -> str:
    words = ["iree-run-module", device_flag(finding), "--module=program.vmfb", "--function=main"]
    words += [f"--input={element_type(each)}=@input_{i}.bin" for i, each in enumerate(finding.inputs)]
    # iree-run-module cannot write elements of bf16 or f8 to .npy.
    words += [f"--output=@got_{i}.bin" for i in range(len(finding.expected))]
    return quoting.command(words)


def commands(finding: Any) -> str:
    lines = [compile_command(finding)]
    if overwrites(finding):
        lines.append("python3 reproduce.py")
    elif finding.executes:
        lines += [run_command(finding), "python3 compare.py"]
    return "\n".join(lines)


def write(finding: Any) -> None:
    for i, each in enumerate(finding.inputs):
        (finding.folder / f"input_{i}.bin").write_bytes(each.data)
    if overwrites(finding):
        device = device_flag(finding).removeprefix("--device=")
        finding.write("reproduce.py", ARGUMENTS.format(device=repr(device), count=len(finding.inputs)))
    finding.write(
        "reproduce.sh",
        "#!/bin/sh\n"
        f"# Needs iree-base-compiler and iree-base-runtime: {quoting.comment(finding.header.get('toolchain', ''))}\n"
        f'cd "$(dirname "$0")" || exit 1\nset -e\n{commands(finding)}\n',
    )


def report(finding: Any) -> str:
    return f"""# {finding.title}

### What happened?

{finding.description()}

### Steps to reproduce your issue

{quoting.fence(commands(finding), "sh")}

All files are in the attached zip, where `sh reproduce.sh` runs these commands.

### What component(s) does this issue relate to?

{"Runtime, Compiler" if finding.executes else "Compiler"}

### Version information

{quoting.fence(finding.versions)}

### Additional context

The expected values are those of the StableHLO specification, computed in f64. `full.mlir` is what this program was
reduced from. log.txt has the end of what the compiler printed.
"""
