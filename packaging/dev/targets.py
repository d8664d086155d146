# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Targets: names of manifests/targets/, or plugins by their path, pjrt:/path/plugin.so."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dev import environments, packages
from dev.process import NO_INPUT, die, output

# The targets whose packages the tests use. Those of others are large.
TEST_TARGETS = ("iree", "iree-vulkan", "xla", "xla-cpu-pjrt")

# Prints a key of a YAML file, a list as a line for each. Needs Debian's python3-yaml, which `install` brings.
_KEY = """import sys, yaml
value = yaml.safe_load(open(sys.argv[1])).get(sys.argv[2]) or []
print("\\n".join(map(str, value if isinstance(value, list) else [value])))"""


def _file(target: str) -> str:
    return f"manifests/targets/{target}.yaml"


def known_targets() -> list[str]:
    return sorted(file.stem for file in Path("manifests/targets").glob("*.yaml"))


def requirements_of(target: str) -> list[str]:
    return _key(target, "requirements")


def need_known(target: str) -> None:
    """Ends ./dev if there is no such target or plugin."""
    kind, colon, path = target.partition(":")
    if kind == "pjrt" and colon:
        if not os.path.isfile(path):
            die(f"{target}: no such plugin", NO_INPUT)
    elif not os.path.isfile(_file(target)):
        die(f"no target {target}: manifests/targets/ has {' '.join(known_targets())}")


def name_in_results(target: str) -> str:
    """pjrt:/path/libtpu.so is pjrt-libtpu."""
    kind, colon, path = target.partition(":")
    if kind != "pjrt" or not colon:
        return target
    stem, _ = os.path.splitext(os.path.basename(path))
    return "pjrt-" + re.sub(r"[^A-Za-z0-9._-]", "_", stem)


def programs_of(*targets: str) -> list[str]:
    """The programs of this project that runs on the targets start, beside those of every run."""
    found = set()
    for target in targets:
        if os.path.isfile(_file(target)):
            found |= set(re.findall(r"\{bin\}/([\w-]+)", Path(_file(target)).read_text()))
        else:  # a plugin by its path
            found.add("opbyop-pjrt-worker")
    return sorted(found)


def install_requirements(target: str) -> None:
    """Installs a target's Debian packages, and those in Python into a virtual environment. Most targets need none."""
    if not os.path.isfile(_file(target)):
        return  # a plugin by its path
    if names := _key(target, "packages"):
        packages.install(*names)
    for file in requirements_of(target):
        environments.make(output("sh", "device/python/venv_of.sh", file).strip(), file)


def _key(target: str, key: str) -> list[str]:
    return [line for line in output("/usr/bin/python3", "-c", _KEY, _file(target), key).splitlines() if line]
