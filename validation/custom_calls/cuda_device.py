# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves a device that computes cuDNN's attention and Threefry by JAX's own formulas on XLA: cuda_device.py FAULT.

It is right with the fault `none`. It stands in for a GPU, in the element type of the operands.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.random import threefry2x32_p

from opbyop_worker import Request, Stages, serve
from opbyop_worker.protocol import Fields
from validation.custom_calls.faulty_xla import xla_worker

TYPES = {"bf16": jnp.bfloat16, "f16": jnp.float16, "ui32": jnp.uint32}

FAULTS = ("none", "scale", "future", "no_mask", "no_bias", "other_heads", "sums", "keys_exchanged", "counter_behind")


def attention(q: Any, k: Any, v: Any, bias: Any, scale: float, causal: bool, fault: str) -> tuple[Any, Any]:
    """The result as batch, head, sequence, feature, and the logarithms of the sums of exponentials."""
    if fault == "scale":
        scale *= 1.05
    if fault == "other_heads":
        k = k[:, :, ::-1]
    if fault == "no_bias":
        bias = None
    queries, heads, keys = q.shape[1], q.shape[2], k.shape[1]
    ratio = heads // k.shape[2]
    k, v = (jnp.repeat(x, ratio, axis=2) for x in (k, v))
    scores = jnp.einsum("btnh,bsnh->bnts", q, k, preferred_element_type=jnp.float32) * np.float32(scale)
    if bias is not None:
        scores += bias.astype(jnp.float32)
    if causal and fault != "no_mask":
        mask = jnp.tril(jnp.ones((queries, keys), bool), 1 if fault == "future" else 0)
        scores = jnp.where(mask, scores, -jnp.inf)
    sums = jax.nn.logsumexp(scores, axis=-1)
    weights = jnp.exp(scores - sums[..., None]).astype(q.dtype)
    result = jnp.einsum("bnts,bsnh->bnth", weights, v, preferred_element_type=jnp.float32).astype(q.dtype)
    return result, sums * 1.001 if fault == "sums" else sums


def threefry(k0: Any, k1: Any, x0: Any, x1: Any, fault: str) -> tuple[Any, Any]:
    if fault == "keys_exchanged":
        k0, k1 = k1, k0
    if fault == "counter_behind":
        x1 = x1 - 1
    return threefry2x32_p.bind(k0, k1, x0, x1)


def translated(text: str, fault: str) -> str:
    """The program with the formula in place of the call."""
    signature = re.search(r"custom_call @.* : \((.*?)\) -> \((.*)\)", text)
    assert signature is not None, text
    shapes = re.findall(r"tensor<([\dx]+)x(\w+)>", signature[1])
    operands = [jax.ShapeDtypeStruct(tuple(map(int, shape.split("x"))), TYPES[dtype]) for shape, dtype in shapes]
    if "@cu_threefry2x32_ffi" in text:
        return jax.jit(lambda *words: threefry(*words, fault)).lower(*operands).as_text()
    config = re.search(r'backend_config = "(.*?)"[,}]', text)
    assert config is not None, text
    fields = json.loads(config[1].replace("\\22", '"'))["cudnn_fmha_backend_config"]
    has_sums = signature[2].count("tensor<") == 3

    def main(q, k, v, bias=None):
        causal = fields["mask_type"] == "CAUSAL"
        result, sums = attention(q, k, v, bias, float(fields["fmha_scale"]), causal, fault)
        return (result, *([sums] if has_sums else []), jnp.zeros((0,), jnp.uint8))

    return jax.jit(main).lower(*operands).as_text()


def main(fault: str) -> int:
    class Cuda(xla_worker()):
        name = "cuda"

        def compile(self, request: Request, stages: Stages) -> Fields:
            file = request.dir / "translated.mlir"
            file.write_text(translated(request.file.read_text(), fault))
            return super().compile(dataclasses.replace(request, file=file), stages)

    return serve(Cuda())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
