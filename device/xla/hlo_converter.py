# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Converts HLO to StableHLO with jaxlib, as the worker of device/xla/hlo.yaml.

XLA writes some ops of StableHLO as other ops of HLO. Where that can be undone it is, so that an op of a dump is the
same case as that of the framework's export: see `restore`. Ops that StableHLO does not have are of CHLO or MHLO in the
result, which is in generic form.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import jaxlib
from jax._src.interpreters import mlir
from jaxlib import _hlo, xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from program_ops import ops_of, replace

from opbyop_worker import Request, StageError, Stages, TargetWorker, serve
from opbyop_worker.protocol import Fields

STAGE = "hlo-to-stablehlo"
# What XLA prints in the place of a large constant. It reads this again, as numbers of its own making.
ELIDED = re.compile(rb"constant\(\{\.\.\.\}\)")


def module_of(data: bytes) -> bytes:
    """The serialized HloModuleProto of a file: of HLO text, of a module, or of a HloProto, which has one in field 1."""
    if data.lstrip().startswith(b"HloModule"):
        if ELIDED.search(data):
            raise StageError(
                "constants are left out of the text, `constant({...})`: dump the program with "
                "--xla_dump_hlo_as_proto, or with --xla_dump_large_constants too"
            )
        serialized: bytes = _hlo.hlo_module_from_text(data.decode()).as_serialized_hlo_module_proto()
        return serialized
    end = next(at for at in range(1, len(data)) if data[at] < 0x80) + 1
    size = sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(data[1:end]))
    # A module's first field is its name, and the name of its entry computation comes next.
    is_module = data[end + size : end + size + 1] == b"\x12"
    return data if is_module else data[end : end + size]


def maker(value: Any, name: str) -> Any | None:
    """The op of this name that the value is the result of."""
    owner = value.owner  # a block if the value is an argument
    op = None if isinstance(owner, ir.Block) else owner.operation
    return op if op is not None and op.name == name else None


def op_name_of(op: Any) -> str:
    """The framework's name of the op, "jit(f)/broadcast_in_dim"; empty if HLO had none."""
    name = getattr(op.location, "name_str", "")  # of a NameLoc
    return name if "/" in name else ""


# Functions of CHLO, by the names that JAX gives them, of which XLA makes several ops when it writes HLO.
EXPANDED = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "digamma", "erf_inv", "erfc", "lgamma"),
    *("polygamma", "sinh", "tan", "zeta"),
)


def is_of_chlo(op: Any) -> bool:
    """Whether XLA has made the op of a function of CHLO."""
    return op_name_of(op).rpartition("/")[2] in EXPANDED


def restore_splat(op: Any, is_jax: bool) -> bool:
    """A constant whose elements are equal is a scalar constant and a broadcast in HLO. JAX itself writes it so."""
    if is_jax and not all(is_of_chlo(use.owner.operation) for use in op.results[0].uses):
        return False
    scalar = maker(op.operands[0], "stablehlo.constant")
    if scalar is None or ir.RankedTensorType(op.operands[0].type).rank != 0:
        return False
    value = ir.DenseElementsAttr(scalar.attributes["value"])
    splat = ir.DenseElementsAttr.get_splat(op.results[0].type, value.get_splat_value())
    replace(op, "stablehlo.constant", [], {"value": splat})
    return True


def restore_broadcast(op: Any) -> bool:
    """A broadcast along dimensions of size 1 is, in HLO, a broadcast to the operand's own shape, a reshape that removes
    these dimensions, and a broadcast."""
    reshape = maker(op.operands[0], "stablehlo.reshape")
    if reshape is None or len(list(op.operands[0].uses)) != 1:
        return False
    same = maker(reshape.operands[0], op.name)
    if same is None or same.operands[0].type != reshape.operands[0].type or len(list(reshape.operands[0].uses)) != 1:
        return False
    full, kept, result = (
        list(ir.RankedTensorType(value.type).shape) for value in (reshape.operands[0], op.operands[0], op.results[0])
    )
    if len(full) != len(result):
        return False
    left = [i for i, size in enumerate(full) if size == result[i]]
    dimensions = list(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"]))
    if (
        dimensions != left
        or kept != [full[i] for i in left]
        or any(full[i] != 1 for i in range(len(full)) if i not in left)
    ):
        return False
    along = ir.DenseI64ArrayAttr.get(list(range(len(full))))
    replace(op, op.name, [same.operands[0]], {"broadcast_dimensions": along})
    reshape.erase()
    same.erase()
    return True


def restore_unit_dimensions(op: Any) -> None:
    """A broadcast that only adds dimensions of size 1 is a reshape in HLO. JAX's names of ops tell which it was."""
    if not op_name_of(op).endswith("/broadcast_in_dim"):
        return
    operand, result = (list(ir.RankedTensorType(value.type).shape) for value in (op.operands[0], op.results[0]))
    dimensions: list[int] = []
    for d in reversed(range(len(result))):  # NumPy's broadcasting adds them in front
        left = len(operand) - len(dimensions)
        if left > 0 and operand[left - 1] == result[d]:
            dimensions.insert(0, d)
        elif result[d] != 1:
            return
    if len(dimensions) == len(operand) < len(result):
        attributes = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get(dimensions)}
        replace(op, "stablehlo.broadcast_in_dim", list(op.operands), attributes)


