# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop trace-nan`, which finds where the first NaN of a model comes from, in the reference and on the host
target.

python3 -m unittest commands.trace_nan.trace_nan_test
"""

from __future__ import annotations

import array
import pathlib

from fixtures.programs import BAD_INPUT, NO_INPUT, PARTIAL, ROOT, UNEXPECTED, UNSUPPORTED, USAGE, ProgramTest

LOOP = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<9> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<2xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.multiply %x, %x : tensor<2xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y : tensor<i32>, tensor<2xf32>
    }
  %d = stablehlo.subtract %r#1, %r#1 : tensor<2xf32>
  return %d : tensor<2xf32>
}
"""


def npy(path: pathlib.Path, values: list[float], shape: tuple[int, ...] | None = None) -> pathlib.Path:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape or (len(values),)}, }}"
    padded = header + " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode() + array.array("f", values).tobytes()
    )
    return path


class TraceNanTest(ProgramTest):
    def model(self, text: str = LOOP) -> pathlib.Path:
        file = self.folder / "model.mlir"
        file.write_text(text)
        return file

    def test_a_model_without_nan_is_reported(self) -> None:
        done = self.opbyop("trace-nan", ROOT / "fixtures/models/ffnn.mlirbc", "--target", "host")
        self.assertIn("no op makes a NaN or an infinity\n", done.stdout)
        agree = "both agree: no op of host or of the reference makes a NaN or an infinity\n"
        self.assertTrue(done.stdout.endswith(agree))

    def test_op_trip_element_and_operands_are_named_on_both_sides(self) -> None:
        given = npy(self.folder / "a.npy", [0.5, 10])
        model = self.model()
        done = self.opbyop("trace-nan", model, "--input", given, "--target", "host", code=UNEXPECTED)
        self.assertEqual(done.stdout.count(f"first infinity: multiply.1 ({model}:11) gives inf in result 0 at [1]"), 2)
        self.assertEqual(done.stdout.count(f"in trip 5 of stablehlo.while at {model}:6"), 2)
        self.assertEqual(done.stdout.count(f"first NaN: subtract.3 ({model}:15) gives nan in result 0 at [1]"), 2)
        self.assertEqual(done.stdout.count("operand 1: 2xf32 from 0 to 0, 1 infinity"), 2)
        self.assertIn("both agree: subtract.3 is where it begins", done.stdout)

    def test_the_reference_alone_needs_no_target(self) -> None:
        given = npy(self.folder / "a.npy", [0.5, 10])
        done = self.opbyop("trace-nan", self.model(), "--input", given, code=UNEXPECTED)
        self.assertNotIn("agree", done.stdout)
        npy(given, [float("nan"), 0])
        done = self.opbyop("trace-nan", self.model(), "--input", given)
        self.assertIn("input 0: 2xf32 from 0 to 0, 1 NaN\n", done.stdout)

    def test_a_model_that_cannot_be_traced_has_a_reason(self) -> None:
        model = self.model()
        for code, arguments, why in (
            (NO_INPUT, [self.folder / "none.mlir"], "none.mlir"),
            (USAGE, [model, "--target", "nosuch"], "nosuch"),
            (USAGE, [model, "--input", npy(self.folder / "a.npy", [1]), "--input", "b.npy"], "takes 1 argument"),
            (NO_INPUT, [model, "--input", self.folder / "none.npy"], "none.npy"),
            (BAD_INPUT, [model, "--input", npy(self.folder / "b.npy", [1, 2, 3])], "wants [2]"),
            (UNSUPPORTED, [model, "--max-executions", "3"], "--max-executions raises it"),
        ):
            with self.subTest(why):
                done = self.opbyop("trace-nan", *arguments, code=code)
                self.assertIn(why, done.stderr)

    def test_a_program_that_cannot_be_run_to_its_end_is_traced_to_there(self) -> None:
        text = (
            "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = stablehlo.custom_call @vendor.secret(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  return %0 : tensor<2xf32>\n}\n"
        )
        done = self.opbyop("trace-nan", self.model(text), "--target", "host", code=PARTIAL)
        self.assertIn("stopped: ", done.stdout)
