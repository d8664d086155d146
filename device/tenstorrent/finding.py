# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a finding in tt-mlir for its own tools, in the form of tt-mlir's bug template."""

from __future__ import annotations

import re
from typing import Any

import finding_kit  # from commands/bundle/, as the program that loads this file does
import quoting

# ttrt takes the flatbuffer that the earlier stages made, and generates its own inputs.
ON_A_BOARD = "ttrt run case.ttnn"


# Writes the board's descriptor; the stages' commands contain the path that it has on this machine.
DESCRIBE = "ttrt query --save-artifacts"
DESCRIPTOR = "system-desc-path=ttrt-artifacts/system_desc.ttsys"


def commands(finding: Any) -> list[str]:
    """The commands of the compiler's stages and, if the finding is about execution, of ttrt."""
    query: list[str] = []
    compiled = []
    for stage, each in finding_kit.stages(finding).items():
        if stage in ("load", "execute"):
            continue
        portable = [re.sub(r"\bsystem-desc-path=\S+", DESCRIPTOR, word) for word in each["argv"]]
        if portable != each["argv"]:
            query = [DESCRIBE]
        compiled.append(quoting.command(portable, each["environment"]))
    return ["cp program.mlir case.mlir", *query, *compiled, *([ON_A_BOARD] if finding.executes else [])]


def write(finding: Any) -> None:
    lines = "\n".join(commands(finding))
    finding.write(
        "reproduce.sh",
        f"#!/bin/sh\n# Needs tt-mlir's tools in PATH: {quoting.comment(finding.header.get('toolchain', ''))}\n"
        f'cd "$(dirname "$0")" || exit 1\nset -e\n{lines}\n',
    )


def expected(finding: Any) -> str:
    if finding.record["stage"] == "compare":
        return "What the StableHLO specification gives, computed in f64: `expected_I.npy`, within `bound_I.npy`."
    return "It compiles and runs: the program is valid StableHLO." if finding.executes else "It compiles."


def environment(finding: Any) -> str:
    lines = [f"- {quoting.markdown(line)}" for line in finding.versions.splitlines()]
    commit = finding.header.get("git_sha")
    return "\n".join([*lines, *([f"- tt-mlir commit: {quoting.markdown(commit)}"] if commit else [])])


def report(finding: Any) -> str:
    steps = "\n".join(commands(finding))
    return f"""# {finding.title}

### Describe the bug

{finding.description()}

### Steps to reproduce the issue

{quoting.fence(steps, "sh")}

All files are in the attached zip, where `sh reproduce.sh` runs these commands. `full.mlir` is what the program was
reduced from, log.txt the end of what the tools printed.

### Expected behavior

{expected(finding)}

### Please complete the following environment information

{environment(finding)}
"""