def restore_comparison(op: Any) -> None:
    """JAX says as what numbers are compared, HLO only where it is not what their type demands."""
    element = ir.RankedTensorType(op.operands[0].type).element_type
    if not isinstance(element, ir.IntegerType):
        kind = "FLOAT"
    else:
        kind = "UNSIGNED" if element.is_unsigned or element.width == 1 else "SIGNED"
    if "compare_type" not in op.attributes:
        op.attributes["compare_type"] = stablehlo.ComparisonTypeAttr.get(kind)


def restore_dot(op: Any) -> None:
    """A product of matrices or vectors is read as `dot`, which frameworks do not write any more."""
    left = ir.RankedTensorType(op.operands[0].type).rank
    numbers = stablehlo.DotDimensionNumbers.get([], [], [left - 1], [0])
    restore_plain(op)
    attributes = {name: op.attributes[name] for name in ("precision_config",) if name in op.attributes}
    replace(op, "stablehlo.dot_general", list(op.operands), {"dot_dimension_numbers": numbers, **attributes})


# Attributes that say nothing if all of their elements have this value. HLO states them, frameworks do not.
PLAIN = {
    "stablehlo.convolution": {
        "padding": 0,
        "window_strides": 1,
        "lhs_dilation": 1,
        "rhs_dilation": 1,
        "window_reversal": 0,
    },
    "stablehlo.gather": {"indices_are_sorted": 0},
    "stablehlo.scatter": {"indices_are_sorted": 0, "unique_indices": 0},
    "stablehlo.reduce_window": {"padding": 0, "window_strides": 1, "base_dilations": 1, "window_dilations": 1},
}


def elements_of(attribute: Any) -> list[int]:
    if isinstance(attribute, ir.BoolAttr):
        return [int(attribute.value)]
    return [int(each) for each in attribute]


def restore_plain(op: Any) -> None:
    """An attribute with the value that it has where it is absent is absent."""
    if "precision_config" in op.attributes and all(
        "DEFAULT" in str(each) for each in op.attributes["precision_config"]
    ):
        del op.attributes["precision_config"]
    for name, plain in PLAIN.get(op.name, {}).items():
        if name in op.attributes and set(elements_of(op.attributes[name])) <= {plain}:
            del op.attributes[name]


def restore(module: Any) -> None:
    """Undoes how XLA wrote ops of StableHLO in HLO."""
    is_jax = ir.StringAttr(module.operation.attributes["sym_name"]).value.startswith(("jit_", "pmap_"))
    for op in list(ops_of(module.operation)):
        if op.name == "stablehlo.broadcast_in_dim":
            _ = restore_splat(op, is_jax) or restore_broadcast(op)
        elif op.name == "stablehlo.reshape":
            restore_unit_dimensions(op)
        elif op.name == "stablehlo.dot":
            restore_dot(op)
        elif op.name == "stablehlo.compare" and is_jax and not is_of_chlo(op):
            restore_comparison(op)
        else:
            restore_plain(op)


class HloConverter(TargetWorker):
    name = "hlo"

    def __init__(self) -> None:
        self.version = f"jaxlib {jaxlib.__version__}"
        self._context = mlir.make_ir_context()

    def compile(self, request: Request, stages: Stages) -> Fields:
        with stages.stage(STAGE):
            try:
                converted = xla_client._xla.mlir.hlo_to_stablehlo(module_of(request.file.read_bytes()))
                with self._context, ir.Location.unknown():
                    module = ir.Module.parse(converted)
                    restore(module)
                    text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
            except StageError:
                raise
            except Exception as error:
                # XLA's parser says in later lines what it could not read.
                raise StageError(" ".join(str(error).split()) or type(error).__name__) from error
        (request.dir / f"1_{STAGE}.mlir").write_text(text)
        return {}


if __name__ == "__main__":
    sys.exit(serve(HloConverter()))
