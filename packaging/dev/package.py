# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes the packages for users, in out/packages/: ./dev package."""

from __future__ import annotations

import os
from pathlib import Path

from dev import environments, packages
from dev.build import RELEASE
from dev.checkout import ROOT
from dev.process import UNEXPECTED, die, output, run, run_with_log, say

FOLDER = Path("out/packages")


def package(arguments: list[str]) -> None:
    kinds = {"wheel": _wheel, "deb": _deb}
    for kind in arguments:
        if kind not in kinds:
            die(f"unknown package {kind}: wheel or deb")
    packages.install("dpkg-dev", "file")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind in arguments or kinds:
        RELEASE.build("installable")
        say(f"making the {kind}")
        kinds[kind]()
    run("ls", "-l", str(FOLDER))


def _wheel() -> None:
    """Uses the build tree as it is."""
    environments.make("package", "packaging/release/requirements.txt")
    programs = ".venv-package/bin"
    _remove("*.whl")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
    run(f"{programs}/pip", "wheel", *options, "-w", str(FOLDER), ".", environment={"CMAKE_GENERATOR": "Ninja"})
    wheels = _files("*.whl")
    module = ("env", "PYTHONPATH=packaging", f"{programs}/python", "-m", "release.wheel_tag")
    tag = output(*module, *wheels).strip()
    run(f"{programs}/wheel", "tags", "--remove", "--platform-tag", tag, *wheels, quiet=True)


def _deb() -> None:
    _remove("*.deb")
    build = RELEASE.folder
    run_with_log(
        *("cpack", "--config", f"{build}/CPackConfig.cmake", "-G", "DEB", "-B", f"{ROOT}/{build}/cpack"),
        log=f"{build}/cpack.log",
        failure="making the Debian package failed",
    )
    made = [str(file) for file in Path(build, "cpack").glob("*.deb")]
    if not made:
        die("cpack made no Debian package", UNEXPECTED)
    run("mv", *made, str(FOLDER))


def _files(pattern: str) -> list[str]:
    return sorted(map(str, FOLDER.glob(pattern)))


def _remove(pattern: str) -> None:
    for file in _files(pattern):
        os.unlink(file)
