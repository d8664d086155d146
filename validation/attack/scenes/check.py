# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How attacks by a function end: what was seen, or Broken with every promise that does not hold."""

from __future__ import annotations

from collections.abc import Collection

from validation.attack.arena import Broken
from validation.attack.judge import Promise, Seen, judge, summary

ANY = ("pass", "fail", "crash", "timeout", "out_of_memory", "flaky")
# How a case may end whose reference was attacked as well, or whose reference alone was attacked.
ANY_OF_BOTH = (*ANY, "skipped", "inconclusive")
ANY_OF_REFERENCE = ("pass", "skipped", "inconclusive")


def check(seen: Seen, promise: Promise) -> str:
    if breaches := judge(seen, promise):
        raise Broken("; ".join(breaches))
    return summary(seen)


def check_refusal(seen: Seen, codes: Collection[int], *words: str) -> str:
    """The program ended with one of the codes and a sentence that has one of the words."""
    breaches = judge(seen, Promise(codes=codes, complete=False))
    said = seen.stderr.strip()
    if not breaches and not any(word in said for word in words):
        breaches.append(f"its message has none of {', '.join(words)}: {said[-200:]}")
    if breaches:
        raise Broken("; ".join(breaches))
    return f"exit {seen.code}: {said.splitlines()[-1][:100]}"
