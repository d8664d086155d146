# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The attacks, by what they attack."""

from __future__ import annotations

import importlib

MODULES = (
    "mock",
    "hostile",
    "workers",
    "manifests",
    "files",
    "targets",
    "programs",
    "disk",
    "interrupts",
    "commands",
    "verdicts",
    "spoilers",
    "exit_codes",
    "real",
)


def load() -> None:
    """Fills attack.SCENES."""
    for module in MODULES:
        importlib.import_module(f"{__name__}.{module}")
