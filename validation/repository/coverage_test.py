# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python3 -m unittest validation.repository.coverage_test"""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

from validation.repository.coverage import rooms, table


def export(**files: tuple[int, int]) -> dict[str, Any]:
    entries = [
        {"filename": name, "summary": {"lines": {"covered": covered, "count": count}}}
        for name, (covered, count) in files.items()
    ]
    return {"data": [{"files": entries}]}


class CoverageTest(unittest.TestCase):
    def test_lines_are_counted_per_room_and_tests_and_files_of_others_are_not(self) -> None:
        files = {
            "/here/ir/a.cc": (5, 10),
            "/here/ir/vhlo/b.h": (10, 10),
            "/here/support/c.cc": (0, 4),
            "/here/support/c_test.cc": (9, 9),
            "/here/build-coverage/ir/d.inc": (1, 1000),
            "/usr/include/fmt/format.h": (1, 1000),
            "/hereafter/ir/e.cc": (1, 1000),
        }
        counts = rooms(export(**files), Path("/here"))
        self.assertEqual(counts, {"ir": (15, 20), "support": (0, 4)})
        self.assertEqual(
            table(counts)[2:], ["| ir | 20 | 75.0 % |", "| support | 4 | 0.0 % |", "| **all** | 24 | 62.5 % |"]
        )

    def test_a_room_without_lines_divides_by_nothing(self) -> None:
        self.assertIn("| ir | 0 | |", table(rooms(export(**{"/here/ir/a.h": (0, 0)}), Path("/here"))))


if __name__ == "__main__":
    unittest.main()
