# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import io
import pathlib
import tempfile
import unittest

from validation.oracle import check_cases

GOOD = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
UNVERIFIED = """
func.func @main(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


class CheckCasesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *options: str, **files: str) -> tuple[int, str]:
        for name, text in files.items():
            (self.folder / f"{name}.mlir").write_text(text)
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
        ):
            code = check_cases.main([str(self.folder), *options])
        return code, output.getvalue()

    def test_accepts_valid_files(self):
        code, output = self.check(a=GOOD, b=GOOD)
        self.assertEqual((code, output), (0, "2 of 2 files accepted, 0 refused\n"))

    def test_counts_what_is_newer_than_the_bindings_by_itself(self):
        newer = GOOD.replace("stablehlo.add", "stablehlo.collective_reduce_of_the_future")
        code, output = self.check("--skip-newer", a=GOOD, b=newer, c=UNVERIFIED)
        self.assertEqual(code, 1)
        self.assertIn("1 of 3 files accepted, 1 refused, 1 newer than the bindings", output)

    def test_names_file_line_and_reason_of_a_refused_one(self):
        code, output = self.check(a=GOOD, b=UNVERIFIED)
        self.assertEqual(code, 1)
        self.assertIn("b.mlir: line 3:8: TransposeOp operand rank 2", output)
        self.assertIn("1 of 2 files accepted, 1 refused", output)

    def test_refuses_a_file_without_main(self):
        code, output = self.check(a="module {}")
        self.assertEqual(code, 1)
        self.assertIn("no func.func @main", output)

    def test_refuses_text_that_does_not_parse(self):
        code, _ = self.check(a="func.func @main( {")
        self.assertEqual(code, 1)

    def test_skips_dialects_that_the_bindings_lack_only_on_demand(self):
        text = GOOD.replace("return", '"acme.op"() : () -> ()\n  return')
        self.assertEqual(self.check(a=text)[0], 1)
        (self.folder / "b.mlir").write_text(GOOD)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = check_cases.main([str(self.folder), "--skip-unknown"])
        self.assertEqual(code, 0)
        self.assertIn("1 of 2 files accepted, 0 refused, 1 of dialects", output.getvalue())

    def test_a_folder_without_files_is_an_error(self):
        code, output = self.check()
        self.assertEqual(code, 2)
        self.assertIn("no .mlir file", output)


if __name__ == "__main__":
    unittest.main()
