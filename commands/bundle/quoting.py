# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Texts of others in scripts and in pages of Markdown, where they must stay texts.

quoting.command(["iree-compile", flag, "a b.mlir"])   # a line of shell
f"# Needs {quoting.comment(version)}"                 # a comment, in whatever language
quoting.markdown(version)                             # a part of a line
quoting.fence(program, "mlir")                        # lines as they are
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

# What Markdown or HTML would take for markup, wherever it stands in a line.
MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$])")

# What ends a line for some reader, and what a terminal obeys.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Words that are no commands where they come first.
RESERVED = frozenset(
    ("!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while")
)


def comment(text: object) -> str:
    """One line without control characters: nothing in it comes after the end of a comment."""
    return UNPRINTABLE.sub(" ", str(text)).strip()


def _first(word: str) -> str:
    """A program whose name looks like an assignment or a word of the shell is still a program."""
    return f"'{word}'" if word in RESERVED or (shlex.quote(word) == word and "=" in word) else shlex.quote(word)


def command(argv: Iterable[str], environment: Mapping[str, str] | None = None) -> str:
    """A command with its variables."""
    words = list(argv)
    if environment:
        words = ["env", *(f"{name}={value}" for name, value in sorted(environment.items())), *words]
    return " ".join([_first(words[0]), *map(shlex.quote, words[1:])]) if words else ":"


def exports(environment: Mapping[str, str]) -> str:
    """A line for each variable that a shell can have."""
    return "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in sorted(environment.items()) if NAME.fullmatch(name)
    )


def markdown(text: object) -> str:
    """One line of a paragraph, a heading, a list or a table in which nothing is markup."""
    line = MARKUP.sub(r"\\\1", comment(text))
    # At the beginning of a line these make a list, or a heading of the line before.
    line = re.sub(r"^([-+=])", r"\\\1", line)
    return re.sub(r"^(\d+)\.", r"\1\\.", line).replace("://", ":\\//")


def fence(text: object, language: str = "") -> str:
    """The text as a block of code, whose fence is longer than any in it."""
    lines = str(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", lines)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{language}\n{lines}\n{mark}"
