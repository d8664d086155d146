# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tables of the results of the reader and the writer on the corpora.

    python3 -m validation.corpus.corpus --program build/bin/opbyop-corpus [SET...]

One line per set: how many sections are accepted, are accepted or rejected as their author expects, print as a fixed
point, can be read back from portable artifacts of every version that can hold them (`held` counts those that at least
one version holds, `artifacts` the artifacts that were written), and split. Below are the failures, each with its
reason. Exits with 0 if no set falls below --floor (JSON: set -> column -> least count), and with 77 (skipped) if the
corpora are absent.
"""

import argparse
import collections
import json
import re
import subprocess
import sys

from fixtures.corpora.folder import corpora_or_exit

OP_WITHOUT_FORM = re.compile(r"(\w+)\.[\w.-]+ has no form in a portable artifact")
FLAGS = ("accepted", "agrees", "fixed_point", "round_trip", "splits")
COLUMNS = (
    "files",
    "sections",
    "accepted",
    "agrees",
    "fixed_point",
    "round_trip",
    "held",
    "artifacts",
    "splits",
)


def count(line: dict, totals: collections.Counter) -> None:
    totals["files"] += 1
    for section in line["sections"]:
        totals["sections"] += 1
        totals["artifacts"] += section["artifacts"]
        totals["held"] += section["artifacts"] > 0
        for flag in FLAGS:
            totals[flag] += section[flag]


def foreign_dialect(section: dict) -> str:
    """ "check" if an op check.expect_eq is the reason why no artifact can hold the section."""
    found = OP_WITHOUT_FORM.search(section.get("inexpressible", ""))
    return found[1] if found else ""


def below(floors: dict, totals: dict) -> list[str]:
    return [
        f"{name}: {totals[name][column]} {column}, expected {least}"
        for name, columns in floors.items()
        if name in totals
        for column, least in columns.items()
        if totals[name][column] < least
    ]


def load(path: str | None) -> dict:
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--floor", help="JSON file: set -> column -> least count")
    parser.add_argument("--known", help="JSON file: file:line -> why it has a problem")
    parser.add_argument("sets", nargs="*")
    arguments = parser.parse_args()
    corpora = corpora_or_exit("corpora")
    floors = load(arguments.floor)
    known = load(arguments.known)

    command = [arguments.program, str(corpora)]
    for name in arguments.sets:
        command += ["--set", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    totals: dict[str, collections.Counter] = {}
    dialects: collections.Counter = collections.Counter()
    problems = []
    for line in map(json.loads, sorted(done.stdout.splitlines())):
        count(line, totals.setdefault(line["set"], collections.Counter()))
        for section in line["sections"]:
            dialects[foreign_dialect(section)] += 1
            place = f"{line['file']}:{section['line']}"
            problems += [f"{place}: {known.get(place, p)}" for p in section["problems"]]

    print(f"{'set':<15}" + "".join(f"{column:>12}" for column in COLUMNS))
    for name in sorted(totals):
        print(f"{name:<15}" + "".join(f"{totals[name][column]:>12}" for column in COLUMNS))
    del dialects[""]
    print("no artifact holds the ops of: ", end="")
    print(", ".join(f"{dialect} ({n} sections)" for dialect, n in dialects.most_common()))
    print(f"{len(problems)} problems" + "".join(f"\n  {problem}" for problem in problems))
    short = below(floors, totals)
    print("".join(f"below its floor: {line}\n" for line in short), end="")
    return done.returncode or (1 if short else 0)


if __name__ == "__main__":
    sys.exit(main())
