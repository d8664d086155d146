# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Build trees, a folder for each kind of build: the presets of CMakePresets.json.

RELEASE.build("opbyop")              # installs what is missing, configures build/ once, builds
Build("address").folder              # build-address
"""

from __future__ import annotations

import dataclasses
import os

from dev import environments, packages
from dev.process import run, run_with_log, say

LLVM = 22

# Ninja writes this before each step, unless the caller has set NINJA_STATUS.
STATUS = "[%f of %t steps (%p), %u left, %e s] "

# The programs that every run needs. A target may need more (programs_of); `opbyop` builds other verbs when called.
PROGRAMS = ("opbyop", "opbyop-split", "opbyop-run", "opbyop-worker", "conformance")

# The programs that `./dev doctor` starts: it builds nothing.
DOCTORS_PROGRAMS = ("opbyop", "opbyop-doctor", "opbyop-worker", "opbyop-pjrt-worker", "opbyop-supervisor")


def processors() -> int:
    return len(os.sched_getaffinity(0))


@dataclasses.dataclass(frozen=True)
class Build:
    kind: str = "release"

    @property
    def folder(self) -> str:
        return "build" if self.kind == "release" else f"build-{self.kind}"

    def program(self, name: str) -> str:
        return f"{self.folder}/bin/{name}"

    def build(self, *targets: str) -> None:
        """All targets without one. Ends ./dev if it fails."""
        self._configure()
        say("building")
        status = {"NINJA_STATUS": os.environ.get("NINJA_STATUS", STATUS)}
        run("nice", "ninja", "-C", self.folder, "-j", str(processors()), *targets, environment=status)

    def _configure(self) -> None:
        packages.install()
        environments.make("pjrt", "device/pjrt/requirements.txt")  # the header of PJRT's C interface
        if os.path.exists(f"{self.folder}/build.ninja"):
            return
        say(f"configuring into {self.folder}/")
        # Fresh: with the cache of a failed attempt CMake would configure twice, the second time without these options.
        options = ("--fresh", "--preset", self.kind, f"-DOPBYOP_WERROR={os.environ.get('OPBYOP_WERROR') or 'OFF'}")
        log = f"{self.folder}.configure.log"
        run_with_log("cmake", *options, log=log, failure="configuring failed")
        os.replace(log, f"{self.folder}/configure.log")


RELEASE = Build()


def build(arguments: list[str]) -> None:
    RELEASE.build(*arguments)
