# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""python3 -m validation.attack.hostile [--reference] [--hello=HOW]: the hostile worker as a program."""

from __future__ import annotations

import sys

from validation.attack.hostile import greetings
from validation.attack.hostile.all import TABLE
from validation.attack.hostile.worker import Worker


def main() -> None:
    role, hello = "target", "good"
    for argument in sys.argv[1:]:
        if argument == "--reference":
            role = "reference"
        if argument.startswith("--hello="):
            hello = argument.removeprefix("--hello=")
    worker = Worker(role, {name: entry.act for name, entry in TABLE.items()})
    greetings.TABLE[hello](worker)
    worker.serve()


main()
