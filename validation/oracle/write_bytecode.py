# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes test data for ir/test: its modules, as upstream's bindings encode them.

python3 -m validation.oracle.write_bytecode ir/test
"""

import io
import sys
from pathlib import Path

from jaxlib import _jax
from jaxlib.mlir import ir

from fixtures.bindings import make_context

ARTIFACT_VERSION = "1.13.0"
BYTECODE = ["booleans", "native_bytecode", "sdy_bytecode"]
ARTIFACTS = ["booleans", "sdy_artifact"]


def main(folder: Path) -> None:
    with make_context(), ir.Location.unknown():
        for name in BYTECODE:
            out = io.BytesIO()
            ir.Module.parse((folder / f"{name}.mlir").read_text()).operation.write_bytecode(out)
            (folder / "Inputs" / f"{name}.mlirbc").write_bytes(out.getvalue())
        for name in ARTIFACTS:
            text = str(ir.Module.parse((folder / f"{name}.mlir").read_text()))
            artifact = _jax.mlir.serialize_portable_artifact(text, ARTIFACT_VERSION, True)
            (folder / "Inputs" / f"{name}.vhlo.mlirbc").write_bytes(artifact)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
