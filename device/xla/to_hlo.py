# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Translates StableHLO to HLO, for compilers that take a serialized HloModuleProto (`input: hlo` of a target).

to_hlo.py CASE.mlir CASE.hlo_module.pb
"""

from __future__ import annotations

import sys
from pathlib import Path

from jaxlib import xla_client


def main() -> int:
    source, out = map(Path, sys.argv[1:])
    try:
        computation = xla_client._xla.mlir.mlir_module_to_xla_computation(
            source.read_bytes(), use_tuple_args=False, return_tuple=False
        )
    except Exception as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 1
    out.write_bytes(computation.as_serialized_hlo_module_proto())
    return 0


if __name__ == "__main__":
    sys.exit(main())
