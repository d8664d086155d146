# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tables of the C++ sources that other languages have to agree with.

statuses()["fail"]           # {"kOfWorker", "kFailure", "kProblem", "kBlocking"}
exit_codes()["kNoInput"]     # 3
element_types()["f8E4M3"]    # 8, its bits
fields()["Comparison"]       # {"accepted": True, "constant": False, ...}
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def rows(file: str, pattern: str) -> list[tuple[str, ...]]:
    """The groups of each line that the pattern matches; there must be some."""
    found = [line.groups() for line in re.finditer(pattern, (ROOT / file).read_text(), re.M)]
    if not found:
        raise LookupError(f"{file} has no line of the form {pattern}: was its table written in another form?")
    return found


@functools.cache
def statuses() -> dict[str, frozenset[str]]:
    """Each status with what is true of it (StatusTrait), in the order of their numbers."""
    lines = rows("manifests/status/status.h", r'^    \{Status::k\w+, "(\w+)", ([\w |]+)\},$')
    return {name: frozenset(traits.split(" | ")) - {"0"} for name, traits in lines}


def statuses_with(trait: str) -> frozenset[str]:
    return frozenset(name for name, traits in statuses().items() if trait in traits)


@functools.cache
def exit_codes() -> dict[str, int]:
    return {name: int(code) for name, code in rows("support/exit_code.h", r"^  (k\w+) = (\d+),")}


@functools.cache
def element_types() -> dict[str, int]:
    """The bits of each element type of StableHLO, in the reference's order."""
    return {name: int(bits) for name, bits in rows("reference/tensor/element_type.cc", TYPE)}


@functools.cache
def fields() -> dict[str, dict[str, bool]]:
    """The keys of each record of results.jsonl: whether a reader requires them."""
    tables = {}
    for record, body in rows("manifests/results/result_fields.h", r"FieldsOf\(const ([\w:]+)\*\) \{((?:.|\n)*?)\n\}"):
        required = re.findall(r'Required(?:<\w+>)?\("(\w+)"', body)
        tables[record] = {key: key in required for key in re.findall(r'"(\w+)",\s*&\w+::', body)}
    return tables


TYPE = r'^    \{"([\w<>]+)", k(?:Bool|Integer|Float|Complex), \w+, (\d+), [^}]+\},$'
