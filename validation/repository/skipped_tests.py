# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists what a run of ctest did not test, and the command that would test it. Fails if a skip is not allowed.

    ctest --test-dir build --output-junit tests.xml
    python3 -m validation.repository.skipped_tests build/tests.xml [--allowed .ci/allowed_skips.txt]

A skip is a ctest entry that ended with its SKIP_RETURN_CODE, a GTEST_SKIP, or a test that unittest skipped. Its name is
that of the ctest entry; in the latter two cases a slash and the test's own name follow it:
`landlock_test/LandlockTest.Network`.

The list of allowed skips has one line `GLOB: reason` per entry; `#` starts a comment. The exit code is 1 if a skip is
not on the list; it is 0 if no list is given.
"""

from __future__ import annotations

import argparse
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree
from dataclasses import dataclass

# The text that ctest writes for an entry that ended with its SKIP_RETURN_CODE.
SKIP_MESSAGE = re.compile(r"SKIP_RETURN_CODE=\d+")
# A GTEST_SKIP without --gtest_brief: its location, the reason, an empty line and the test's name.
GTEST = re.compile(r"^\S+:\d+: Skipped\n(.*?)\n+\[  SKIPPED \] (\S+) \(", re.MULTILINE | re.DOTALL)
# `python3 -m unittest -v`, whose line may start with the docstring; a skipped subtest has a line of its own.
UNITTEST = re.compile(r"^ *(\w+) \(([\w.]+)\)(?: \[.*\])?(?:\n[^\n]*)? \.\.\. skipped (['\"])(.*)\3$", re.MULTILINE)
# The part of a reason that is a command of this project.
COMMAND = re.compile(r"'(\./dev [^']+)'")


@dataclass(frozen=True)
class Skip:
    """A test that was not run. `name` is as in the list of allowed skips, `reason` is one line."""

    name: str
    reason: str

    @property
    def entry(self) -> str:
        """The ctest entry that it belongs to."""
        return self.name.partition("/")[0]


def one_line(text: str) -> str:
    return " ".join(text.split()).removeprefix("skipped: ")


def skips_of(case: xml.etree.ElementTree.Element) -> list[Skip]:
    """The skips of one <testcase> of ctest's JUnit file."""
    name = case.get("name", "")
    output = case.findtext("system-out") or ""
    skipped = case.find("skipped")
    if skipped is not None:
        if not SKIP_MESSAGE.fullmatch(skipped.get("message", "")):
            return []  # it could not be started, which ctest counts as failed
        lines = [line for line in output.splitlines() if line.strip()]
        reason = next(
            (line for line in lines if line.startswith("skipped: ")), lines[-1] if lines else "no reason given"
        )
        return [Skip(name, one_line(reason))]
    found = [Skip(f"{name}/{test}", one_line(reason)) for reason, test in GTEST.findall(output)]
    for test, path, _, reason in UNITTEST.findall(output):
        # Since Python 3.11 the path ends with the test's name.
        suite = path.removesuffix(f".{test}").rpartition(".")[2]
        found.append(Skip(f"{name}/{suite}.{test}", one_line(reason)))
    return list(dict.fromkeys(found))


def read_allowed(path: pathlib.Path) -> dict[str, str]:
    """Globs of names to the reason why they may be skipped. Raises ValueError with the line of an entry without one."""
    allowed = {}
    for number, text in enumerate(path.read_text().splitlines(), 1):
        line = text.partition("#")[0].strip()
        if not line:
            continue
        glob, _, reason = line.partition(":")
        if not reason.strip():
            raise ValueError(f"{path}:{number}: '{glob}' has no reason; write 'GLOB: reason'")
        allowed[glob.strip()] = reason.strip()
    return allowed


def report(skips: list[Skip], entries: int) -> list[str]:
    """Lines for the end of a run: skips by reason, then the commands that would run them."""
    if not skips:
        return []
    by_reason: dict[str, list[str]] = {}
    for skip in skips:
        by_reason.setdefault(skip.reason, []).append(skip.name)
    skipped = {skip.entry for skip in skips}
    noun = "skip" if len(skips) == 1 else "skips"
    lines = [f"not tested: {len(skips)} {noun} in {len(skipped)} of {entries} ctest entries"]
    for reason, names in sorted(by_reason.items()):
        lines += [f"  {reason}", *(f"    {name}" for name in names)]
    commands: dict[str, list[str]] = {}
    for skip in skips:
        command = COMMAND.search(skip.reason)
        if command:
            commands.setdefault(command.group(1), []).append(skip.entry)
    if commands:
        lines.append("to test them:")
    for command, names in sorted(commands.items()):
        lines.append(f"  {command} && ./dev test -R '^({'|'.join(dict.fromkeys(names))})$'")
    return lines


def refused(skips: list[Skip], allowed: dict[str, str]) -> list[Skip]:
    """The skips that no glob of the list matches."""
    return [skip for skip in skips if not any(fnmatch.fnmatchcase(skip.name, glob) for glob in allowed)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("junit", type=pathlib.Path, metavar="JUNIT", help="what ctest --output-junit wrote")
    parser.add_argument("--allowed", type=pathlib.Path, metavar="FILE", help="the skips that are allowed")
    options = parser.parse_args(arguments)
    cases = list(xml.etree.ElementTree.parse(options.junit).getroot().iter("testcase"))
    skips = [skip for case in cases for skip in skips_of(case)]
    for line in report(skips, len(cases)):
        print(line)
    if not options.allowed:
        return 0
    try:
        allowed = read_allowed(options.allowed)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    wrong = refused(skips, allowed)
    for skip in wrong:
        print(f"{skip.name} may not be skipped: {options.allowed} does not list it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
