# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Completes the environment of requirements-rocm.txt, whose folder is the argument: stubs in the place of ROCm.

The plugin is linked with libraries of ROCm, which no package of PyPI has, and which it needs only to execute.
"""

from __future__ import annotations

import sys
from pathlib import Path

import stub_libraries

FOLDER = Path(sys.argv[1])
PLUGIN = "lib/python3*/site-packages/jax_plugins/xla_rocm7/xla_rocm_plugin.so"

stub_libraries.make_stubs(FOLDER / "stubs", next(FOLDER.glob(PLUGIN)))
