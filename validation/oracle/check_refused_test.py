# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import io
import json
import os
import pathlib
import signal
import tempfile
import unittest
from unittest import mock

from validation.oracle.check_refused import check

GOOD = """
func.func @main(%a: tensor<7xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %a [1:6:2] : (tensor<7xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
BROKEN = GOOD.replace("[1:6:2]", "[1:6:0]")
QUANTIZED = """
func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
"""


class CheckRefusedTest(unittest.TestCase):
    def check(self, broken: str, valid: str = GOOD, **known: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "broken.mlir").write_text(broken)
            (folder / "valid.mlir").write_text(valid)
            breaks = {"id": "slice.C4", "rule": "strides are positive", "valid": "valid.mlir"}
            case = {"id": "slice_C4_00000001", "file": "broken.mlir", "breaks": breaks}
            (folder / "manifest.yaml").write_text(f"schema: opbyop-manifest/1\ncases:\n- {json.dumps(case)}\n")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                code = check(folder, known=known)
        return code, output.getvalue()

    def test_a_refused_program_is_right(self) -> None:
        code, output = self.check(BROKEN)
        self.assertEqual(code, 0, output)
        self.assertIn("1 of 1 programs refused", output)

    def test_an_accepted_program_is_wrong_unless_it_is_listed(self) -> None:
        code, output = self.check(GOOD)
        self.assertEqual(code, 1)
        self.assertIn("upstream accepts it, breaking slice.C4: strides are positive", output)
        code, output = self.check(GOOD, slice_C4_00000001="a reason")
        self.assertEqual(code, 0, output)

    def test_a_list_that_says_too_much_is_wrong(self) -> None:
        self.assertIn("take it from the list", self.check(BROKEN, slice_C4_00000001="a reason")[1])
        self.assertIn("no case of the suite", self.check(BROKEN, other="a reason")[1])

    def test_a_refused_valid_program_is_wrong(self) -> None:
        code, output = self.check(BROKEN, valid=BROKEN)
        self.assertEqual(code, 1)
        self.assertIn("refuses the valid twin", output)

    def test_a_parser_that_dies_has_accepted_nothing(self) -> None:
        def parse(text: str) -> None:
            if text == BROKEN:
                os.kill(os.getpid(), signal.SIGSEGV)

        with mock.patch("validation.oracle.check_refused.parse", parse):
            code, output = self.check(BROKEN)
            self.assertEqual(code, 0, output)
            code, output = self.check(BROKEN, valid=BROKEN)
        self.assertEqual(code, 1)
        self.assertIn("upstream refuses the valid twin: the parser died with -11", output)

    def test_quantized_types_are_known(self) -> None:
        code, output = self.check(QUANTIZED.replace("%0 : tensor<2x", "%0 : tensor<3x"), valid=QUANTIZED)
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
