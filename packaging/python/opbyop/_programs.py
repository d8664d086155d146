# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the programs of this installation, and defines their exit codes.

    done = run("opbyop", "split", "model.mlir", "-o", "out", accept={0, PARTIAL})

They are looked up in $OPBYOP_BIN_DIR, next to this package (in a wheel), in the checkout that contains it, and in
$PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NoReturn

# docs/exit-codes.md
PASSED, UNEXPECTED, USAGE, NO_INPUT, BAD_INPUT, UNSUPPORTED, PARTIAL, NOTHING, NOTHING_JUDGED = range(9)


class Error(Exception):
    """A program of opbyop failed. `code` is its exit code (docs/exit-codes.md)."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


def program(name: str) -> Path:
    """The path of a program; raises Error if there is none."""
    package = Path(__file__).resolve().parent
    places = [package / "_prefix/libexec/opbyop", package.parents[2] / "build/bin"]
    if folder := os.environ.get("OPBYOP_BIN_DIR"):
        places.insert(0, Path(folder))
    for place in places:
        if os.access(place / name, os.X_OK) and (place / name).is_file():
            return place / name
    if found := shutil.which(name):
        return Path(found).resolve()
    looked = ", ".join(map(str, places))
    raise Error(f"no program {name} in {looked} or $PATH: build it with ./dev build, or install the wheel", NO_INPUT)


def run(name: str, *arguments: object, accept: Collection[int] = (PASSED,), timeout: float | None = None) -> str:
    """Runs a program to its end; returns its standard output. Raises Error, with the program's own message, if the
    exit code is not in `accept` or after `timeout` seconds. Targets written in Python run in this interpreter if it
    has their packages (device/python/start.sh)."""
    argv = [str(program(name)), *map(str, arguments)]
    environment = {**({"OPBYOP_PYTHON": sys.executable} if sys.executable else {}), **os.environ}
    try:
        done = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        raise Error(f"{name} {arguments[0]}: not done after {timeout:g} s") from expired
    if done.returncode not in accept:
        words = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise Error(words or f"{name} {arguments[0]} ended with {done.returncode}", done.returncode)
    return done.stdout


def _become(name: str, arguments: Sequence[str]) -> NoReturn:
    try:
        path = str(program(name))
    except Error as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(error.code)
    os.execv(path, [path, *arguments])


def opbyop() -> NoReturn:
    """The command `opbyop`."""
    _become("opbyop", sys.argv[1:])


def opbyop_opt() -> NoReturn:
    """The command `opbyop-opt`."""
    _become("opbyop-opt", sys.argv[1:])


def optrace() -> NoReturn:
    """The command `optrace`."""
    _become("optrace", sys.argv[1:])
