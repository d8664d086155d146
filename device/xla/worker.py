# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves XLA as a target through jaxlib's client, on a GPU if there is one, else on the CPU.

Stages: `parse` by jaxlib's MLIR, `compile` by XLA, `load` of the inputs onto the
device (XLA's executables are loaded when they are compiled), `execute`.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # one worker per core, and all share the device

import jax
import jaxlib
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

from opbyop_worker import Request, StageError, Stages, TargetWorker, serve, tensors, timing
from opbyop_worker.protocol import Fields, unsupported
from opbyop_worker.spans import Spans

# XLA's own word for "not supported", as opposed to a wrong program or an internal error.
UNSUPPORTED_TEXTS = ("UNIMPLEMENTED",)
# Texts with the same meaning: shapes that are known only at run time, and custom calls without a handler.
UNSUPPORTED_ANYWHERE = (
    "Unbounded dynamism is disabled",
    "op can't be translated to XLA HLO",
    "No registered implementation for",
    "No FFI handler registered for",
)
# jaxlib registers these for functions in the Python process that exported the program, and looks them up by their
# number in that process. In any other process it would crash.
PYTHON_CALLBACK = re.compile(r"""(?:custom_call @|call_target_name = )"?(xla_\w*python\w*_callback)\b""")


def parse_diagnostic(error: Exception) -> str:
    """The first of MLIR's lines with `error:`, or the first line."""
    lines = str(error).strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[0] if lines else type(error).__name__)


def failure(error: Exception) -> StageError:
    """Converts an XLA status to the error that ends the stage."""
    text = str(error).strip() or type(error).__name__
    cannot = text.startswith(UNSUPPORTED_TEXTS) or any(words in text for words in UNSUPPORTED_ANYWHERE)
    return unsupported(text) if cannot else StageError(text)


def initialize_lapack() -> None:
    """Loads LAPACK for the custom calls of linear algebra, which crash without it. JAX does so when it creates one."""
    try:
        from jaxlib.cpu import _lapack
    except ImportError:
        return
    _lapack.initialize()


@dataclasses.dataclass
class Compiled:
    case: str
    executable: Any
    artifact: bytes


class Xla(TargetWorker):
    name = "xla"

    def __init__(self) -> None:
        jax.config.update("jax_enable_x64", True)
        self._client = xla_bridge.get_backend()
        initialize_lapack()
        self._device = self._client.local_devices()[0]
        self._devices = xla_client.DeviceList((self._device,))
        self._context = mlir.make_ir_context()
        self._compiled: Compiled | None = None
        self._kept: dict[str, Compiled] = {}
        if self._client.platform == "cpu":
            self.cores = len(os.sched_getaffinity(0))
        self.version = f"jaxlib {jaxlib.__version__} {self._client.platform}"

    def compile(self, request: Request, stages: Stages) -> Fields:
        self._compiled = None
        text = request.file.read_text()
        with stages.stage("parse"):
            module = self._parse(text)
        with stages.stage("compile"):
            if callback := PYTHON_CALLBACK.search(text):
                raise unsupported(f"the custom call {callback[1]} has no handler but in the Python that exported it")
            try:
                executable = self._client.compile_and_load(module, self._devices, xla_client.CompileOptions())
                artifact = executable.serialize()
            except Exception as error:
                raise failure(error) from error
        if request.save_intermediates:
            self._save(request, executable, artifact)
        self._compiled = Compiled(request.case, executable, artifact)
        done = {"artifact_bytes": len(artifact), **request.save(artifact)}
        if request.keep:
            self._kept[request.case] = self._compiled
            done["kept"] = True
        return done

    def _parse(self, text: str) -> Any:
        # jaxlib registers the quant dialect only in XLA's own parser, so such a module is passed to it as text.
        if "!quant." in text:
            return text.encode()
        try:
            with self._context:
                return ir.Module.parse(text)
        except ir.MLIRError as error:
            raise StageError(parse_diagnostic(error)) from error

    @staticmethod
    def _save(request: Request, executable: Any, artifact: bytes) -> None:
        (request.dir / "1_compile.hlo").write_text(executable.get_hlo_text())
        (request.dir / "1_compile.bin").write_bytes(artifact)

    def execute(self, request: Request, stages: Stages) -> Fields:
        if request.artifact is None:
            compiled = self._kept.get(request.case, self._compiled)
            if compiled is None or compiled.case != request.case:
                raise StageError(f"execute of '{request.case}' without its artifact")
        spans = Spans(request.spans)
        with stages.stage("load"):
            if request.artifact is not None:
                compiled = self._adopt(request.case, request.artifact.read_bytes(), spans)
            arrays = tensors.read_inputs(request.dir, request.inputs)
            for each in request.outputs:
                tensors.dtype_of(each.dtype)
            inputs = []
            for i, array in enumerate(arrays):
                with spans.span("transfer_in", i, array.nbytes):
                    inputs.append(jax.device_put(array, self._device).block_until_ready())

        def run() -> list[Any]:
            results = compiled.executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
            outputs = [shards[0] for shards in results]
            for output in outputs:
                output.block_until_ready()
            return outputs

        with stages.stage("execute"):
            try:
                runs, figures = timing.repeat(run, request.repeat, spans)
            except Exception as error:
                raise failure(error) from error
            arrays = []
            for i, output in enumerate(runs[0]):
                with spans.span("transfer_out", i, output.nbytes):
                    arrays.append(np.asarray(output))
            tensors.write_outputs(request.dir, [arrays, *runs[1:]], request.outputs)
        done = {"timing": figures, "artifact_bytes": len(compiled.artifact), **spans.fields()}
        return done if request.artifact is None else {**done, "loaded": True}

    def _adopt(self, case: str, artifact: bytes, spans: Spans) -> Compiled:
        """Loads an executable that another worker compiled, once for all its inputs."""
        known = self._compiled
        if known is None or known.case != case or known.artifact != artifact:
            try:
                with spans.span("load", 0, len(artifact)):
                    executable = self._client.deserialize_executable(
                        artifact, self._devices, xla_client.CompileOptions()
                    )
            except Exception as error:
                raise failure(error) from error
            self._compiled = known = Compiled(case, executable, artifact)
        return known


if __name__ == "__main__":
    sys.exit(serve(Xla()))
