# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the converter of HLO on programs that XLA's translator wrote."""

from __future__ import annotations

import re
import unittest

import hlo_converter
from jax._src.interpreters import mlir
from jaxlib import _hlo, xla_client
from jaxlib.mlir import ir

from opbyop_worker import StageError

TEXT = """HloModule f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY main {
  a = f32[4]{0} parameter(0)
  ROOT b = f32[4]{0} add(a, a)
}
"""


def serialized(text: str) -> bytes:
    return _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()


def hlo_of(body: str) -> bytes:
    """HLO of a function @main in StableHLO."""
    computation = xla_client._xla.mlir.mlir_module_to_xla_computation(
        f"module {{ func.func @main{body} }}", use_tuple_args=False, return_tuple=False
    )
    return computation.as_serialized_hlo_module_proto()


def restored(body: str) -> list[str]:
    """The ops of the StableHLO that is made of a function's HLO, but for its return."""
    converted = xla_client._xla.mlir.hlo_to_stablehlo(hlo_of(body))
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(converted)
        hlo_converter.restore(module)
        module.operation.verify()
        lines = str(module).splitlines()
    return [re.sub(r"%\w+", "%", line.strip()) for line in lines if "stablehlo." in line]


class FormsTest(unittest.TestCase):
    def test_text_a_module_and_a_proto_are_the_same_program(self) -> None:
        module = serialized(TEXT)
        size = len(module)
        self.assertLess(size, 1 << 14)
        proto = b"\x0a" + bytes([size & 0x7F | 0x80, size >> 7]) + module + b"\x1a\x00"
        self.assertIn(b"main", hlo_converter.module_of(TEXT.encode()))
        self.assertEqual(hlo_converter.module_of(module), module)
        self.assertEqual(hlo_converter.module_of(proto), module)

    def test_text_without_its_constants_is_refused(self) -> None:
        text = TEXT.replace("parameter(0)", "constant({...})")
        with self.assertRaisesRegex(StageError, "xla_dump_hlo_as_proto"):
            hlo_converter.module_of(text.encode())


class RestoreTest(unittest.TestCase):
    def test_a_splat_is_one_constant(self) -> None:
        ops = restored("""(%a: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
          %0 = stablehlo.constant dense<2.0> : tensor<4x8xbf16>
          %1 = stablehlo.add %a, %0 : tensor<4x8xbf16>
          return %1 : tensor<4x8xbf16> }""")
        self.assertIn("% = stablehlo.constant dense<2.000000e+00> : tensor<4x8xbf16>", ops)
        self.assertFalse([op for op in ops if "broadcast" in op], ops)

    def test_a_broadcast_of_an_argument_stays(self) -> None:
        ops = restored("""(%a: tensor<f32>) -> tensor<4x8xf32> {
          %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
          return %0 : tensor<4x8xf32> }""")
        self.assertEqual(len(ops), 1)
        self.assertIn("broadcast_in_dim", ops[0])

    def test_a_broadcast_along_dimensions_of_size_1_is_one_op(self) -> None:
        for operand, result in (("1x4x1", "1x4x8"), ("1x1x4x4", "1x2x4x4"), ("1x4", "8x4")):
            with self.subTest(operand=operand):
                dims = ", ".join(str(i) for i in range(len(operand.split("x"))))
                ops = restored(f"""(%a: tensor<{operand}xf32>) -> tensor<{result}xf32> {{
                  %0 = stablehlo.broadcast_in_dim %a, dims = [{dims}] : (tensor<{operand}xf32>) -> tensor<{result}xf32>
                  return %0 : tensor<{result}xf32> }}""")
                types = f"(tensor<{operand}xf32>) -> tensor<{result}xf32>"
                self.assertEqual(ops, [f"% = stablehlo.broadcast_in_dim %, dims = [{dims}] : {types}"])

    def test_a_reshape_that_is_not_part_of_a_broadcast_stays(self) -> None:
        ops = restored("""(%a: tensor<2x2xf32>) -> tensor<4x8xf32> {
          %0 = stablehlo.reshape %a : (tensor<2x2xf32>) -> tensor<4xf32>
          %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
          return %1 : tensor<4x8xf32> }""")
        self.assertEqual([op.split()[2] for op in ops], ["stablehlo.reshape", "stablehlo.broadcast_in_dim"])

    def test_products_are_dot_general(self) -> None:
        for left, right, result in (("2x3", "3x4", "2x4"), ("3", "3x4", "4"), ("3", "3", "")):
            with self.subTest(left=left, right=right):
                types = [f"tensor<{shape + 'x' if shape else ''}f32>" for shape in (left, right, result)]
                ops = restored(f"""(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
                  %0 = stablehlo.dot %a, %b : ({types[0]}, {types[1]}) -> {types[2]}
                  return %0 : {types[2]} }}""")
                self.assertIn("stablehlo.dot_general", ops[0])

    def test_attributes_that_say_nothing_are_absent(self) -> None:
        ops = restored("""(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32> {
          %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
            : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
          return %0 : tensor<1x6x6x4xf32> }""")
        self.assertIn("window = {}", ops[0])

    def test_attributes_that_say_something_stay(self) -> None:
        ops = restored("""(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x8x4xf32> {
          %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
            window = {stride = [2, 1], pad = [[0, 0], [1, 1]], reverse = [true, false]}
            {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
            : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x8x4xf32>
          return %0 : tensor<1x3x8x4xf32> }""")
        self.assertRegex(
            ops[0], r"window = \{stride = \[2, 1\], pad = \[\[0, 0\], \[1, 1\]\], reverse = \[true, false\]\}"
        )


if __name__ == "__main__":
    unittest.main()
