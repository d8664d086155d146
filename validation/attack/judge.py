# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares what was seen of a run with what was promised.

    breaches = judge(Seen(code=1, results=read(path)), Promise(codes={1}, good=["a"], attacked={"b": {"crash"}}))

The list is empty if every promise held.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from validation.attack.results import Results
from validation.attack.traces import Process
from validation.tables import exit_codes, statuses_with

# docs/exit-codes.md, without the code for a defect of opbyop
DOCUMENTED = frozenset(exit_codes().values()) - {exit_codes()["kInternal"]} | {129, 130, 143}
PROBLEMS = statuses_with("kProblem")
SAYS_NOTHING = statuses_with("kUnjudged") | {"mistrusted"}
NOTHING_JUDGED = exit_codes()["kNothingJudged"]
MAX_REASON = 64 << 10
MAX_RECORD = 1 << 20
MAX_PARENT_KB = 400 << 10  # for a run of some dozen cases, with several copies of one reply of 16 MiB
CUT = re.compile(r"…|\.\.\.|\bcut\b|\bmore\b|\bbytes\b|truncated")


@dataclass(frozen=True)
class Promise:
    codes: Collection[int] = (0, 1)
    good: Collection[str] = ()  # cases that must pass, each exactly once
    good_ends: Collection[str] = ("pass",)
    spoilers: Collection[str] = ()  # a good case may be flaky if it names one of these as its spoiler
    attacked: Mapping[str, Collection[str]] = field(default_factory=dict)  # case -> allowed statuses
    marked: Collection[str] = ()  # cases whose reason was too long, which the record must say
    complete: bool = True  # whether the footer is there, and every case recorded
    parent_kb: int = MAX_PARENT_KB
    leaves_files: bool = False  # a killed parent cannot remove its scratch folders


@dataclass
class Seen:
    code: int | None = None  # negative: a signal; None: had to be ended from outside
    stdout: str = ""
    stderr: str = ""
    peak_kb: int = 0
    results: Results = field(default_factory=Results)
    processes: list[Process] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def judge(seen: Seen, promise: Promise) -> list[str]:
    """Breaches of the promise; those of the run itself come first."""
    return [
        *_of_the_run(seen, promise),
        *_of_the_results(seen.results, promise),
        *_of_the_cases(seen.results, promise),
        *_of_the_code(seen, promise),
    ]


def judge_case(seen: Results, case_id: str, allowed: Collection[str], marked: bool) -> list[str]:
    """Breaches of the promise about one attacked case."""
    times = seen.times()[case_id]
    if times != 1:
        return [f"{case_id} is recorded {times} times"]
    status, reason = seen.ends()[case_id], seen.reason(case_id)
    breaches = []
    if status not in allowed:
        breaches.append(f"{case_id} is {status}, promised {' or '.join(sorted(allowed))}: {reason[:120]}")
    if status != "pass" and not reason.strip():
        breaches.append(f"{case_id} is {status} without a reason")
    if len(reason.encode(errors="surrogatepass")) > MAX_REASON:
        breaches.append(f"the reason of {case_id} has {len(reason)} characters")
    if marked and len(reason) > 1000 and not CUT.search(reason[-200:]):
        breaches.append(f"the reason of {case_id} is cut without a mark: …{reason[-40:]}")
    return breaches


def _of_the_run(seen: Seen, promise: Promise) -> list[str]:
    breaches = []
    if seen.code is None:
        breaches.append("the parent did not end")
    elif seen.code < 0 and seen.code not in promise.codes:
        breaches.append(f"the parent died of signal {-seen.code}")
    if seen.peak_kb > promise.parent_kb:
        breaches.append(f"the parent grew to {seen.peak_kb >> 10} MB, the bound is {promise.parent_kb >> 10} MB")
    if seen.processes:
        commands = Counter(process.command[:60] for process in seen.processes)
        breaches.append(f"{len(seen.processes)} processes left: {'; '.join(list(commands)[:3])}")
    if seen.files and not promise.leaves_files:
        breaches.append(f"left behind: {', '.join(seen.files[:3])}")
    return breaches


def _of_the_results(results: Results, promise: Promise) -> list[str]:
    breaches = [*results.errors[:3]]
    if not promise.complete:
        return breaches
    if not results.exists:
        return [*breaches, "there is no results.jsonl"]
    if results.header is None:
        breaches.append("the results have no header")
    if results.footer is None:
        breaches.append("the results have no footer")
    if results.torn:
        breaches.append("the results end within a line")
    if results.largest_line > MAX_RECORD:
        breaches.append(f"a record has {results.largest_line} bytes")
    return breaches


def _of_the_cases(results: Results, promise: Promise) -> list[str]:
    ends, times = results.ends(), results.times()
    breaches = []
    lost = [case_id for case_id in promise.good if case_id not in ends]
    if lost and promise.complete:
        breaches.append(f"{len(lost)} good cases lost: {', '.join(lost[:3])}")
    if doubled := [case_id for case_id, count in times.items() if count > 1]:
        breaches.append(f"{len(doubled)} cases recorded twice: {', '.join(doubled[:3])}")
    for case_id in promise.good:
        spoiled = ends.get(case_id) == "flaky" and results.spoiler(case_id) in promise.spoilers
        if case_id in ends and ends[case_id] not in promise.good_ends and not spoiled:
            breaches.append(f"the good case {case_id} is {ends[case_id]}: {results.reason(case_id)[:120]}")
    for case_id, allowed in promise.attacked.items():
        breaches += judge_case(results, case_id, allowed, case_id in promise.marked)
    return breaches


def _of_the_code(seen: Seen, promise: Promise) -> list[str]:
    if seen.code is None or (seen.code < 0 and seen.code not in promise.codes):
        return []  # reported before
    ends = seen.results.ends().values()
    if ends and promise.complete and 0 in promise.codes and SAYS_NOTHING.issuperset(ends):
        if seen.code == NOTHING_JUDGED:
            return []
        return [f"exit code {seen.code} of a run that judged nothing"]
    if seen.code not in promise.codes:
        return [f"exit code {seen.code}, promised {' or '.join(map(str, sorted(promise.codes)))}: {_last(seen.stderr)}"]
    if seen.code in (0, 1) and promise.complete:
        is_red = bool(seen.results.events) or any(status in PROBLEMS for status in ends)
        if is_red != (seen.code == 1):
            return [f"exit code {seen.code} of a run that is {'red' if is_red else 'green'}"]
    return []


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "nothing on standard error"


def summary(seen: Seen) -> str:
    """One line about what was seen of a run."""
    ends = Counter(seen.results.ends().values())
    parts = ["no end" if seen.code is None else f"exit {seen.code}"]
    parts += [f"{count} {status}" for status, count in sorted(ends.items())]
    if seen.peak_kb:
        parts.append(f"parent {seen.peak_kb >> 10} MB")
    return ", ".join(parts)
