# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves XLA as a target through jaxlib's client, on a GPU if there is one, else on the CPU.

Stages: `parse` by jaxlib's MLIR, `compile` by XLA, `load` of the inputs onto the
device (XLA's executables are loaded when they are compiled), `execute`.

A program between several processes runs on as many devices of one client. On the CPU
there are eight. XLA partitions sharded cases with GSPMD, or with Shardy if the
target's file says `partitioner: shardy`.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # one worker per core, and all share the device

import jax
import jaxlib
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax.extend.backend import clear_backends
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib.mlir import ir

from opbyop_worker import Grid, Request, StageError, Stages, TargetWorker, serve, sharding, tensors, timing
from opbyop_worker.protocol import PROFILE_FILE, PROGRAM_FILE, Fields, first_line, unsupported
from opbyop_worker.spans import Spans

NO_MANUAL_COMPUTATION = (
    "GSPMD has no manual computation; `partitioner: shardy` in the target's file runs it (xla-shardy)"
)

# Whether this jaxlib can serialize an executable with a result that does not divide evenly.
SERIALIZES_UNEVEN = tuple(map(int, jaxlib.__version__.split(".")[:2])) >= (0, 12)

# The partitioner of sharded cases if the target's file names none.
PARTITIONER = "gspmd"

# The devices of a client on the CPU.
CPU_DEVICES = 8

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


MANUAL = "{manual}"


def mark_manual(module: Any) -> None:
    """Marks arguments, results and ops with the sharding `manual`: each device has tensors of its own, and XLA must not
    partition them. Functions that collectives combine elements with are not marked."""
    manual = ir.StringAttr.get(MANUAL)

    def mark(region: Any) -> None:
        for op in (each.operation for block in region for each in block):
            if op.name in ("func.func", "stablehlo.while", "stablehlo.if", "stablehlo.case"):
                for inner in op.regions:
                    mark(inner)
            elif len(op.results) and op.name != "func.call":
                op.attributes["mhlo.sharding"] = manual

    mark(module.operation.regions[0])
    type_ = ir.FunctionType(ir.TypeAttr(main_of(module).attributes["function_type"]).value)
    set_attributes(module, "mhlo.sharding", [manual] * len(type_.inputs), [manual] * len(type_.results))


def main_of(module: Any) -> Any:
    functions = [each for each in module.body.operations if each.operation.name == "func.func"]
    return next(each for each in functions if ir.StringAttr(each.attributes["sym_name"]).value == "main")


def set_attributes(module: Any, key: str, inputs: list[Any], outputs: list[Any]) -> None:
    for name, values in (("arg_attrs", inputs), ("res_attrs", outputs)):
        main_of(module).attributes[name] = ir.ArrayAttr.get([ir.DictAttr.get({key: value}) for value in values])


def state_shardings(module: Any, request: Request) -> None:
    """Gives each argument and result of @main its sharding, in the form of the partitioner: XLA ignores them where a
    result has none, and partitions with GSPMD where there is one of its form."""
    inputs, outputs = request.shardings["inputs"], request.shardings["outputs"]
    if request.partitioner == "shardy":
        ranks = [len(each.shape) for each in request.inputs + request.outputs]
        texts = sharding.to_sdy(inputs + outputs, ranks, request.grid.partitions)
        attributes = [ir.Attribute.parse(text) for text in texts]
        set_attributes(module, "sdy.sharding", attributes[: len(inputs)], attributes[len(inputs) :])
    else:
        texts = [ir.StringAttr.get(text) for text in inputs + outputs]
        set_attributes(module, "mhlo.sharding", texts[: len(inputs)], texts[len(inputs) :])


def texts_of(shardings: Any) -> list[str]:
    return [str(xla_client.HloSharding.from_proto(each)) for each in shardings or []]


def divisions_of(texts: list[str], types: list[Any], devices: int) -> list[sharding.Division]:
    try:
        return [sharding.Division.of(text, each.shape, devices) for text, each in zip(texts, types, strict=True)]
    except ValueError as error:
        raise StageError(str(error)) from error


def argument_divisions(executable: Any, request: Request, devices: int) -> list[sharding.Division]:
    """How the executable divides its arguments. A compiler may choose another way than the program asks for."""
    texts = texts_of(executable.get_parameter_shardings())
    if len(texts) != len(request.inputs):
        asked = len(request.inputs)
        raise unsupported(f"XLA's executable has {len(texts)} shardings of arguments, the case has {asked}")
    return divisions_of(texts, request.inputs, devices)


def check_shardings(executable: Any, request: Request) -> Fields:
    """An execution counts only if the executable divides results as the case does: XLA takes a text that it does not
    understand for no sharding. An argument is sent as the executable divides it, and the record says so."""
    if not request.shardings:
        return {}
    divisions_of(request.shardings["inputs"], request.inputs, request.grid.partitions)  # raises if they do not fit
    argument_divisions(executable, request, request.grid.partitions)
    asked, made = request.shardings["outputs"], texts_of(executable.get_output_shardings())
    if len(asked) != len(made):
        raise unsupported(f"XLA's executable has {len(made)} shardings of results, the case has {len(asked)}")
    for number, (text, own) in enumerate(zip(asked, made, strict=True)):
        if text != own:
            raise StageError(f"XLA gives result {number} the sharding {own}, the program has {text}")
    arguments = zip(request.shardings["inputs"], texts_of(executable.get_parameter_shardings()), strict=True)
    changed = [f", argument {i} by {own}" for i, (text, own) in enumerate(arguments) if text != own]
    return {"partitioning": f"by {request.partitioner or PARTITIONER}{''.join(changed)}"}


def result_divisions(request: Request) -> list[sharding.Division]:
    if not request.shardings:
        return []
    return divisions_of(request.shardings["outputs"], request.outputs, request.grid.partitions)


def can_serialize(request: Request) -> bool:
    """jaxlib 0.10 dies when it serializes an executable with a result that does not divide evenly, 0.12 does not."""
    if SERIALIZES_UNEVEN:
        return True
    return all(division.is_even for division in result_divisions(request))


def size_of(artifact: bytes) -> Fields:
    return {"artifact_bytes": len(artifact)} if artifact else {}


def compile_options(request: Request, ids: list[int]) -> Any:
    grid = request.grid
    options = xla_client.CompileOptions()
    if grid == Grid():
        return options
    options.num_replicas, options.num_partitions = grid.replicas, grid.partitions
    assignment = np.array(ids).reshape(grid.replicas, grid.partitions)
    options.device_assignment = xla_client.DeviceAssignment.create(assignment)
    options.executable_build_options.use_spmd_partitioning = grid.partitions > 1
    options.executable_build_options.use_shardy_partitioner = (
        bool(request.shardings) and request.partitioner == "shardy"
    )
    return options


def initialize_lapack() -> None:
    """Loads LAPACK for the custom calls of linear algebra, which crash without it. JAX does so when it creates one."""
    try:
        from jaxlib.cpu import _lapack
    except ImportError:
        return
    _lapack.initialize()


def check_devices(executable: Any, devices: list[Any]) -> None:
    """An execution counts only if the executable is for the devices of the case's processes, in their order."""
    has = executable.local_devices()
    if has != devices:
        raise unsupported(f"XLA's executable is for the devices {has}, the case is for {devices}")


def join_processes(inputs: list[Any], devices: list[Any]) -> list[Any]:
    """One array for each argument, of the tensors of all devices. XLA takes them for copies of one tensor, and does not
    compare them."""
    if len(devices) == 1:
        return inputs
    sharding = NamedSharding(Mesh(np.array(devices), ("process",)), PartitionSpec())
    each = len(inputs) // len(devices)
    return [jax.make_array_from_single_device_arrays(inputs[i].shape, sharding, inputs[i::each]) for i in range(each)]


@dataclasses.dataclass
class Compiled:
    case: str
    executable: Any
    artifact: bytes


class Xla(TargetWorker):
    name = "xla"
    shardings = True
    profiles = True

    def __init__(self) -> None:
        jax.config.update("jax_enable_x64", True)
        if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
            jax.config.update("jax_num_cpu_devices", CPU_DEVICES)
        self._open_client()
        initialize_lapack()
        self._context = mlir.make_ir_context()
        self._compiled: Compiled | None = None
        self._kept: dict[str, Compiled] = {}
        self.devices = len(self._devices)
        if self._client.platform == "cpu":
            self.cores = len(os.sched_getaffinity(0))
        self.version = f"jaxlib {jaxlib.__version__} {self._client.platform}"

    def _open_client(self) -> None:
        self._client = xla_bridge.get_backend()
        self._devices = self._client.local_devices()

    def _renew_client(self) -> None:
        """After a failed execution on several devices all later ones may hang: the devices wait for each other."""
        self._compiled = None
        self._kept.clear()
        clear_backends()
        self._open_client()

    def _for(self, request: Request) -> tuple[list[Any], Any, Any]:
        """The devices of the processes, as XLA's list, and the options to compile for them."""
        grid = request.grid
        if grid.processes > len(self._devices):
            raise unsupported(f"needs {grid.processes} devices, has {len(self._devices)}")
        devices = self._devices[: grid.processes]
        options = compile_options(request, [each.id for each in devices])
        return devices, xla_client.DeviceList(tuple(devices)), options

    def compile(self, request: Request, stages: Stages) -> Fields:
        self._compiled = None
        text = request.file.read_text()
        with stages.stage("parse"):
            module = self._parse(text, request)
        with stages.stage("compile"):
            if callback := PYTHON_CALLBACK.search(text):
                raise unsupported(f"the custom call {callback[1]} has no handler but in the Python that exported it")
            devices, device_list, options = self._for(request)
            serializes = can_serialize(request)
            if request.artifact is not None and not serializes:
                raise unsupported("this jaxlib dies when it saves an executable with an uneven result")
            try:
                executable = self._client.compile_and_load(module, device_list, options)
                artifact = executable.serialize() if serializes else b""
            except Exception as error:
                raise failure(error) from error
            check_devices(executable, devices)
            how = check_shardings(executable, request)
        if request.save_intermediates:
            self._save(request, executable, artifact)
        self._compiled = Compiled(request.case, executable, artifact)
        done = {**size_of(artifact), **request.save(artifact), **how}
        if request.keep:
            self._kept[request.case] = self._compiled
            done["kept"] = True
        return done

    def _parse(self, text: str, request: Request) -> Any:
        # jaxlib registers the quant dialect only in XLA's own parser, so such a module is passed to it as text.
        if "!quant." in text:
            if request.grid.partitions > 1:
                raise unsupported(
                    "a module of quantized types is passed as text, without the marks that partitions need"
                )
            return text.encode()
        try:
            with self._context, ir.Location.unknown():
                module = ir.Module.parse(text)
                if request.shardings:
                    if request.partitioner != "shardy" and "sdy.manual_computation" in text:
                        raise unsupported(NO_MANUAL_COMPUTATION)
                    state_shardings(module, request)
                elif request.grid.partitions > 1:
                    mark_manual(module)
                return module
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
                compiled = self._adopt(request, spans)
            devices = self._for(request)[0]
            check_devices(compiled.executable, devices)
            arrays = self._read_inputs(request, compiled.executable, len(devices))
            for each in request.outputs:
                tensors.dtype_of(each.dtype)
            inputs = []
            for i, array in enumerate(arrays):
                device = devices[i // len(request.inputs)]
                with spans.span("transfer_in", i, array.nbytes):
                    inputs.append(jax.device_put(array, device).block_until_ready())
            arguments = join_processes(inputs, devices)

        def run() -> list[Any]:
            results = compiled.executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
            outputs = [shards[process] for process in range(len(devices)) for shards in results]
            for output in outputs:
                output.block_until_ready()
            return outputs

        with stages.stage("execute"):
            try:
                runs, figures = timing.repeat(run, request.repeat, spans)
            except Exception as error:
                if len(devices) > 1:
                    del inputs, arguments, compiled
                    self._renew_client()
                raise failure(error) from error
            arrays = []
            for i, output in enumerate(runs[0]):
                with spans.span("transfer_out", i, output.nbytes):
                    arrays.append(np.asarray(output))
            self._write_outputs(request, [arrays, *runs[1:]], len(devices))
            profile = self._profile(request, compiled.executable, run) if request.profile else {}
        done = {"timing": figures, **size_of(compiled.artifact), **spans.fields(), **profile}
        return done if request.artifact is None else {**done, "loaded": True}

    @staticmethod
    def _profile(request: Request, executable: Any, run: Callable[[], list[Any]]) -> Fields:
        """Leaves what XLA's profiler records of one more execution, without the calls of Python."""
        try:
            from jaxlib import _profiler

            options = _profiler.ProfileOptions()
            options.python_tracer_level = 0
            session = _profiler.ProfilerSession(options)
            run()
            (request.dir / PROFILE_FILE).write_bytes(session.stop())
            (request.dir / PROGRAM_FILE).write_text(executable.get_hlo_text())
        except Exception as error:
            return {"why_no_profile": first_line(str(error)) or type(error).__name__}
        return {}

    @staticmethod
    def _read_inputs(request: Request, executable: Any, devices: int) -> list[Any]:
        """The arguments of all processes, in their order."""
        if not request.shardings:
            return tensors.read_inputs(request.dir, request.inputs * devices)
        wholes = tensors.read_inputs(request.dir, request.inputs)
        divisions = argument_divisions(executable, request, devices)
        return [
            division.take(whole, device)
            for device in range(devices)
            for whole, division in zip(wholes, divisions, strict=True)
        ]

    @staticmethod
    def _write_outputs(request: Request, runs: list[list[Any]], devices: int) -> None:
        if not request.shardings:
            return tensors.write_outputs(request.dir, runs, request.outputs * devices)
        joined: list[list[Any]] = [[] for _ in runs]
        for number, division in enumerate(result_divisions(request)):
            for run, arrays in zip(joined, runs, strict=True):
                own = [np.asarray(each) for each in arrays[number :: len(request.outputs)]]
                try:
                    run.append(division.join(own))
                except StageError as error:
                    raise StageError(f"output {number}: {error.diagnostic}") from error
        return tensors.write_outputs(request.dir, joined, request.outputs)

    def _adopt(self, request: Request, spans: Spans) -> Compiled:
        """Loads an executable that another worker compiled, once for all its inputs."""
        case, artifact = request.case, request.artifact.read_bytes()
        _, device_list, options = self._for(request)
        known = self._compiled
        if known is None or known.case != case or known.artifact != artifact:
            try:
                with spans.span("load", 0, len(artifact)):
                    executable = self._client.deserialize_executable(artifact, device_list, options)
            except Exception as error:
                raise failure(error) from error
            self._compiled = known = Compiled(case, executable, artifact)
        return known


if __name__ == "__main__":
    sys.exit(serve(Xla()))
