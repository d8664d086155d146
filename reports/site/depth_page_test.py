# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the page on one compiler, with runs that are made here.

python3 -m unittest reports.site.depth_page_test
"""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

from reports.site.depth_page import Report, Row, page, result_type

PASS = {"status": "pass", "stage": "flatbuffer"}
REFUSED = {"status": "unsupported", "stage": "ttir", "message": "unsupported in ttir: Unsupported float type"}


def row(op: str, types: str, end: dict[str, str]) -> Row:
    case = f"{op}_{types}"
    values: dict[str, Any] = {"name": f"m__{case}", "op": f"stablehlo.{op}", "types": types, "case": case}
    values |= {"message": "", "max_ulp": None, "bound_ratio": None, "locations": (), "count": 1, "repro": "", **end}
    return Row(**values)


def report(target: str, *rows: Row) -> Report:
    return Report(rows, target, target, "compiler 1.0", Path())


class DepthPageTest(unittest.TestCase):
    def test_a_line_of_an_op_has_the_types_that_pass_and_where_the_others_end(self) -> None:
        text = page("T", [report("a", row("abs", "3xf32 -> 3xf32", PASS), row("abs", "3xf8E4M3 -> 3xf8E4M3", REFUSED))])
        self.assertIn("| stablehlo.abs | 2 | f32 | unsupported in ttir: f8E4M3 |", text)
        self.assertNotIn("decide", text)

    def test_targets_that_end_alike_are_one_row(self) -> None:
        first, second = row("abs", "3xf32 -> 3xf32", PASS), row("abs", "3xf32 -> 3xf32", REFUSED)
        self.assertIn("| a, b | 1 flatbuffer |", page("T", [report("a", first), report("b", first)]))
        text = page("T", [report("a", first), report("b", second)])
        self.assertIn("| a | 1 flatbuffer |\n| b | 1 unsupported in ttir |", text)
        self.assertIn("### Ops and types by depth: 1 case on b", text)

    def test_shapes_are_named_where_one_type_ends_differently(self) -> None:
        text = page("T", [report("a", row("fft", "2x0xf32 -> 2x0xf32", PASS), row("fft", "8xf32 -> 5xf32", REFUSED))])
        self.assertIn("| stablehlo.fft | 2 | f32 1/2 | unsupported in ttir: f32 |", text)
        self.assertIn("| stablehlo.fft | f32 | `2x0xf32 -> 2x0xf32` | `8xf32 -> 5xf32` |", text)

    def test_reasons_are_of_the_baseline_or_the_first_sentence_for_all_ops(self) -> None:
        def legal(op: str, **more: str) -> Row:
            message = f"unsupported in ttir: failed to legalize operation 'chlo.{op}'; Failed to convert"
            return row(op, "3xf32 -> 3xf32", {**REFUSED, "message": message, **more})

        text = page("T", [report("a", legal("erf"), legal("tan"), legal("sin", reason="a known | fault"))])
        ops = "stablehlo.erf 1, stablehlo.tan 1"
        self.assertIn(f"| 2 | ttir | unsupported | {ops} | failed to legalize operation … |", text)
        self.assertIn("a known \\| fault |", text)

    def test_runs_of_other_cases_are_another_part(self) -> None:
        runs = [report(op, row(op, "3xf32 -> 3xf32", PASS)) for op in ("abs", "add")]
        self.assertEqual(page("T", runs).count("\n## 1 case of 1 op\n"), 2)

    def test_a_type_is_that_of_the_first_result(self) -> None:
        types = {
            "3xi32 -> 3x2xcomplex<f32>, 3xf32": "complex<f32>",
            "2x!quant.uniform<i8:f32, 5.0e-01> -> 2x!quant.uniform<i8:f32, 5.0e-01>": "quantized",
            "f32 -> !stablehlo.token": "token",
            "f32 -> ": "none",
            "f32, f32 -> i1": "i1",
        }
        self.assertEqual({text: result_type(text) for text in types}, types)


if __name__ == "__main__":
    unittest.main()
