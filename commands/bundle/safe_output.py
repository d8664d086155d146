# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints text without terminal control sequences, as support/text/safe_stream.h does in C++.

install()                     # for main(); from here on sys.stdout and sys.stderr are safe
safe_text("a\\x1b[31mred")     # "ared"
"""

from __future__ import annotations

import re
import sys
from typing import TextIO

ESCAPE = re.compile(r"\x1b\[[\x20-\x3f]*[\x40-\x7e]?")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe_text(text: str) -> str:
    """Escape sequences are removed; other control characters, and invalid characters, become U+FFFD."""
    return CONTROL.sub("\ufffd", ESCAPE.sub("", text))


class SafeOutput:
    """A stream that makes all text safe."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(safe_text(text))
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def install() -> None:
    sys.stdout, sys.stderr = SafeOutput(sys.stdout), SafeOutput(sys.stderr)  # type: ignore[assignment]
