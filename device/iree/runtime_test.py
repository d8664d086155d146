# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the runtime's names for element types."""

from __future__ import annotations

import enum
import unittest

import iree.runtime as rt
from runtime import NAMES, elements_of


class ElementsTest(unittest.TestCase):
    def test_this_runtime_has_all(self) -> None:
        self.assertEqual(elements_of(rt.HalElementType).keys(), NAMES.keys())

    def test_a_type_that_an_older_runtime_lacks_is_left_out(self) -> None:
        older = enum.Enum("HalElementType", sorted(set(NAMES.values()) - {"FLOAT_8_E8M0_FNU"}))
        self.assertEqual(NAMES.keys() - elements_of(older).keys(), {"f8E8M0FNU"})


if __name__ == "__main__":
    unittest.main()
