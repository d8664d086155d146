# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Ends an attack by a function: returns what was seen, or raises Broken with every promise that does not hold."""

from __future__ import annotations

from collections.abc import Collection

from validation.attack.arena import Broken
from validation.attack.judge import Promise, Seen, judge, summary

ANY = ("pass", "fail", "crash", "timeout", "out_of_memory", "flaky")
# The allowed statuses of a case if the reference was attacked, alone or too.
ANY_OF_BOTH = (*ANY, "skipped", "inconclusive")
ANY_OF_REFERENCE = ("pass", "skipped", "inconclusive")


def check(seen: Seen, promise: Promise) -> str:
    if breaches := judge(seen, promise):
        raise Broken("; ".join(breaches))
    return summary(seen)


def check_refusal(seen: Seen, codes: Collection[int], *words: str) -> str:
    """Checks that the program ended with one of the codes and a sentence that has one of the words."""
    breaches = judge(seen, Promise(codes=codes, complete=False))
    said = seen.stderr.strip()
    if not breaches and not any(word in said for word in words):
        breaches.append(f"its message has none of {', '.join(words)}: {said[-200:]}")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {said.splitlines()[-1][:100]}"
