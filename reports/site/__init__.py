# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The site that `./dev site` builds."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Makes the package `opbyop`, which reads runs, importable without installing it.
sys.path.insert(0, str(ROOT / "packaging/python"))
