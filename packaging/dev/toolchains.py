# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Versions of the targets' toolchains: ./dev toolchains. The work is in packaging/toolchains.py."""

from __future__ import annotations

import json

from dev import packages
from dev.build import PROGRAMS, RELEASE
from dev.checkout import ROOT, given
from dev.options import Options
from dev.process import die, output, status
from dev.targets import known_targets, need_known, programs_of, requirements_of


def toolchains(arguments: list[str]) -> int:
    options = Options("help toolchains")
    options.value("--update")
    options.value("--to")
    options.value("-o", "--output", convert=given)
    options.add_argument("--adopt", action="store_true")
    found, rest = options.read_with_operands(arguments)
    if rest:
        options.unknown(rest[0])
    if not found.update and (found.to or found.adopt or found.output):
        die("--to, --adopt and -o are of an update: name its target with --update")
    packages.install()
    requirements = {target: files for target in known_targets() if (files := requirements_of(target))}
    words = []
    if found.update:
        need_known(found.update)
        if found.update not in requirements:
            die(f"target {found.update} has no pinned packages: those that have are {' '.join(requirements)}")
        RELEASE.build(*PROGRAMS, *programs_of(found.update))
        words += ["--update", found.update]
    words += [word for name in ("to", "output") if (value := getattr(found, name)) for word in (f"--{name}", value)]
    words += ["--adopt"] if found.adopt else []
    python = output("sh", "device/python/newest_python.sh", "pip", "venv").strip()
    command = (python, "packaging/toolchains.py", "--requirements", json.dumps(requirements), *words)
    return status(*command, environment={"PYTHONPATH": ROOT})
