# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The installed programs of the release that is checked out: with them, an untouched checkout builds nothing.

installed()                      # "/usr/bin/opbyop", or None: build
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from dev.process import captured


def installed() -> str | None:
    """The `opbyop` of $PATH, if the checkout is that of its release's tag without any change."""
    program = shutil.which("opbyop")
    if not program or not shutil.which("git"):
        return None
    tags = (_git("tag", "--points-at", "HEAD") or "").split()
    declared = (
        re.search(r"^project\(opbyop VERSION ([0-9.]+)", Path("CMakeLists.txt").read_text(), re.M) if tags else None
    )
    if not declared or f"v{declared.group(1)}" not in tags or _git("status", "--porcelain") != "":
        return None
    version = re.escape(declared.group(1))
    # A package that is not built in a checkout does not know its commit (cmake/version.cmake).
    commit = f"({(_git('rev-parse', '--short=12', 'HEAD') or '').strip()}|unknown commit)"
    _, said = captured(program, "--version", stderr=subprocess.DEVNULL)
    return program if re.fullmatch(rf"opbyop {version} \({commit}\)\n", said) else None


def _git(*arguments: str) -> str | None:
    """What git prints; None if it fails, as outside of a checkout."""
    code, text = captured("git", "-c", "safe.directory=*", *arguments, stderr=subprocess.DEVNULL)
    return text if code == 0 else None
