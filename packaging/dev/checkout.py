# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Commands work in the folder of the project, and accept files as they are named in the folder of the caller.

enter()                          # at the start: the folder of the project becomes the working folder
given("model.mlir")              # /home/me/model.mlir of a caller in /home/me
"""

from __future__ import annotations

import os

from dev.process import status

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
CALLER = os.environ.get("PWD", "")  # keeps the names of links
if not (os.path.isabs(CALLER) and os.path.isdir(CALLER) and os.path.samefile(CALLER, ".")):
    CALLER = os.getcwd()


def enter() -> None:
    """Makes the folder of the project the working folder, and $OPBYOP_CORPORA absolute, because tests run elsewhere."""
    if corpora := os.environ.get("OPBYOP_CORPORA"):
        os.environ["OPBYOP_CORPORA"] = os.path.realpath(os.path.join(CALLER, corpora))
    os.chdir(ROOT)
    os.environ["PWD"] = ROOT


def given(path: str) -> str:
    """Converts a path that the caller gave, so that it is valid in the folder of the project."""
    if os.path.isabs(path) or os.path.samefile(CALLER, ROOT):
        return path
    return f"{CALLER}/{path}"


def given_target(target: str) -> str:
    """A target by its name, or a plugin by its path, pjrt:PATH."""
    kind, colon, path = target.partition(":")
    return f"pjrt:{given(path)}" if kind == "pjrt" and colon else target


def for_caller(program: str, *arguments: str) -> int:
    """The exit code of a program of build/bin/ that is run in the folder of the caller."""
    return status(f"{ROOT}/build/bin/{program}", *arguments, folder=CALLER)
