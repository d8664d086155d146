# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The independent evaluators: jaxlib's eval_module, XLA's CPU compiler, and the latter in f64.

Both can abort their process, so each runs in a child process that is replaced if it dies or hangs. An answer is a list
of arrays, or a sentence that says why there is none.
"""

import multiprocessing
import os
import re
from collections.abc import Sequence
from multiprocessing.connection import Connection

import numpy as np

from validation.oracle.differential_draw import (
    NUMPY,
    WIDTH,
    Instance,
    hex_attribute,
    tensor,
)
from validation.oracle.differential_widened import narrowed, widened

Answer = list[np.ndarray] | str

# Each of these would cost a process: the evaluator aborts.
DECLINED = {
    "eval_module": [
        "batch_norm_grad",
        "batch_norm_inference",
        "batch_norm_training",
        "broadcast",
        "cholesky",
        "dot",
        "einsum",
        "real_dynamic_slice",
        "rng_bit_generator",
        "torch_index_select",
    ],
    "xla": ["dynamic_conv"],
}


def declines(oracle: str, instance: Instance) -> bool:
    """Whether the evaluator is known not to have the op, or not for these types."""
    if oracle == "xla_f64":
        wide = widened(instance)
        return wide is None or declines("xla", wide)
    if instance.op in DECLINED[oracle]:
        return True
    if oracle == "eval_module":
        return instance.op.startswith("chlo.")
    no_dimensions = instance.op == "select_and_scatter" and not instance.results[0][1]
    return no_dimensions or "xf6E" in instance.text or "<f6E" in instance.text


class Oracle:
    """One child; `run` never raises because of a program."""

    def __init__(self, name: str, timeout: float = 600):
        self.name = name
        self._timeout = timeout
        self._process: multiprocessing.Process | None = None

    def run(self, instances: Sequence[Instance]) -> list[Answer]:
        """Answers in order. If a group kills the child, each member is run alone."""
        known = [i for i in instances if not declines(self.name, i)]
        if len(known) < len(instances):
            answers = iter(self.run(known))
            return ["does not have it" if declines(self.name, i) else next(answers) for i in instances]
        if not instances:
            return []
        answers = self._ask(instances)
        if answers is not None:
            return answers
        if len(instances) == 1:
            return ["aborts the process or hangs"]
        return [self.run([instance])[0] for instance in instances]

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        for _ in range(3):  # a loaded machine may need more than one attempt
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(self.name, theirs), daemon=True)
            self._process.start()
            theirs.close()
            try:
                if self._connection.poll(300) and self._connection.recv() == "ready":
                    return
            except (EOFError, OSError):
                pass
            self.close()
        raise RuntimeError(f"the oracle {self.name} does not start")

    def _ask(self, instances: Sequence[Instance]) -> list[Answer] | None:
        if self._process is None:
            self._start()
        try:
            self._connection.send(list(instances))
            if self._connection.poll(self._timeout):
                return self._connection.recv()
        except (EOFError, OSError):
            pass
        self.close()
        return None


def _serve(name: str, connection: Connection) -> None:
    # The evaluators write pages of stack traces when they abort.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    evaluate = {"eval_module": _eval_module, "xla": _xla, "xla_f64": _xla_f64}[name]()
    connection.send("ready")
    while True:
        try:
            instances = connection.recv()
        except EOFError:
            return
        connection.send(evaluate(instances))


def rename(text: str, entry: str) -> str:
    """The functions of an instance with another prefix than `main`."""
    return re.sub(r"@main\b|@main(?=_)", f"@{entry}", text)


# --- eval_module


def _eval_module():
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    from fixtures.bindings import make_context

    context = make_context()

    def one(instance: Instance) -> Answer:
        with context:
            try:
                module = ir.Module.parse(_readable(instance))
                arguments = [ir.Attribute.parse(hex_attribute(data, dtype)) for data, dtype in _arguments(instance)]
                attributes = stablehlo.eval_module(module, arguments)
            except (ir.MLIRError, TypeError, ValueError, RuntimeError) as error:
                return _reason(error)
        values = iter(np.array(a) for a in attributes)
        out = []
        for dtype, shape in instance.results:
            first = next(values).reshape(shape)
            if dtype.startswith("complex"):
                whole = np.empty(shape, NUMPY[dtype])
                whole.real, whole.imag = first, next(values).reshape(shape)
                first = whole
            out.append(first.astype(NUMPY[dtype]))
        return out

    return lambda instances: [one(i) for i in instances]


def kind_of(type_: str) -> str:
    """The dtype in a tensor type's text."""
    return re.sub(r"^(\d+x)*", "", type_.removeprefix("tensor<").removesuffix(">"))


def _arguments(instance: Instance) -> list[tuple[np.ndarray, str]]:
    """Inputs as eval_module takes them: complex ones as two, since jaxlib has no attribute for them."""
    out = []
    for data, type_ in zip(instance.inputs, instance.input_types, strict=True):
        dtype = kind_of(type_)
        if dtype.startswith("complex"):
            part = dtype.removeprefix("complex<").removesuffix(">")
            out += [(np.ascontiguousarray(v), part) for v in (data.real, data.imag)]
        else:
            out.append((data, dtype))
    return out


