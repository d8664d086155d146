# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What is installed on this machine: ./dev setup, ./dev doctor."""

from __future__ import annotations

import os

from dev import environments, packages
from dev.build import DOCTORS_PROGRAMS as PROGRAMS
from dev.checkout import for_caller
from dev.options import Options
from dev.process import NO_INPUT, die
from dev.targets import TEST_TARGETS, install_requirements, need_known


def setup(arguments: list[str]) -> None:
    options = Options("help setup")
    options.value("--target", action="append", default=[])
    found, rest = options.read(arguments)
    if found.target:
        if rest:
            options.unknown(rest[0])
        for target in found.target:
            need_known(target)
            packages.install()
            install_requirements(target)
    elif rest == ["--lock"]:
        packages.lock()
    elif rest == ["--tests"]:
        packages.install(*packages.TEST_PACKAGES)
        for target in TEST_TARGETS:
            install_requirements(target)
        for name, requirements in environments.TEST_ENVIRONMENTS.items():
            environments.make(name, requirements)
        environments.make("xprof", "reports/optrace/requirements-xprof.txt")
        environments.make("jax", "fixtures/export/requirements-jax.txt")
    elif rest:
        options.unknown(" ".join(rest))
    else:
        packages.install()


def doctor(arguments: list[str]) -> int:
    """Installs and builds nothing."""
    packages.check()
    packages.print_other_versions()
    for program in PROGRAMS:
        if not os.access(f"build/bin/{program}", os.X_OK):
            die(f"not built: {program}\nbuild: ./dev build {' '.join(PROGRAMS)}", NO_INPUT)
    return for_caller("opbyop", "doctor", *arguments)
