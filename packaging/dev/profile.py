# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""./dev profile"""

from __future__ import annotations

from dev import packages
from dev.build import PROGRAMS, RELEASE
from dev.checkout import for_caller
from dev.options import Options
from dev.targets import install_requirements, programs_of


def profile(arguments: list[str]) -> int:
    options = Options("help profile")
    options.value("--target", default="host")
    found, _ = options.read(arguments)
    packages.install()
    install_requirements(found.target)
    RELEASE.build(*PROGRAMS, *programs_of(found.target), "opbyop-profile")
    return for_caller("opbyop", "profile", *arguments)