def _readable(instance: Instance) -> str:
    """The instance with an entry that takes and returns only what jaxlib has attributes and buffers for."""
    parameters, lines, operands = [], [], []
    for i, type_ in enumerate(instance.input_types):
        if "complex" not in type_:
            parameters.append(f"%a{i}: {type_}")
            operands.append(f"%a{i}")
            continue
        part = type_.replace("complex<", "").removesuffix(">")
        parameters += [f"%re{i}: {part}", f"%im{i}: {part}"]
        lines.append(f"%z{i} = stablehlo.complex %re{i}, %im{i} : {type_}")
        operands.append(f"%z{i}")
    types = [tensor(*r) for r in instance.results]
    lines.append(
        f"%r:{len(types)} = func.call @inner({', '.join(operands)})"
        f" : ({', '.join(instance.input_types)}) -> ({', '.join(types)})"
    )
    names, made = [], []

    def convert(i: int, op: str, dtype: str, shape: tuple[int, ...]) -> None:
        name = f"%o{len(names)}"
        lines.append(f"{name} = stablehlo.{op} %r#{i} : ({types[i]}) -> {tensor(dtype, shape)}")
        names.append(name)
        made.append(tensor(dtype, shape))

    for i, (dtype, shape) in enumerate(instance.results):
        if dtype.startswith("complex"):
            part = dtype.removeprefix("complex<").removesuffix(">")
            convert(i, "real", part, shape)
            convert(i, "imag", part, shape)
        elif dtype[0] in "fb" and dtype not in ("f32", "f64"):
            convert(i, "convert", "f32", shape)
        elif dtype != "i1" and WIDTH[dtype] < 8:
            convert(i, "convert", "i8" if dtype[0] == "i" else "ui8", shape)
        else:
            names.append(f"%r#{i}")
            made.append(types[i])
    body = "\n".join(f"  {line}" for line in lines)
    return (
        rename(instance.text, "inner")
        + f"func.func @main({', '.join(parameters)}) -> ({', '.join(made)}) {{\n{body}\n"
        + f"  return {', '.join(names)} : {', '.join(made)}\n}}\n"
    )


# --- XLA CPU


def _xla():
    # Single ops are compiled without fusion and optimisation: the meaning of each op is compared, and compiling takes a
    # fifth of the time. Several ops are compiled with XLA's defaults, because the way in which it combines them
    # matters.
    import jaxlib

    # Since 0.12 XLA always uses its fusion emitters, and a process with a flag that it does not know ends.
    has_emitters_flag = tuple(map(int, jaxlib.__version__.split(".")[:2])) < (0, 12)
    flags = ["--xla_cpu_use_fusion_emitters=false"] if has_emitters_flag else []
    os.environ["XLA_FLAGS"] = " ".join([*flags, "--xla_cpu_parallel_codegen_split_count=1"])
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    jax.config.update("jax_enable_x64", True)
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    plain, optimized = xla_client.CompileOptions(), xla_client.CompileOptions()
    debug = plain.executable_build_options.debug_options
    debug.xla_backend_optimization_level = 0
    debug.xla_llvm_disable_expensive_passes = True
    if has_emitters_flag:
        optimized.env_option_overrides = [("xla_cpu_use_fusion_emitters", True)]

    def together(instances: Sequence[Instance]) -> list[Answer]:
        with mlir.make_ir_context():
            module = ir.Module.parse(_grouped(instances))
            options = optimized if instances[0].op == "several" else plain
            executable = backend.compile_and_load(module, devices, options)
        inputs = [jax.device_put(data) for i in instances for data in i.inputs]
        arrays = executable.execute_sharded(inputs).disassemble_into_single_device_arrays()
        values = iter(np.asarray(a[0]) for a in arrays)
        return [[next(values).astype(NUMPY[dtype]).reshape(shape) for dtype, shape in i.results] for i in instances]

    def split(instances: Sequence[Instance]) -> list[Answer]:
        if not instances:
            return []
        try:
            return together(instances)
        except Exception as error:
            if len(instances) == 1:
                return [_reason(error)]
        half = len(instances) // 2
        return split(instances[:half]) + split(instances[half:])

    def evaluate(instances: Sequence[Instance]) -> list[Answer]:
        single = iter(split([i for i in instances if i.op != "several"]))
        return [split([i])[0] if i.op == "several" else next(single) for i in instances]

    return evaluate


def _xla_f64():
    evaluate = _xla()

    def answers(instances: Sequence[Instance]) -> list[Answer]:
        wide = evaluate([widened(i) for i in instances])
        return [a if isinstance(a, str) else narrowed(i, a) for i, a in zip(instances, wide, strict=True)]

    return answers


def _grouped(instances: Sequence[Instance]) -> str:
    """All instances as functions of one module, called by its @main."""
    functions, calls, parameters, names, types = [], [], [], [], []
    for i, instance in enumerate(instances):
        text = rename(instance.text, f"f{i}")
        functions.append(text.replace(f"func.func @f{i}(", f"func.func private @f{i}("))
        arguments = [f"%a{i}_{j}" for j in range(len(instance.input_types))]
        parameters += [f"{n}: {t}" for n, t in zip(arguments, instance.input_types, strict=True)]
        made = [tensor(*r) for r in instance.results]
        calls.append(
            f"%r{i}:{len(made)} = func.call @f{i}({', '.join(arguments)})"
            f" : ({', '.join(instance.input_types)}) -> ({', '.join(made)})"
        )
        names += [f"%r{i}#{j}" for j in range(len(made))]
        types += made
    body = "\n".join(f"  {call}" for call in calls)
    return (
        "\n".join(functions)
        + f"\nfunc.func @main({', '.join(parameters)}) -> ({', '.join(types)}) {{\n{body}\n"
        + f"  return {', '.join(names)} : {', '.join(types)}\n}}\n"
    )


def _reason(error: Exception) -> str:
    found = getattr(error, "error_diagnostics", None)
    text = found[0].message if found else str(error)
    return text.strip().splitlines()[0][:160] if text.strip() else type(error).__name__
