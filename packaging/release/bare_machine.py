# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A bare Debian on which packages are tried: a folder that is entered by chroot, with its own mounts.

machine = BareMachine(scratch / "machine", "trixie")  # unittest.SkipTest without root or debootstrap
machine.take(*ROOT.glob("out/packages/*.deb"))  # into its /work
print(machine.run("apt-get install -y -qq /work/*.deb"))
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import unittest
from pathlib import Path

# Mounts that a bare machine needs to run. The mount namespace removes them when it ends.
ENTER = """
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin $3 sh -c "$2"
"""

# Settings that the network requires on every machine: addresses, proxies, trusted certificates.
OF_THE_NETWORK = (
    "/etc/resolv.conf",
    "/etc/apt/apt.conf.d/*proxy*",
    "/usr/local/share/ca-certificates/*",
    "/etc/pip.conf",
)


class BareMachine:
    def __init__(self, folder: Path, codename: str = "bookworm") -> None:
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            raise unittest.SkipTest("needs root and debootstrap")
        self.folder = folder
        mirrors = _mirrors(codename)
        main = next(uri for uri, suites in mirrors if codename in suites)
        command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", codename, folder, main]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])
        lines = [f"deb {uri} {suite} main\n" for uri, suites in mirrors for suite in suites]
        (folder / "etc/apt/sources.list").write_text("".join(lines))
        for pattern in OF_THE_NETWORK:
            for file in Path("/").glob(pattern[1:]):
                there = folder / file.relative_to("/")
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, there)
        (folder / "work").mkdir()
        self.run("update-ca-certificates")

    def take(self, *files: Path) -> None:
        for file in files:
            shutil.copy(file, self.folder / "work")

    def run(self, command: str, code: int = 0) -> str:
        """Returns the output of both streams."""
        proxies = " ".join(f"{key}={value}" for key, value in os.environ.items() if key.lower().endswith("_proxy"))
        enter = [
            "unshare",
            "--mount",
            "--propagation=private",
            "sh",
            "-c",
            ENTER,
            "enter",
            self.folder,
            command,
            proxies,
        ]
        done = subprocess.run(
            [str(word) for word in enter],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != code:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout


def this_codename() -> str:
    """The codename of this machine's Debian."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "")


def _mirrors(codename: str) -> list[tuple[str, list[str]]]:
    """The sources of this machine's packages, for another Debian: URIs and their suites."""
    here = re.escape(this_codename())
    found = []
    for file in [*Path("/etc/apt/sources.list.d").glob("*.sources")]:
        for stanza in re.split(r"\n\s*\n", file.read_text()):
            fields = dict(re.findall(r"^(\w[\w-]*):\s*(.*)$", stanza, re.M))
            suites = re.findall(rf"(?<!\S){here}(?:-\S+)?(?!\S)", fields.get("Suites", ""))
            if suites and "main" in fields.get("Components", ""):
                found += [(uri, suites) for uri in fields["URIs"].split()]
    one_line = Path("/etc/apt/sources.list")
    if one_line.exists():
        pattern = rf"^deb (?:\[[^]]*\] )?(\S+) ({here}(?:-\S+)?) .*\bmain\b"
        found += [(uri, [suite]) for uri, suite in re.findall(pattern, one_line.read_text(), re.M)]
    return [(uri, [codename + suite.removeprefix(this_codename()) for suite in suites]) for uri, suites in found]
