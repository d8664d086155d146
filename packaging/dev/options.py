# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads the options of a command.

options = Options("help site")              # the command that an error names
options.value("-o", "--output", default="out/site")
found, rest = options.read(["-o", "mine", "out/nightly"])    # found.output is mine, rest is ["out/nightly"]

Words that are no option stay in their order: they are operands, or another program's.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from dev.process import die


class Options(argparse.ArgumentParser):
    def __init__(self, advice: str) -> None:
        super().__init__(add_help=False, allow_abbrev=False, exit_on_error=False)
        self.advice = advice

    def value(self, *names: str, convert: Callable[[str], str] = str, **more: Any) -> None:
        """Adds an option that takes a value: --level full or --level=full."""

        def read(value: str) -> str:
            if not value:
                raise argparse.ArgumentTypeError("expected a value")
            return convert(value)

        self.add_argument(*names, type=read, **more)

    def read(self, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
        try:
            return self.parse_known_args(arguments)
        except argparse.ArgumentError as error:
            names = (error.argument_name or "").split("/")
            word = next(word for word in reversed(arguments) if word.partition("=")[0] in names)
            if "expected" in error.message:
                die(f"{word.partition('=')[0]} needs a value: try './dev help'")
            self.unknown(word)

    def read_with_operands(self, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
        """Ends ./dev if one of the other words begins with -."""
        found, rest = self.read(arguments)
        for word in rest:
            if word.startswith("-"):
                self.unknown(word)
        return found, rest

    def unknown(self, word: str) -> NoReturn:
        die(f"unknown option {word}: try './dev {self.advice}'")
