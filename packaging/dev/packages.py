# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Debian packages, by packages.sh, and the versions that were tested: packaging/release/debian-CODENAME.lock."""

from __future__ import annotations

import os
import re
import subprocess

from dev.process import captured, output, run, say

# Some tests need these too, and are skipped without them.
TEST_PACKAGES = ("chromium", "python3-pytest")

SCRIPT = ("bash", "packaging/dev/packages.sh")


def install(*packages: str) -> None:
    """Installs what is missing of these and of those that the build needs. Touches no network if nothing is missing."""
    run(*SCRIPT, "install", *packages)


def add(*packages: str) -> None:
    """Installs these alone."""
    run(*SCRIPT, "add", *packages)


def check() -> None:
    """Ends ./dev with 3 if a package is missing that the build needs."""
    run(*SCRIPT, "check")


def _os_release() -> dict[str, str]:
    try:
        with open(os.environ.get("OPBYOP_OS_RELEASE") or "/etc/os-release") as file:
            return dict(re.findall(r'^(\w+)="?([^"\n]*)', file.read(), re.M))
    except OSError:
        return {}


def _lock_file() -> str:
    system = _os_release()
    return f"packaging/release/{system.get('ID', '')}-{system.get('VERSION_CODENAME', '')}.lock"


def _installed_versions() -> list[str]:
    """`NAME VERSION` of the packages that the build needs."""
    form = "${Package} ${Version} ${db:Status-Status}\n"
    names = output(*SCRIPT, "list").split()
    # It fails if it does not know one of the names.
    _, text = captured("dpkg-query", "-W", f"-f={form}", *names, stderr=subprocess.DEVNULL)
    return sorted({line.removesuffix(" installed") for line in text.splitlines() if line.endswith(" installed")})


def lock() -> None:
    """Writes the versions of this system, on which all tests have just passed."""
    install()
    with open(_lock_file(), "w") as file:
        file.writelines(f"{line}\n" for line in _installed_versions())
    say(f"wrote {_lock_file()}")


def print_other_versions() -> None:
    """Prints which packages are not of the versions that were tested: a hint, no fault."""
    file = _lock_file()
    if not os.path.exists(file):
        print(f"the build was not tested on {_os_release().get('PRETTY_NAME', '')}")
        return
    with open(file) as lines:
        tested = set(lines.read().splitlines())
    if others := [line for line in _installed_versions() if line not in tested]:
        print(f"other versions than those of {file}, which were tested: {', '.join(others)}")
