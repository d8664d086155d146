# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Exports the program as jax_0_12.mlirbc and, in the form of `Exported.serialize()`, as jax_0_12.jax.

pip install jax==0.12.0.1 flatbuffers && cd generator/testdata && python -m jax_0_12
"""

from pathlib import Path

import jax
import jax.numpy as jnp
from jax import export, lax


def program(x, w, k):
    y = lax.conv_general_dilated(x, k, (1, 1), "SAME")
    y = jax.nn.gelu(y).reshape(2, -1) @ w
    y = jax.nn.softmax(y) + jnp.sort(y)
    carry, sums = lax.scan(lambda c, v: (c * 0.5 + v, c.sum()), y[0], y)
    values, indices = lax.top_k(carry, 2)
    return values, indices, sums, jnp.linalg.qr(y.T)[1]


if __name__ == "__main__":
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((2, 3, 4, 4), (32, 8), (2, 3, 3, 3))]
    exported = export.export(jax.jit(program))(*shapes)
    Path("jax_0_12.mlirbc").write_bytes(exported.mlir_module_serialized)
    Path("jax_0_12.jax").write_bytes(exported.serialize())
