# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The committed models, exported again: ./dev export."""

from __future__ import annotations

from dev import environments, packages
from dev.process import die, run

# Frontend -> its virtual environment, which is of fixtures/export/requirements-NAME.txt.
FRONTENDS = {"jax": "jax", "jax-lax": "jax", "torch-xla": "torch", "zoo-real": "zoo", "zoo-small": "zoo"}


def export(arguments: list[str]) -> None:
    frontend, *models = arguments or ["jax"]
    packages.install()
    if frontend not in FRONTENDS:
        die(f"unknown frontend {frontend}: {', '.join(FRONTENDS)}")
    name = FRONTENDS[frontend]
    environments.make(name, f"fixtures/export/requirements-{name}.txt")
    run(f".venv-{name}/bin/python", "-m", "fixtures.export", "--frontend", frontend, *models)
