# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Exports programs of any kind as StableHLO files.

file = export(lambda x: jnp.tanh(x) * 2, (x,), Path("out/models"), "tanh")   # out/models/tanh.mlirbc
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from ._programs import NO_INPUT, Error

#: A JAX function, a torch.nn.Module, StableHLO as text or as bytes, or a file of it.
Program: TypeAlias = "Callable[..., Any] | str | bytes | os.PathLike[str]"


def name_of(program: Program) -> str:
    """Returns a name for the model: that of the file, function or class, as letters, digits and `_`."""
    if _is_text(program) or isinstance(program, bytes):
        return "program"
    if isinstance(program, str | os.PathLike):
        name = Path(program).stem
    else:
        inner = program
        while hasattr(inner, "func"):  # functools.partial
            inner = inner.func
        name = getattr(inner, "__name__", None) or type(inner).__name__
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "program"


def export(
    program: Program, args: tuple[Any, ...], folder: Path, name: str, kwargs: dict[str, Any] | None = None
) -> Path:
    """Returns the program as a file that opbyop reads: itself if it is one, else `folder`/`name`.mlir or .mlirbc.

    `args` and `kwargs` are examples of the arguments of a function or module; only their shapes and types matter.
    Raises Error, with what is missing, if a program of this kind cannot be exported here."""
    kwargs = kwargs or {}
    if isinstance(program, str | bytes | os.PathLike) and (args or kwargs):
        raise TypeError("arguments go with a function or a module; a StableHLO program has the types of its own in it")
    if isinstance(program, str | os.PathLike) and not _is_text(program):
        path = Path(program)
        if not path.is_file():
            raise Error(f"{path}: no such file, and no StableHLO text, which has a `module` or a `func`", NO_INPUT)
        return path
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(program, str):
        file = folder / f"{name}.mlir"
        file.write_text(program, encoding="utf-8")
        return file
    file = folder / f"{name}.mlirbc"
    if isinstance(program, bytes):
        data = program
    elif _is_torch_module(program):
        data = _from_torch(program, args, kwargs)
    elif callable(program):
        data = _from_jax(program, args, kwargs)
    else:
        raise TypeError(f"{type(program).__name__} is no JAX function, torch.nn.Module, StableHLO text or file")
    file.write_bytes(data)
    return file


def _is_text(program: object) -> bool:
    return isinstance(program, str) and ("\n" in program or re.search(r"\bfunc\b.*@|\bmodule\b", program) is not None)


def _is_torch_module(program: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(program, torch.nn.Module)


def _from_jax(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    try:
        import jax
        from jax import export as jax_export
    except ImportError as error:
        raise Error(
            f"exporting a function needs the Python package jax\n{_why(error)}\ninstall: pip install jax", NO_INPUT
        ) from None
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    return bytes(jax_export.export(jitted)(*args, **kwargs).mlir_module_serialized)


def _from_torch(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    lower = _torch_lowering()
    import torch

    training = module.training
    try:
        with torch.no_grad():
            exported = torch.export.export(module.eval(), args, kwargs)
    finally:
        module.train(training)
    return lower(exported)


def _torch_lowering() -> Callable[[Any], bytes]:
    """Returns a function that makes StableHLO from a torch.export.ExportedProgram: by torch_xla, which knows the
    source location of each op, or else by torchax."""
    os.environ.setdefault("PJRT_DEVICE", "CPU")
    try:
        from torch_xla import stablehlo
    except Exception as error:  # with another version of torch: a missing symbol or attribute, not an ImportError
        no_xla = _why(error)
    else:
        options = stablehlo.StableHLOExportOptions(include_human_readable_text=False, export_node_metadata=True)
        return lambda exported: bytes(
            stablehlo.exported_program_to_stablehlo(exported, options).get_stablehlo_bytecode("forward")
        )
    try:
        from torchax.export import exported_program_to_stablehlo
    except Exception as error:
        raise Error(
            f"exporting a torch.nn.Module needs torch_xla or torchax\n{no_xla}; {_why(error)}\n"
            "install: pip install torch==2.9.0 torch_xla==2.9.0, or torch==2.9.0 torchax==0.0.13 jax",
            NO_INPUT,
        ) from None
    return lambda exported: bytes(exported_program_to_stablehlo(exported)[1].mlir_module_serialized)


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
