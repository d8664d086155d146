# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Gives each value of a program the sharding that Shardy propagates to it, as the worker of device/xla/shardy.yaml.

Shardy changes what a program states where a dimension does not divide evenly, and copies constants and iotas for each
of their uses. A value that it leaves without a sharding is whole on each device, which the result states too.
"""

from __future__ import annotations

import sys
from typing import Any

import jaxlib
from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager
from program_ops import ops_of, replace

from opbyop_worker import Request, StageError, Stages, TargetWorker, serve
from opbyop_worker.protocol import Fields, unsupported

STAGE = "propagation"
SHARDING = "sdy.sharding"


def whole(type_: ir.Type, mesh: str) -> str | None:
    """The sharding of a tensor that every device has all of, without its prefix; of other values None."""
    if not isinstance(type_, ir.RankedTensorType):
        return None
    return f"<@{mesh}, [{', '.join(['{}'] * type_.rank)}]>"


def entries(attributes: Any) -> dict[str, Any]:
    """The attributes of an op or a dictionary, which jaxlib gives by their names or in pairs with these."""
    names = [each if isinstance(each, str) else each.name for each in attributes]
    return {name: attributes[name] for name in names}


def restore(module: ir.Module) -> None:
    """Shardy has constants of its own, and a constraint that it has met is a reshard."""
    names = {"sdy.constant": "stablehlo.constant", "sdy.reshard": "sdy.sharding_constraint"}
    for op in ops_of(module.operation):
        if name := names.get(op.name):
            replace(op, name, list(op.operands), entries(op.attributes))


def state_of_function(function: Any, mesh: str) -> None:
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    for key, types in (("arg_attrs", type_.inputs), ("res_attrs", type_.results)):
        given: list[dict[str, Any]] = [{} for _ in types]
        if key in function.attributes:
            given = [entries(each) for each in function.attributes[key]]
        for attributes, each in zip(given, types, strict=True):
            if SHARDING not in attributes and (text := whole(each, mesh)):
                attributes[SHARDING] = ir.Attribute.parse("#sdy.sharding" + text)
        function.attributes[key] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in given])


def state(op: Any, mesh: str) -> None:
    """States the sharding of each value inside of the op that has none. Shardy's own ops state those of their results
    themselves, and the body of a manual computation is the program of one device."""
    for inner in [each.operation for region in op.regions for block in region for each in block]:
        if inner.name.startswith("sdy."):
            continue
        if inner.name == "func.func":
            state_of_function(inner, mesh)
        texts = [whole(each.type, mesh) for each in inner.results]
        if texts and all(texts) and SHARDING not in inner.attributes:
            inner.attributes[SHARDING] = ir.Attribute.parse(f"#sdy.sharding_per_value<[{', '.join(map(str, texts))}]>")
        state(inner, mesh)


def propagate(module: ir.Module) -> None:
    """A program without a mesh stays as it is. Ends the stage as unsupported if it has shardings in GSPMD's form."""
    passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)").run(module.operation)
    meshes = [each.operation for each in module.body.operations if each.operation.name == "sdy.mesh"]
    restore(module)
    if not meshes:
        if "mhlo.sharding" in str(module):
            raise unsupported("its shardings are GSPMD's (`mhlo.sharding`), which Shardy's propagation does not read")
        return
    state(module.operation, ir.StringAttr(meshes[0].attributes["sym_name"]).value)
    module.operation.verify()


class Shardy(TargetWorker):
    name = "shardy"

    def __init__(self) -> None:
        self.version = f"jaxlib {jaxlib.__version__}"
        self._context = mlir.make_ir_context()

    def compile(self, request: Request, stages: Stages) -> Fields:
        with stages.stage(STAGE), self._context, ir.Location.unknown():
            try:
                module = ir.Module.parse(request.file.read_text())
                propagate(module)
            except ir.MLIRError as error:
                raise StageError(" ".join(str(error).split())) from error
            text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
        (request.dir / f"1_{STAGE}.mlir").write_text(text)
        return {}


if __name__ == "__main__":
    sys.exit(serve(Shardy()))
