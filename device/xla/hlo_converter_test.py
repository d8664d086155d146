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


def hlo_of(body: str, module: str) -> bytes:
    """HLO of a function @main in StableHLO."""
    computation = xla_client._xla.mlir.mlir_module_to_xla_computation(
        f"module @{module} {{ func.func @main{body} }}", use_tuple_args=False, return_tuple=False
    )
    return computation.as_serialized_hlo_module_proto()


def restored(body: str, module: str = "SyncTensorsGraph.7") -> list[str]:
    """The ops of the StableHLO that is made of a function's HLO, but for its return. torch_xla names modules so."""
    converted = xla_client._xla.mlir.hlo_to_stablehlo(hlo_of(body, module))
    with mlir.make_ir_context(), ir.Location.unknown():
        program = ir.Module.parse(converted)
        hlo_converter.restore(program)
        program.operation.verify()
        lines = str(program).splitlines()
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

    def test_jax_writes_a_splat_as_a_scalar_and_a_broadcast(self) -> None:
        ops = restored(
            """(%a: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
          %0 = stablehlo.constant dense<2.0> : tensor<bf16>
          %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
          %2 = stablehlo.multiply %a, %1 : tensor<4x8xbf16> loc("jit(f)/mul")
          return %2 : tensor<4x8xbf16> }""",
            "jit_f",
        )
        self.assertEqual(
            [op.split()[2] for op in ops], ["stablehlo.constant", "stablehlo.broadcast_in_dim", "stablehlo.multiply"]
        )

    def test_constants_of_a_function_of_chlo_are_splats_in_jax_too(self) -> None:
        ops = restored(
            """(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
          %0 = stablehlo.constant dense<2.0> : tensor<4x8xf32>
          %1 = stablehlo.multiply %a, %0 : tensor<4x8xf32> loc("jit(f)/erfc")
          return %1 : tensor<4x8xf32> }""",
            "jit_f",
        )
        self.assertIn("% = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>", ops)
        self.assertFalse([op for op in ops if "broadcast" in op], ops)

    def test_jax_says_as_what_numbers_are_compared(self) -> None:
        for element, kind in (("f32", "FLOAT"), ("i32", "SIGNED"), ("ui8", "UNSIGNED"), ("i1", "UNSIGNED")):
            with self.subTest(element):
                body = f"""(%a: tensor<4x{element}>) -> tensor<4xi1> {{
                  %0 = stablehlo.compare LT, %a, %a : (tensor<4x{element}>, tensor<4x{element}>) -> tensor<4xi1>
                  return %0 : tensor<4xi1> }}"""
                self.assertIn(f", {kind} :", restored(body, "jit_f")[0])
                self.assertNotIn(kind, restored(body)[0])

    def test_a_total_order_stays(self) -> None:
        body = """(%a: tensor<4xf32>) -> tensor<4xi1> {
          %0 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
          return %0 : tensor<4xi1> }"""
        self.assertIn("TOTALORDER", restored(body, "jit_f")[0])

    def test_a_broadcast_that_adds_dimensions_of_size_1_is_told_from_a_reshape_by_its_name(self) -> None:
        for name, expected in (("broadcast_in_dim", "broadcast_in_dim %, dims = [0, 2]"), ("reshape", "reshape %")):
            with self.subTest(name):
                ops = restored(
                    f"""(%a: tensor<4x8xf32>) -> tensor<4x1x8xf32> {{
                  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
                    loc("jit(f)/{name}")
                  return %0 : tensor<4x1x8xf32> }}""",
                    "jit_f",
                )
                self.assertEqual(ops, [f"% = stablehlo.{expected} : (tensor<4x8xf32>) -> tensor<4x1x8xf32>"])

    def test_a_reshape_that_removes_dimensions_stays_whatever_its_name(self) -> None:
        ops = restored("""(%a: tensor<4x1x8xf32>) -> tensor<4x8xf32> {
          %0 = stablehlo.reshape %a : (tensor<4x1x8xf32>) -> tensor<4x8xf32> loc("jit(f)/broadcast_in_dim")
          return %0 : tensor<4x8xf32> }""")
        self.assertIn("stablehlo.reshape", ops[0])

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

    def test_a_precision_stays_unless_it_is_the_default(self) -> None:
        for stated, left in (("DEFAULT, DEFAULT", ""), ("DEFAULT, HIGHEST", "precision = [DEFAULT, HIGHEST]")):
            with self.subTest(stated):
                ops = restored(f"""(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {{
                  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [{stated}]
                    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
                  return %0 : tensor<2x4xf32> }}""")
                self.assertEqual("precision" in ops[0], bool(left), ops[0])
                self.assertIn(left, ops[0])

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
