# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Starts programs as a shell with `set -e` does, and ends with the exit codes of docs/exit-codes.md.

run("ninja", "-C", "build")                             # ends ./dev if ninja fails
if status("build/bin/opbyop", "run", folder) == 1: ...
die("no corpora", NO_INPUT)

A program whose name has a slash is looked for in the working folder, which is the project's; others in $PATH.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import IO, NoReturn

UNEXPECTED, USAGE, NO_INPUT, PARTIAL, NOTHING_JUDGED = 1, 2, 3, 6, 8


def say(text: str) -> None:
    print(f"\033[1m==> {text}\033[0m", flush=True)


def die(message: str, code: int = USAGE) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(code)


@contextlib.contextmanager
def _interrupts_left_to_the_child() -> Iterator[None]:
    """Ctrl-C reaches the child too, which ends in its own way. It inherits no handler; it would inherit SIG_IGN."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _call(
    command: tuple[str, ...],
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    stdout: int | IO[bytes] | None = None,
    stderr: int | None = None,
) -> tuple[int, bytes]:
    """The exit code, 128 + n if signal n ended the program, and what it printed if `stdout` is PIPE."""
    sys.stdout.flush()
    with _interrupts_left_to_the_child():
        try:
            child = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **({"PWD": folder} if folder else {}), **(environment or {})},
                stdin=None if stdin is None else subprocess.PIPE,
                stdout=stdout,
                stderr=stderr,
            )
        except OSError as error:
            die(f"cannot start {command[0]}: {error.strerror}", UNEXPECTED)
        printed, _ = child.communicate(stdin)
    code = child.returncode
    if code == -signal.SIGINT:
        raise KeyboardInterrupt
    if code < 0:
        print(f"{command[0]}: {signal.strsignal(-code)}", file=sys.stderr)
    return (code if code >= 0 else 128 - code), printed or b""


def status(*command: str, folder: str | None = None, environment: Mapping[str, str] | None = None) -> int:
    """The exit code, 128 + n if signal n ended the program. `folder` is its working folder."""
    return _call(command, folder, environment)[0]


def run(
    *command: str,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    quiet: bool = False,
    accepted: tuple[int, ...] = (0,),
) -> None:
    """Ends ./dev with the program's exit code if that is not an accepted one."""
    code, _ = _call(command, environment=environment, stdin=stdin, stdout=subprocess.DEVNULL if quiet else None)
    if code not in accepted:
        sys.exit(code)


def captured(*command: str, stderr: int | None = None) -> tuple[int, str]:
    """The exit code, and what the program prints."""
    code, printed = _call(command, stdout=subprocess.PIPE, stderr=stderr)
    return code, os.fsdecode(printed)


def output(*command: str) -> str:
    """What the program prints. Ends ./dev with its exit code if it fails."""
    code, text = captured(*command)
    if code != 0:
        sys.exit(code)
    return text


def run_with_log(*command: str, log: str, failure: str) -> None:
    """Writes what the program prints to the file `log`, and shows that only if the program fails."""
    with open(log, "wb") as file:
        code, _ = _call(command, stdout=file, stderr=subprocess.STDOUT)
    if code != 0:
        with open(log, errors="replace") as text:
            sys.stderr.write(text.read())
        die(failure, UNEXPECTED)


def run_with_copy(*command: str, copy: str) -> None:
    """Shows what the program prints, and writes it to the file `copy`."""
    run("bash", "-o", "pipefail", "-c", 'copy=$1; shift; "$@" | tee "$copy"', "bash", copy, *command)
