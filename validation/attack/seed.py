# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The seed of all random choices of a run of `./dev attack`, which prints it."""

from __future__ import annotations

import random

value = 0


def generator(name: str) -> random.Random:
    """A separate generator for each use, so that an attack draws the same numbers alone and with others."""
    return random.Random(f"{value} {name}")
