# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How a finding is shown where a device has no kit of its own: by the commands that its stages ran, else by opbyop.

A kit has two functions, `write(finding)`, which writes reproduce.sh and what that needs into the bundle, and
`report(finding)`, the text of the issue; tools/finding_bundle.py says what a finding is.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

SCRIPT = """#!/bin/sh
# Shows the finding; $OPBYOP is the folder of opbyop's programs where they are not on the PATH.
cd "$(dirname "$0")" || exit 1
PATH="${{OPBYOP:+$OPBYOP:}}$PATH"
opbyop run case --target=./target.yaml --policy={policy} --fresh -- --baseline=none --seed={seed}
"""

# Kept by the command stages of a target.
COMMANDS = ("commands.sh", "environment.sh")


def write(finding: Any) -> None:
    kept = [finding.kept / name for name in COMMANDS if (finding.kept / name).exists()]
    for path in kept:
        shutil.copyfile(path, finding.folder / path.name)
    if (finding.folder / "commands.sh").exists():
        finding.write("reproduce.sh", "#!/bin/sh\n# What was run, stage by stage.\n. ./commands.sh\n")
        return
    shutil.copyfile(finding.target["file"], finding.folder / "target.yaml")
    shutil.copytree(finding.case, finding.folder / "case")
    policy = finding.reduction["policy"]
    if Path(policy).suffix:
        shutil.copyfile(policy, finding.folder / "policy.yaml")
        policy = "./policy.yaml"
    finding.write("reproduce.sh", SCRIPT.format(policy=policy, seed=finding.reduction["seed"]))


def report(finding: Any) -> str:
    return f"""# {finding.ops} {finding.what}

## Program

```mlir
{finding.program}```

## What happens

{finding.values() or "It does not run."}

```
{finding.record.get("diagnostic", "")}
```

## How to reproduce

`sh reproduce.sh` in this folder.

## Versions

```
{finding.versions}```
"""
