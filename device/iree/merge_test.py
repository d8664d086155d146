# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests merging case files into one module."""

from __future__ import annotations

import unittest

from merge import MergeError, merge_modules

CALLER = """// case: a  @main
module attributes {opbyop.case = "a", x = {y = 1}} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @main_body(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @helper(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @main_body(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
"""
PLAIN = """module attributes {opbyop.case = "b"} {
  func.func @main(%arg0: tensor<i1>) -> tensor<i1> {
    return %arg0 : tensor<i1>
  }
}
"""


class MergeTest(unittest.TestCase):
    def test_functions_get_names_of_their_own(self) -> None:
        text, functions = merge_modules({"a": CALLER, "b": PLAIN})
        self.assertEqual(functions, {"a": "main_0", "b": "main_1"})
        for name in ("@main_0(", "@main_1(", "func.call @main_body_0(", "private @main_body_0("):
            self.assertIn(name, text)
        self.assertEqual(text.count("module"), 1)

    def test_names_that_the_file_does_not_define_are_kept(self) -> None:
        text, _ = merge_modules({"a": CALLER, "b": PLAIN.replace("@main", "@main").replace('b"', 'helper"')})
        self.assertIn("custom_call @helper(", text)

    def test_text_that_is_no_module_is_refused(self) -> None:
        for text in ("", "func.func @main() { return }", "module {\n  func.func @other() { return }\n}\n"):
            with self.assertRaises(MergeError):
                merge_modules({"a": text})


if __name__ == "__main__":
    unittest.main()
