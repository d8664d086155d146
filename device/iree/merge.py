# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Merges several case files into one module, in which each @main gets a name of its own."""

from __future__ import annotations

import re

# Matches `module attributes {...} {` ... `}`; the text in between is the body.
MODULE = re.compile(r"^\s*(?:builtin\.)?module(?:\s+@[\w$.-]+)?(?:\s+attributes\s*\{.*?\})?\s*\{\s*$", re.M)
FUNCTION = re.compile(r"^\s*func\.func\s+(?:(?:public|private|nested)\s+)?@([\w$.-]+)", re.M)
COMMENT = re.compile(r"^\s*//.*$", re.M)


class MergeError(ValueError):
    """A file that is not one module of functions."""


def body_of(text: str) -> str:
    """The functions of a case file."""
    text = COMMENT.sub("", text)
    head = MODULE.search(text)
    tail = text.rstrip()
    if not head or not tail.endswith("}"):
        raise MergeError("the case is not one module")
    return tail[head.end() : -1]


def merge_modules(texts: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Returns the merged text, and the name of the function that each case's @main became.

    Only names that the file itself defines are renamed, because a custom call's target may have any name.
    """
    bodies = []
    functions = {}
    for number, (case, text) in enumerate(texts.items()):
        body = body_of(text)
        names = {name: f"{name}_{number}" for name in FUNCTION.findall(body)}
        if "main" not in names:
            raise MergeError(f"{case} has no function @main")
        pattern = re.compile(r"@(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w$.-])")
        bodies.append(pattern.sub(lambda found, names=names: "@" + names[found.group(1)], body))
        functions[case] = names["main"]
    return "module {" + "".join(bodies) + "}\n", functions
