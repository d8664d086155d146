# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the worker that has Shardy propagate shardings."""

from __future__ import annotations

import re
import unittest

import shardy
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

from opbyop_worker import StageError

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'


def propagated(text: str) -> str:
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        shardy.propagate(module)
        return str(module)


def sharding_of(op: str, text: str) -> str:
    """The sharding of the results of the only op of this name."""
    (line,) = (line for line in text.splitlines() if f" {op}" in line)
    found = re.search(r"sharding_per_value<\[(.*)\]>}", line)
    assert found, line
    return found[1]


class ShardyTest(unittest.TestCase):
    def test_a_value_gets_the_sharding_that_its_operands_give_it(self) -> None:
        text = propagated(
            MESH + "func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, "
            '%b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x8xf32> {\n'
            "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
            ": (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>\n"
            "return %0 : tensor<8x8xf32> }"
        )
        self.assertEqual(sharding_of("stablehlo.dot_general", text), '<@mesh, [{}, {"y"}]>')

    def test_a_value_that_nothing_divides_is_stated_to_be_whole(self) -> None:
        text = propagated(
            MESH + "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
            "%0 = stablehlo.negate %a : tensor<8xf32>\n return %0 : tensor<8xf32> }"
        )
        self.assertEqual(sharding_of("stablehlo.negate", text), "<@mesh, [{}]>")
        self.assertEqual(text.count("#sdy.sharding<@mesh, [{}]>"), 2, "of the argument and the result")

    def test_constants_and_constraints_stay_those_of_the_program(self) -> None:
        text = propagated(
            MESH + "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
            "%0 = stablehlo.constant dense<2.0> : tensor<8xf32>\n"
            "%1 = stablehlo.add %a, %0 : tensor<8xf32>\n"
            '%2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>\n return %2 : tensor<8xf32> }'
        )
        self.assertIn("stablehlo.constant", text)
        self.assertIn('sdy.sharding_constraint %0 <@mesh, [{"x"}]> :', text)
        self.assertEqual(sharding_of("stablehlo.add", text), '<@mesh, [{"x"}]>')

    def test_the_body_of_a_manual_computation_has_no_shardings(self) -> None:
        text = propagated(
            MESH + "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
            '%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] '
            'manual_axes={"x", "y"} (%b: tensor<4xf32>) {\n'
            "%c = stablehlo.constant dense<2.0> : tensor<4xf32>\n"
            "%1 = stablehlo.add %b, %c : tensor<4xf32>\n sdy.return %1 : tensor<4xf32>\n"
            "} : (tensor<8xf32>) -> tensor<8xf32>\n return %0 : tensor<8xf32> }"
        )
        self.assertIn("stablehlo.constant dense<2.000000e+00> : tensor<4xf32>", text)
        self.assertRegex(text, r"stablehlo.add .*%\w+ : tensor<4xf32>")

    def test_a_program_without_a_mesh_stays_as_it_is(self) -> None:
        text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n return %a : tensor<8xf32> }"
        self.assertNotIn("sdy", propagated(text))

    def test_shardings_of_gspmd_are_refused(self) -> None:
        text = (
            'func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) -> tensor<8xf32> '
            "{ return %a : tensor<8xf32> }"
        )
        with self.assertRaisesRegex(StageError, "which Shardy's propagation does not read"):
            propagated(text)


if __name__ == "__main__":
    unittest.main()
