# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A finding in IREE by iree-compile and iree-run-module, and as IREE's bug template asks for it."""

from __future__ import annotations

import shlex
from typing import Any

# iree-run-module's names of element types that differ; an element of i1 takes a byte.
TYPES = {"i1": "i8", "ui8": "ui8", "complex<f32>": "complex64", "complex<f64>": "complex128"}


def device_flag(finding: Any) -> str:
    return next((each for each in finding.target["worker"] if each.startswith("--device=")), "--device=local-sync")


def element_type(tensor: Any) -> str:
    return "x".join([*map(str, tensor.shape), TYPES.get(tensor.dtype, tensor.dtype)])


def compile_command(finding: Any) -> str:
    flags = " ".join(map(shlex.quote, finding.target["flags"]))
    return f"iree-compile {flags} program.mlir -o program.vmfb"


def run_command(finding: Any) -> str:
    words = ["iree-run-module", device_flag(finding), "--module=program.vmfb", "--function=main"]
    words += [f"--input={element_type(each)}=@input_{i}.bin" for i, each in enumerate(finding.inputs)]
    words += [f"--output=@got_{i}.npy" for i in range(len(finding.expected))]
    return " ".join(words)


def commands(finding: Any) -> str:
    lines = [compile_command(finding)]
    if finding.executes:
        lines += [run_command(finding), "python3 compare.py"]
    return "\n".join(lines)


def write(finding: Any) -> None:
    for i, each in enumerate(finding.inputs):
        (finding.folder / f"input_{i}.bin").write_bytes(each.data)
    finding.write(
        "reproduce.sh",
        f"#!/bin/sh\n# Needs iree-base-compiler and iree-base-runtime: {finding.header.get('toolchain', '')}\n"
        f'cd "$(dirname "$0")" || exit 1\nset -e\n{commands(finding)}\n',
    )


def report(finding: Any) -> str:
    return f"""# {finding.ops} {finding.what}

### What happened?

{finding.ops} {finding.what}.

```mlir
{finding.program}```

{finding.values()}

```
{finding.record.get("diagnostic", "")}
```

### Steps to reproduce your issue

```sh
{commands(finding)}
```

All files are in the attached zip, where `sh reproduce.sh` runs these commands.

### What component(s) does this issue relate to?

{"Runtime, Compiler" if finding.executes else "Compiler"}

### Version information

```
{finding.versions}```

### Additional context

The expected values are those of the StableHLO specification, computed in f64. `full.mlir` is what this program was
reduced from. log.txt has the end of what the compiler printed.
"""
