# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Shows a finding of a device that has no kit of its own, by the commands that its stages ran, or else by opbyop.

A kit has two functions: `write(finding)` writes reproduce.sh and the files that it needs into the bundle, and
`report(finding)` returns the text of the issue. commands/bundle/finding_bundle.py defines Finding.
"""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import quoting

SCRIPT = """#!/bin/sh
# Shows the finding; $OPBYOP is the folder of opbyop's programs where they are not on the PATH.
cd "$(dirname "$0")" || exit 1
PATH="${{OPBYOP:+$OPBYOP:}}$PATH"
opbyop run case --target=./target.yaml --policy={policy} --fresh -- --baseline=none --seed={seed} --fresh-seed=none
"""

# The files that the command stages of a target keep: the commands that ran on case.mlir, and the files that those read.
KEPT = ("commands.sh", "environment.sh", "stages.json", "types.json")

STAGES = """#!/bin/sh
# The commands that were run, stage by stage, with {toolchain}.
cd "$(dirname "$0")" || exit 1
cp program.mlir case.mlir
sh ./commands.sh || exit
"""


def stages(finding: Any) -> dict[str, dict[str, Any]]:
    """The `argv` and `environment` of each stage that ran as a command, by the stage's name."""
    path = finding.kept / "stages.json"
    if not path.exists():
        return {}
    return {each["stage"]: each for each in json.loads(path.read_text(encoding="utf-8"))}


def write_stages(finding: Any) -> None:
    """Writes reproduce.sh with the commands of the stages. If they ran on the device, the script compares their
    results."""
    for name in KEPT:
        if (finding.kept / name).exists():
            shutil.copyfile(finding.kept / name, finding.folder / name)
    toolchain = finding.header.get("toolchain", "unknown")
    script = STAGES.format(toolchain=quoting.comment(toolchain if toolchain != "unknown" else "the target's tools"))
    if finding.executes and "execute" in stages(finding):
        script += "".join(f"mv output_{i}.npy got_{i}.npy\n" for i in range(len(finding.expected)))
        script += "exec python3 compare.py\n"
    finding.write("reproduce.sh", script)


def write(finding: Any) -> None:
    if stages(finding) and (not finding.executes or "execute" in stages(finding)):
        write_stages(finding)
        return
    shutil.copyfile(finding.target["file"], finding.folder / "target.yaml")
    shutil.copytree(finding.case, finding.folder / "case")
    policy = finding.reduction["policy"]
    if Path(policy).suffix:
        shutil.copyfile(policy, finding.folder / "policy.yaml")
        policy = "./policy.yaml"
    finding.write(
        "reproduce.sh", SCRIPT.format(policy=shlex.quote(str(policy)), seed=shlex.quote(str(finding.reduction["seed"])))
    )


def report(finding: Any) -> str:
    return f"""# {finding.title}

## Program

{quoting.fence(finding.program, "mlir")}

## What happens

{finding.values() or "It does not run."}

{quoting.fence(finding.record.get("diagnostic", ""))}

## How to reproduce

`sh reproduce.sh` in this folder.

## Versions

{quoting.fence(finding.versions)}
"""
