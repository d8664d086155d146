# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Completes the environment of requirements-tt.txt, whose folder is the argument: descriptors of boards that fit it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
PLUGIN = "lib/python3*/site-packages/jax_plugins/libtt/libtt.so"
STAMP = Path(__file__).resolve().parents[1] / "tenstorrent/descriptor_stamp.py"

sys.exit(subprocess.call([sys.executable, STAMP, FOLDER / "descriptors", next(FOLDER.glob(PLUGIN))]))
