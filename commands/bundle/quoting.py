# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Quotes untrusted text for scripts and for Markdown, so that it stays text.

quoting.command(["iree-compile", flag, "a b.mlir"])   # a line of shell
f"# Needs {quoting.comment(version)}"                 # a comment, in any language
quoting.markdown(version)                             # a part of a line
quoting.fence(program, "mlir")                        # lines, unchanged
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

# Characters that Markdown or HTML could take for markup, anywhere in a line.
MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$])")

# Characters that end a line for some reader, or that control a terminal.
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Words that are no commands at the beginning of a shell command.
RESERVED = frozenset(
    ("!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while")
)


def comment(text: object) -> str:
    """One line without control characters, so that nothing in it is outside of the comment."""
    return UNPRINTABLE.sub(" ", str(text)).strip()


def _first(word: str) -> str:
    """The first word of a command, quoted if it looks like an assignment or a reserved word of the shell."""
    return f"'{word}'" if word in RESERVED or (shlex.quote(word) == word and "=" in word) else shlex.quote(word)


def command(argv: Iterable[str], environment: Mapping[str, str] | None = None) -> str:
    """A command with its environment variables."""
    words = list(argv)
    if environment:
        words = ["env", *(f"{name}={value}" for name, value in sorted(environment.items())), *words]
    return " ".join([_first(words[0]), *map(shlex.quote, words[1:])]) if words else ":"


def exports(environment: Mapping[str, str]) -> str:
    """An export line for each variable whose name a shell allows."""
    return "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in sorted(environment.items()) if NAME.fullmatch(name)
    )


def markdown(text: object) -> str:
    """One line of a paragraph, heading, list or table, without markup."""
    line = MARKUP.sub(r"\\\1", comment(text))
    # At the beginning of a line these would start a list, or make the line before a heading.
    line = re.sub(r"^([-+=])", r"\\\1", line)
    return re.sub(r"^(\d+)\.", r"\1\\.", line).replace("://", ":\\//")


def fence(text: object, language: str = "") -> str:
    """The text as a block of code, with a fence that is longer than any in the text."""
    lines = str(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", lines)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{language}\n{lines}\n{mark}"
