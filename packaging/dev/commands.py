# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The table of commands. help.txt describes each: it is a file of its own because ./dev shows it without Python too.

main(["nightly", "--target=host"])       # the exit code
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable

from dev import checkout
from dev.build import build
from dev.corpora import corpora, corpus, differential
from dev.export import export
from dev.lint import format_sources, lint
from dev.machine import doctor, setup
from dev.measures import attack, bench, false_positives, faults, fuzz, sensitivity, tightness
from dev.nightly import nightly
from dev.package import package
from dev.process import UNEXPECTED, die
from dev.profile import profile
from dev.site import site
from dev.tests import coverage, external, oracle, test
from dev.toolchains import toolchains


def help(arguments: list[str]) -> None:
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        text = file.read()
    if arguments:
        name = known(arguments[0])
        text = "".join(re.findall(rf"^\./dev {name} .*\n(?:\./dev {name} .*\n| .*\n)*", text, re.M))
    print(text, end="")


COMMANDS: dict[str, Callable[[list[str]], int | None]] = {
    **{"nightly": nightly, "profile": profile, "test": test, "build": build, "setup": setup, "doctor": doctor},
    **{"toolchains": toolchains},
    **{"package": package, "export": export, "site": site, "format": format_sources, "lint": lint, "help": help},
    **{"corpora": corpora, "corpus": corpus, "differential": differential, "oracle": oracle, "external": external},
    **{"sensitivity": sensitivity, "faults": faults, "tightness": tightness, "false-positives": false_positives},
    **{"coverage": coverage, "attack": attack, "fuzz": fuzz, "bench": bench},
}


def known(name: str) -> str:
    if name not in COMMANDS:
        die(f"unknown command {name}: try './dev help'")
    return name


def main(arguments: list[str]) -> int:
    """The exit code, one of docs/exit-codes.md. Codes of other programs that it lacks, such as apt's 100, become 1."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:  # the shell that started ./dev sees that a signal ended it
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        code = 128 + signal.SIGINT
    except BrokenPipeError:  # nobody reads the output; the flush at the end of Python must not fail on it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 128 + signal.SIGPIPE
    except OSError as error:
        print(f"{error.filename or 'input or output'}: {error.strerror}", file=sys.stderr)
        code = UNEXPECTED
    return UNEXPECTED if 8 < code < 128 and code != 70 else code


def _run(arguments: list[str]) -> int:
    checkout.enter()
    name, *others = arguments or ["help"]
    if name in ("--help", "-h"):
        name = "help"
    known(name)
    if others and others[0] in ("--help", "-h"):
        name, others = "help", [name]
    return COMMANDS[name](others) or 0
