# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds the platform tag of a wheel: the oldest C and C++ libraries with which its programs and libraries start.

    PYTHONPATH=packaging .venv-package/bin/python -m release.wheel_tag opbyop-0.2.0-py3-none-linux_x86_64.whl
    # prints manylinux_2_36_x86_64

The wheel contains all libraries except those of the system (release/bundle_libraries.py), so the versions of their
symbols decide. auditwheel's table lists the versions of each system. auditwheel itself refuses the wheel, because it
does not see that the programs find the libraries by their run path.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from release.bundle_libraries import OF_THE_SYSTEM

# Name of a tag -> family of symbols ("GLIBC") -> its versions.
Table = dict[str, dict[str, list[str]]]


def table(machine: str) -> Table:
    """The table from the oldest tag on."""
    import auditwheel.policy

    policies = json.loads((Path(auditwheel.policy.__file__).parent / "manylinux-policy.json").read_text())
    found = {each["name"]: each["symbol_versions"].get(machine) for each in policies}
    return {name: versions for name, versions in found.items() if name != "linux" and versions}


def required_versions(readelf: str) -> set[str]:
    """The required versions, such as GLIBC_2.36, in the output of `readelf --version-info`."""
    found, of_the_system = set(), False
    for line in readelf.splitlines():
        file, name = re.search(r"\bFile: (\S+)", line), re.search(r"\bName: (\S+)", line)
        if file:
            of_the_system = OF_THE_SYSTEM.fullmatch(file[1]) is not None
        elif name and of_the_system:
            found.add(name[1])
    return found


def tag(asked: Iterable[str], names: Table) -> str:
    """The oldest tag with all required versions. Raises ValueError if no system of the table has all of them."""
    lacking: list[str] = []
    for name, versions in names.items():
        lacking = [each for each in asked if each.split("_", 1)[1] not in versions.get(each.split("_", 1)[0], [])]
        if not lacking:
            return name
    raise ValueError(
        f"no tag of the table has {', '.join(sorted(lacking))}: build on an older system, or with a newer auditwheel"
    )


def elf_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


def main(wheel: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        zipfile.ZipFile(wheel).extractall(name)
        command = ["readelf", "--version-info", "--wide", *map(str, elf_files(Path(name)))]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    machine = platform.machine()
    try:
        print(f"{tag(required_versions(said), table(machine))}_{machine}")
    except ValueError as error:
        print(f"{wheel}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
