# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The folder of the project, which commands work in, and the folder of the caller, which names its own files.

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
    """Tests run in other folders, so $OPBYOP_CORPORA becomes absolute here."""
    if corpora := os.environ.get("OPBYOP_CORPORA"):
        os.environ["OPBYOP_CORPORA"] = os.path.realpath(os.path.join(CALLER, corpora))
    os.chdir(ROOT)
    os.environ["PWD"] = ROOT


def given(path: str) -> str:
    """A file that the caller named, as it is named from the folder of the project."""
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
