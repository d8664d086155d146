# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The attacks, grouped by what they attack."""

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
    "strange_programs",
    "disk",
    "interrupts",
    "commands",
    "rights",
    "verdicts",
    "untrusted_files",
    "writers",
    "reference",
    "spoilers",
    "exit_codes",
    "inherited",
    "public",
    "cache",
    "real",
)


def load() -> None:
    """Fills attack.SCENES."""
    for module in MODULES:
        importlib.import_module(f"{__name__}.{module}")
