# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves IREE as a target, with compiler and runtime in one warm process.

    worker.py [--device=local-sync] COMPILER-FLAG...

Stages: `parse`, the compiler's phases by their own names, `flatbuffer`, `load`,
`execute`. Every argument except --device is a flag of `iree-compile`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from compiler import PHASES, CompileError, Invocation, Library, find_library
from merge import merge_modules

from opbyop_worker import Request, StageError, Stages, TargetWorker, serve, tensors, timing
from opbyop_worker.protocol import Fields, first_line, unsupported, will_be_asked
from opbyop_worker.spans import Spans

# A worker that only compiles, or only executes, needs just one half of IREE.
if will_be_asked("execute"):
    from runtime import DeviceAbsent, Module, Runtime

# The runtime's own word for features that it does not have, e.g. collectives on one device, and the compiler's text for
# a custom call without a handler.
UNSUPPORTED_TEXTS = ("UNIMPLEMENTED", "failed to legalize operation 'stablehlo.custom_call'")


# The exit code of a worker whose packages or device are not installed (docs/worker-protocol.md).
NOT_INSTALLED = 3


def failure(error: Exception) -> StageError:
    text = str(error).strip() or type(error).__name__
    return StageError(text, "unsupported" if any(words in first_line(text) for words in UNSUPPORTED_TEXTS) else "fail")


@dataclasses.dataclass
class Compiled:
    functions: dict[str, str]  # function name of each case
    flatbuffer: bytes
    module: Module | None = None


class Iree(TargetWorker):
    name = "iree"

    def __init__(self, device: str, flags: list[str]):
        self.version = ""
        self._runtime: Runtime | None = None
        if will_be_asked("compile"):
            self._library = Library(find_library())
            self.version = f"iree-base-compiler {version('iree-base-compiler')} ({self._library.revision()}), "
        if will_be_asked("execute"):
            self.version += f"iree-base-runtime {version('iree-base-runtime')} "
            self._runtime = self._open(device)
        named = f" ({self._runtime.device_name})" if self._runtime and self._runtime.device_name else ""
        self.version += f"on {device}{named}" + "".join(f" {flag}" for flag in flags)
        if self._runtime:
            self.cores = self._runtime.cores
        self._flags = flags
        self._compiled: Compiled | None = None
        self._kept: dict[str, Compiled] = {}

    def _open(self, device: str) -> Runtime | None:
        try:
            return Runtime(device)
        except DeviceAbsent as absent:
            if not will_be_asked("compile"):
                print(absent, file=sys.stderr, flush=True)
                sys.exit(NOT_INSTALLED)
            self.compile_only = str(absent)
            return None

    def compile(self, request: Request, stages: Stages) -> Fields:
        self._compiled = None
        folder = request.dir if request.save_intermediates else None
        if request.until:
            self._library.print_generic()
        flatbuffer = self._compile(request.file.read_bytes(), stages, folder, request.until)
        if request.until:
            return {"artifact_bytes": 0}
        self._compiled = Compiled({request.case: "main"}, flatbuffer)
        done = {"artifact_bytes": len(flatbuffer), **request.save(flatbuffer)}
        if request.keep:
            self._kept[request.case] = self._compiled
            done["kept"] = True
        return done

    def compile_batch(self, request: Request, stages: Stages) -> Fields:
        """Compiles all members as functions of one module."""
        self._compiled = None
        source, functions = merge_modules({each.case: each.file.read_text() for each in request.members})
        flatbuffer = self._compile(source.encode(), stages, None)
        self._compiled = Compiled(functions, flatbuffer)
        return {"artifact_bytes": len(flatbuffer)}

    def _compile(self, source: bytes, stages: Stages, folder: Path | None, until: str = "") -> bytes:
        with self._library.invocation(self._flags, source) as invocation:
            self._step(invocation, stages, "parse", invocation.parse)
            for k, phase in enumerate(PHASES, 1):
                self._step(invocation, stages, phase, lambda phase=phase: invocation.run(phase))
                if folder:
                    (folder / f"{k}_{phase}.mlir").write_bytes(invocation.ir())
                if phase == until:
                    return b""
            flatbuffer = self._step(invocation, stages, "flatbuffer", invocation.vm_bytecode)
            if folder:
                (folder / f"{len(PHASES) + 1}_flatbuffer.bin").write_bytes(flatbuffer)
            return flatbuffer

    @staticmethod
    def _step(invocation: Invocation, stages: Stages, name: str, body):
        with stages.stage(name):
            try:
                return body()
            except CompileError as error:
                raise failure(error) from error

    def execute(self, request: Request, stages: Stages) -> Fields:
        if request.artifact is None:
            compiled = self._kept.get(request.case, self._compiled)
            if compiled is None or request.case not in compiled.functions:
                raise StageError(f"execute of '{request.case}' without its artifact")
        spans = Spans(request.spans)
        with stages.stage("load"):
            if self._runtime is None:
                raise unsupported(self.compile_only)
            try:
                if request.artifact is not None:
                    compiled = self._adopt(request.case, request.artifact.read_bytes())
                function = compiled.functions[request.case]
                # The first execution of a batch, or of a kept case, loads the module for all.
                if compiled.module is None:
                    with spans.span("load", 0, len(compiled.flatbuffer)):
                        compiled.module = self._runtime.load(compiled.flatbuffer)
                module = compiled.module
                arrays = tensors.read_inputs(request.dir, request.inputs)
                arguments = []
                for i, (array, type_) in enumerate(zip(arrays, request.inputs)):
                    with spans.span("transfer_in", i, array.nbytes):
                        arguments.append(self._runtime.upload(array, type_))
            except (RuntimeError, ValueError) as error:
                raise failure(error) from error
        with stages.stage("execute"):
            try:
                runs, figures = timing.repeat(
                    lambda: module.call(function, arguments, len(request.outputs)),
                    request.repeat,
                    spans,
                )
                outputs = []
                for i, (view, type_) in enumerate(zip(runs[0], request.outputs)):
                    start = time.monotonic_ns()
                    outputs.append(self._runtime.download(view, type_))
                    spans.add("transfer_out", i, start, time.monotonic_ns(), outputs[-1].nbytes)
                last = [
                    [self._runtime.download(view, type_) for view, type_ in zip(views, request.outputs)]
                    for views in runs[1:]
                ]
                # A value of StableHLO never changes, and the buffers belong to the caller: the next run would get
                # another argument.
                overwritten = [i for i, each in enumerate(arguments) if not self._runtime.holds(each, arrays[i])]
            except (RuntimeError, ValueError) as error:
                raise failure(error) from error
            if overwritten:
                which = ", ".join(map(str, overwritten))
                raise StageError(
                    f"the program wrote into the caller's buffer of argument {which}: runs after the first differ"
                )
            tensors.write_outputs(request.dir, [outputs, *last], request.outputs)
        done = {"timing": figures, "artifact_bytes": len(compiled.flatbuffer), **spans.fields()}
        return done if request.artifact is None else {**done, "loaded": True}

    def _adopt(self, case: str, flatbuffer: bytes) -> Compiled:
        """Loads a module that another worker compiled, once for all its inputs."""
        known = self._compiled
        if known is None or known.flatbuffer != flatbuffer or known.functions != {case: "main"}:
            self._compiled = known = Compiled({case: "main"}, flatbuffer)
        return known


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--device", default="local-sync")
    arguments, flags = parser.parse_known_args()
    return serve(Iree(arguments.device, flags))


if __name__ == "__main__":
    sys.exit(main())
