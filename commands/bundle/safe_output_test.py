# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests how Python programs print untrusted text."""

from __future__ import annotations

import io
import unittest

from commands.bundle.safe_output import SafeOutput, safe_text


class SafeOutputTest(unittest.TestCase):
    def test_control_sequences_are_not_printed(self) -> None:
        self.assertEqual(safe_text("a\x1b[31mred\x1b[m"), "ared")
        self.assertEqual(safe_text("\x1b]0;t\x07\x08\x9b\x7f"), "\ufffd]0;t\ufffd\ufffd\ufffd\ufffd")

    def test_text_of_any_language_stays_as_it_is(self) -> None:
        self.assertEqual(safe_text("µs\t日本\n"), "µs\t日本\n")

    def test_other_attributes_are_those_of_the_stream(self) -> None:
        behind = io.StringIO()
        print("a\x1bb", file=SafeOutput(behind), flush=True)
        self.assertEqual(behind.getvalue(), "a\ufffdb\n")


if __name__ == "__main__":
    unittest.main()
