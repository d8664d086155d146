# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Completes the environment of requirements-oneapi.txt, whose folder is the argument: stubs of what only runs.

The plugin is linked with oneMKL, MPI, OpenCL and Level Zero, of 2 GB, which it needs only to execute.
"""

from __future__ import annotations

import sys
from pathlib import Path

import stub_libraries

FOLDER = Path(sys.argv[1])
PLUGIN = "lib/python3*/site-packages/jax_plugins/xla_oneapi/xla_oneapi_plugin.so"

stub_libraries.make_stubs(FOLDER / "stubs", next(FOLDER.glob(PLUGIN)), beside=FOLDER / "lib")
