# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Feeds programs that must be refused to upstream's parser, which should refuse them all.

    python -m validation.oracle.check_refused DIR

DIR is the output of `opbyop suite stablehlo --refused -o DIR`. The valid program next to each must be accepted.
accepted_by_upstream.py lists the programs that upstream accepts although the specification forbids them; the list must
be exact. Exit code: 0 as expected, 1 not, 2 no case.
"""

import json
import os
import pathlib
import sys

from jaxlib import _jax
from jaxlib.mlir.dialects import stablehlo

from validation.oracle.accepted_by_upstream import ACCEPTED, VALID_REFUSED
from validation.oracle.check_cases import NEWER

VERSION = stablehlo.get_current_version()


def refusal(text: str) -> str | None:
    """The reason why upstream refuses the program; None if it accepts it. A parser that dies has not accepted it; it
    reads each program in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(writing, (parse(text) or "").encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        said = answer.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return f"the parser died with {code}" if code else said or None


def parse(text: str) -> str | None:
    """The reason why XLA's parser refuses the program, if it does. No other parser knows quantized types."""
    try:
        _jax.mlir.serialize_portable_artifact(text, VERSION)
    except Exception as error:
        lines = str(error).splitlines()
        return next((line for line in lines if "error:" in line), lines[0] if lines else type(error).__name__)
    return None


def read_cases(folder: pathlib.Path) -> list[dict]:
    lines = (folder / "manifest.yaml").read_text().splitlines()
    return [json.loads(line[2:]) for line in lines if line.startswith("- {")]


def check(folder: pathlib.Path, known: dict[str, str] = ACCEPTED, valid_refused: dict[str, str] = VALID_REFUSED) -> int:
    cases = read_cases(folder)
    if not cases:
        print(f"check_refused: no case in {folder}", file=sys.stderr)
        return 2
    wrong = newer = accepted = unjudged = 0
    valid: dict[str, str | None] = {}
    for case in cases:
        twin = case["breaks"]["valid"]
        if twin not in valid:
            valid[twin] = refusal((folder / twin).read_text())
        text = (folder / case["file"]).read_text()
        if NEWER.search(text):
            newer += 1
            continue
        if valid[twin] is not None and case["breaks"]["id"] in valid_refused:
            unjudged += 1
        elif valid[twin] is not None:
            wrong += 1
            print(f"{case['id']}: upstream refuses the valid twin: {valid[twin]}")
        elif refusal(text) is not None:
            if case["id"] in known:
                wrong += 1
                print(f"{case['id']}: upstream refuses it by now: take it from the list")
        elif case["id"] in known:
            accepted += 1
        else:
            wrong += 1
            print(f"{case['id']}: upstream accepts it, breaking {case['breaks']['id']}: {case['breaks']['rule']}")
    for stale in sorted(known.keys() - {case["id"] for case in cases}):
        wrong += 1
        print(f"{stale}: listed, and no case of the suite")
    right = len(cases) - wrong - newer - accepted - unjudged
    print(
        f"{right} of {len(cases)} programs refused, {accepted} accepted as known, "
        f"{unjudged} whose valid twin is refused as known, {newer} newer than the bindings, "
        f"{wrong} not as they should be"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(check(pathlib.Path(sys.argv[1])))
