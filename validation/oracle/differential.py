# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs random op instances through the reference, jaxlib's eval_module and XLA CPU.

    python -m validation.oracle.differential --worker build/bin/opbyop-worker --count 10000

Cases of a suite are also given to XLA in f64. The answers are compared by the reference, as if they came from a device:
exact ops must agree bit for bit, others within the derived bounds. A difference is explained by a rule of
differential_known.py, or printed.

Exit code: 0 no unexplained difference, 1 some, 2 bad command line.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np

from validation.oracle import differential_several, differential_structured  # noqa: F401
from validation.oracle.differential_draw import Draw, Instance
from validation.oracle.differential_known import Difference, explain
from validation.oracle.differential_ops import PROGRAMS
from validation.oracle.differential_oracles import Answer, Oracle
from validation.oracle.differential_reference import Reference
from validation.oracle.differential_suite import EVERY, part_of, suite_instances

GROUP = 16
ORACLES = ("eval_module", "xla")
WITH_F64 = (*ORACLES, "xla_f64")
UNSUPPORTED = "unsupported by the reference"
INCONCLUSIVE = "inconclusive"


def instances(count: int, seed: int, only: Sequence[str] = ()) -> Iterator[Instance]:
    """`count` programs, distributed over the table or over the ops of `only`, with every op at least once."""
    chosen = {o.split("/")[0] for o in only} or PROGRAMS.keys()
    total = sum(share for name, (_, share) in PROGRAMS.items() if name in chosen)
    for name, (generate, share) in PROGRAMS.items():
        if name not in chosen:
            continue
        wanted = {int(o.split("/")[1]) for o in only if o.split("/")[0] == name and "/" in o}
        for index in sorted(wanted) or range(max(1, -int(-count * share // total))):
            draw = Draw(seed, name, index)
            generate(draw)
            yield draw.instance()


@dataclasses.dataclass
class Tally:
    """The results of the instances of one op."""

    count: int = 0
    agreed: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    inconclusive: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    explained: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unanswered: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    reasons: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unjudged: int = 0  # no oracle answered them
    unsupported: int = 0  # answers that the reference does not judge
    unexplained: list[str] = dataclasses.field(default_factory=list)


class Run:
    """Tallies by op, filled by several threads."""

    def __init__(self, worker: pathlib.Path, names: Sequence[str] = ORACLES):
        self.worker = worker
        self.names = tuple(names)
        self.tallies: dict[str, Tally] = collections.defaultdict(Tally)
        self._lock = threading.Lock()

    def shard(self, groups: Iterator[list[Instance]]) -> None:
        """Takes groups until there are none."""
        oracles = [Oracle(name) for name in self.names]
        scratch = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            reference = Reference(self.worker, pathlib.Path(folder))
            while True:
                with self._lock:
                    group = next(groups, None)
                if group is None:
                    break
                answers = [oracle.run(group) for oracle in oracles]
                for i, instance in enumerate(group):
                    self._judge(
                        instance,
                        {n: a[i] for n, a in zip(self.names, answers, strict=True)},
                        reference,
                    )
            reference.close()
        for oracle in oracles:
            oracle.close()

    def _judge(self, instance: Instance, answers: dict[str, Answer], reference: Reference) -> None:
        reference.load(instance)
        verdicts = {
            name: judge(instance, name, answer, reference)
            for name, answer in answers.items()
            if not isinstance(answer, str)
        }
        reference.unload()
        with self._lock:
            tally = self.tallies[instance.op]
            tally.count += 1
            tally.unjudged += not verdicts
            for name, answer in answers.items():
                if isinstance(answer, str):
                    tally.unanswered[name] += 1
                    tally.reasons[f"{name}: not answered: {answer}"] += 1
            for name, (rules, complaint) in verdicts.items():
                if complaint == UNSUPPORTED:
                    tally.unsupported += 1
                elif complaint == INCONCLUSIVE:
                    tally.inconclusive[name] += 1
                    tally.reasons[f"{name}, {instance.id}: {complaint}"] += 1
                elif complaint:
                    line = f"{instance.id} {name}: {complaint}"
                    tally.unexplained.append(line)
                    print(line, file=sys.stderr, flush=True)
                elif rules:
                    tally.explained.update(f"{name}: {rule}" for rule in rules)
                else:
                    tally.agreed[name] += 1


def judge(instance: Instance, oracle: str, answer: list[np.ndarray], reference: Reference) -> tuple[set[str], str]:
    """The rules that explain the differences, and a difference that no rule explains."""
    reply = reference.judge(instance, oracle, answer)
    comparisons = reply.get("comparisons", [])
    if reply["status"] == "pass":
        return set(), INCONCLUSIVE if any(c.get("unbounded", 0) for c in comparisons) else ""
    if reply["status"] == "unsupported":
        return set(), UNSUPPORTED
    if reply["status"] == "imprecise":
        return set(), f"imprecise: {reply['diagnostic']}"
    reply = reference.judge(instance, oracle, answer, keep=True)
    comparisons = reply.get("comparisons", [])
    if len(comparisons) < len(answer):
        return set(), f"the reference: {reply['status']}: {reply['diagnostic']}"
    rules: set[str] = set()
    for i, comparison in enumerate(comparisons):
        if comparison["accepted"]:
            continue
        dtype, shape = instance.results[i]
        expected, bound = reference.expected(i, dtype)
        exact = comparison["rule"].startswith("bit-exact")
        difference = Difference(instance, oracle, i, dtype, answer[i], expected.reshape(shape), bound, exact)
        names, rest = explain(difference)
        rules |= names
        if rest is not None:
            return rules, f"{rest} ({comparison['rule']})"
    return rules, ""


def of_suite(
    folder: pathlib.Path, worker: pathlib.Path, policy: str, part: slice, only: Sequence[str], verbose: bool
) -> list[Instance]:
    """The cases that the evaluators can run, restricted to `only` by id or op; prints how many others there are."""
    drawn, others = [], collections.Counter()
    for each in suite_instances(folder, worker, policy, part):
        if isinstance(each, str):
            others[re.sub(r".*?: ", "", each, count=1)] += 1
        elif not only or each.op in only or each.id in only:
            drawn.append(each)
    print(f"{others.total()} cases without an array of NumPy or without inputs")
    if verbose:
        for reason, count in others.most_common():
            print(f"    {count} {reason}")
    return drawn


def run(worker: pathlib.Path, drawn: Sequence[Instance], jobs: int, names: Sequence[str] = ORACLES) -> Run:
    # Ops of one kind are spread over the groups, so that all groups take about the same time.
    spread = sorted(range(len(drawn)), key=lambda i: (i * 2654435761) % 2**32)
    order = [drawn[i] for i in spread]
    groups = iter([order[i : i + GROUP] for i in range(0, len(order), GROUP)])
    done = Run(worker, names)
    # An error of a shard ends the run: a part of the programs would prove nothing about the rest.
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for shard in [pool.submit(done.shard, groups) for _ in range(jobs)]:
            shard.result()
    return done


def report(done: Run, verbose: bool) -> int:
    """Prints the table; returns the number of unexplained differences."""
    print(
        f"{'op':28} {'programs':>8} {'eval_module':>12} {'xla':>6} {'xla_f64':>7} {'explained':>9}"
        f" {'inconclusive':>12} {'unjudged':>8} {'differ':>6}"
    )
    unexplained = [line for tally in done.tallies.values() for line in tally.unexplained]
    for op, t in sorted(done.tallies.items()):
        differ = len(t.unexplained)
        counts = f"{t.agreed['eval_module']:>12} {t.agreed['xla']:>6} {t.agreed['xla_f64']:>7} {t.explained.total():>9}"
        print(f"{op:28} {t.count:>8} {counts} {t.inconclusive.total():>12} {t.unjudged:>8} {differ:>6}")
        if verbose:
            for reason, count in t.reasons.most_common():
                print(f"    {count} by {reason}")
    explained: collections.Counter = sum((t.explained for t in done.tallies.values()), collections.Counter())
    print("\nexplained differences")
    for rule, count in explained.most_common():
        print(f"  {count:>6} {rule}")
    print()
    for line in unexplained:
        print(f"unexplained: {line}")
    total = {name: sum(t.agreed[name] for t in done.tallies.values()) for name in WITH_F64}
    print(
        f"{sum(t.count for t in done.tallies.values())} programs of {len(done.tallies)} ops:"
        f" {total['eval_module']} agree with eval_module, {total['xla']} with XLA CPU,"
        f" {total['xla_f64']} with XLA in f64,"
        f" {explained.total()} differences explained, {len(unexplained)} unexplained,"
        f" {sum(t.inconclusive.total() for t in done.tallies.values())} answers inconclusive,"
        f" {sum(t.unjudged for t in done.tallies.values())} answered by none,"
        f" {sum(t.unsupported for t in done.tallies.values())} answers unsupported by the reference"
    )
    return len(unexplained)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m validation.oracle.differential",
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("--worker", type=pathlib.Path, default=pathlib.Path("build/bin/opbyop-worker"))
    parser.add_argument("--count", type=int, default=10000, help="programs, shared out over the ops")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="+", default=[], metavar="OP[/INDEX]")
    parser.add_argument("--suite", type=pathlib.Path, metavar="DIR", help="the cases there instead of random programs")
    parser.add_argument("--policy", choices=("domain", "edge", "sweep"), default="domain", help="of a suite's inputs")
    parser.add_argument("--shard", type=part_of, default=EVERY, metavar="K/N", help="the K-th of N parts of a suite")
    parser.add_argument("--show", action="store_true", help="print the programs and inputs, run nothing")
    parser.add_argument("--verbose", action="store_true", help="also why an oracle gave no answer")
    options = parser.parse_args(argv)
    if not options.show and not options.worker.is_file():
        print(
            f"differential: no {options.worker}; './dev build opbyop-worker' makes it",
            file=sys.stderr,
        )
        return 2
    begin = time.monotonic()
    if options.suite:
        worker = options.worker.resolve()
        drawn = of_suite(options.suite, worker, options.policy, options.shard, options.only, options.verbose)
    else:
        drawn = list(instances(options.count, options.seed, options.only))
    if not drawn:
        print(f"differential: no op of {options.only} is in the table", file=sys.stderr)
        return 2
    if options.show:
        for instance in drawn:
            print(f"// {instance.id} {instance.notes}\n{instance.text}")
            for i, data in enumerate(instance.inputs):
                print(f"// input {i}: {data.tolist()}")
        return 0
    names = WITH_F64 if options.suite else ORACLES
    unexplained = report(run(options.worker.resolve(), drawn, options.jobs, names), options.verbose)
    print(f"{time.monotonic() - begin:.0f} s")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
