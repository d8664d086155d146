# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Virtual environments in the project: .venv-NAME of a requirements file."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from dev import packages
from dev.process import captured, run, say

# The environments that a run of all tests installs. Without them one test in eight is skipped.
TEST_ENVIRONMENTS = {
    "iree": "device/iree/requirements.txt",
    "xla": "device/xla/requirements.txt",
    "site": "reports/site/requirements.txt",
    "junit": "reports/ingestion/requirements-junit.txt",
}


def make_if_possible(name: str, requirements: str) -> bool:
    """Calls make(). Returns False if it fails, as it does without a network."""
    try:
        make(name, requirements)
    except SystemExit:
        return False
    return True


def make(name: str, requirements: str) -> None:
    """Makes .venv-NAME, again only if the requirements file has changed. Its stamp is the checksum of that file."""
    text = Path(requirements).read_bytes()
    stamp = Path(f".venv-{name}/stamp")
    if stamp.exists() and stamp.read_text().strip() == hashlib.sha256(text).hexdigest():
        return
    say(f"installing {requirements} into .venv-{name}/{_size(text.decode())}")
    if not _has_ensurepip():
        packages.add("python3-venv")
    python = os.environ.get("OPBYOP_PYTHON") or "python3"  # the same for all: tests use several at once
    run("sh", "device/python/make_venv.sh", f".venv-{name}", requirements, python)


def _has_ensurepip() -> bool:
    if not shutil.which("python3"):
        return False
    code, _ = captured("python3", "-c", "import ensurepip", stderr=subprocess.DEVNULL)
    return code == 0


def _size(requirements: str) -> str:
    """The size on disk, " (4.9 GB)", if a comment of the requirements file ends with it: `# ... 4.9 GB.`"""
    found = re.search(r"^#.* ([0-9.]+ [MG]B)\.$", requirements, re.M)
    return f" ({found[1]})" if found else ""
