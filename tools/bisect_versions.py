# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`opbyop bisect`: the first version of a toolchain from PyPI with which a row fails.

Versions come from `pip index versions`, in its order. Each gets an environment of its own in the cache, which stays,
and runs the row with it by `opbyop repro`. A version that cannot be installed or does not start is left out, and the
search goes on beside it. What the index is, is pip's affair: PIP_INDEX_URL, PIP_FIND_LINKS and pip.conf hold.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCHEMA = "opbyop-bisection/1"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.M)
UNTESTABLE = "not tested"
# What an environment must not be taken for that was made only in part.
COMPLETE = ".complete"

OK, NO_INPUT, NOTHING, USAGE = 0, 3, 7, 2


class Stop(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclasses.dataclass
class Tested:
    version: str
    ending: str  # "pass", "fail in compare", ...; UNTESTABLE
    diagnostic: str
    seconds: float

    @property
    def usable(self) -> bool:
        return self.ending != UNTESTABLE


def pip(*arguments: str, python: Path | None = None) -> subprocess.CompletedProcess[str]:
    into = ["--python", str(python)] if python else []
    return subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *into, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def versions_of(package: str, pre: bool) -> list[str]:
    """All that the index has for this Python, oldest first."""
    done = pip("index", "versions", package, *(["--pre"] if pre else []))
    found = re.search(r"^Available versions: (.+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        last = (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
        raise Stop(NO_INPUT, f"{package}: no versions found: {last}")
    return found.group(1).split(", ")[::-1]


def between(versions: list[str], good: str, bad: str, package: str) -> list[str]:
    for version in (good, bad):
        if version not in versions:
            raise Stop(
                NO_INPUT,
                f"{package}: the index has no version {version} for this Python; it has "
                f"{', '.join(versions[-12:])}{' and older ones' if len(versions) > 12 else ''}",
            )
    first, last = versions.index(good), versions.index(bad)
    if first >= last:
        raise Stop(USAGE, f"--good {good} is not older than --bad {bad}: what a later version mended is not searched")
    return versions[first : last + 1]


class Toolchain:
    """The packages of a target, in environments of several versions."""

    def __init__(self, facts: dict[str, Any], packages: list[str], cache: Path) -> None:
        self.facts = facts
        file = Path(facts["root"]) / facts["requirements"] if facts["requirements"] else None
        text = file.read_text(encoding="utf-8") if file and file.exists() else ""
        pins = dict(PINNED.findall(text))
        if not packages and not pins:
            raise Stop(USAGE, f"target {facts['name']} has no pinned requirements: name its --package")
        first = next(iter(pins.values()), "")
        self.packages = packages or [name for name, version in pins.items() if version == first]
        # The others as the versions want them: pins of another year would not resolve.
        self.others = [name for name in pins if name not in self.packages]
        self.cache = cache

    def environment(self, version: str) -> Path:
        """The Python of the version's environment."""
        folder = self.cache / f"{self.packages[0]}-{version}-py{sys.version_info[0]}.{sys.version_info[1]}"
        python = folder / "bin/python"
        if (folder / COMPLETE).exists():
            return python
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], check=True)
        wanted = [f"{name}=={version}" for name in self.packages] + self.others
        done = pip("install", "--quiet", "--no-compile", *wanted, python=python)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
            raise Stop(NO_INPUT, f"not installed: {(lines or ['pip says nothing'])[0]}")
        (folder / COMPLETE).write_text("\n".join(wanted) + "\n")
        return python

    def target(self, python: Path, folder: Path) -> str:
        """The target as a name or file; of a plugin in the environment a file that names it there."""
        text = Path(self.facts["file"]).read_text(encoding="utf-8") if self.facts["file"] else ""
        inside = re.sub(r"\{venvs\}/\.venv-[\w-]+(?=/)", str(python.parents[1]), text)
        if inside == text:
            return str(self.facts["given"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "target.yaml").write_text(inside, encoding="utf-8")
        return str(folder / "target.yaml")


class Row:
    """The row under test, with one version after the other."""

    def __init__(self, arguments: argparse.Namespace, toolchain: Toolchain) -> None:
        self.arguments = arguments
        self.toolchain = toolchain

    def test(self, version: str) -> Tested:
        begin = time.monotonic()

        def tested(ending: str, diagnostic: str) -> Tested:
            return Tested(version, ending, " ".join(diagnostic.split())[:300], time.monotonic() - begin)

        folder = self.arguments.output / version
        try:
            python = self.toolchain.environment(version)
        except Stop as why:
            return tested(UNTESTABLE, str(why))
        command = [
            str(Path(self.toolchain.facts["bin"]) / "opbyop"), "repro", self.arguments.row,
            "--run", str(self.arguments.run),
            "--target", self.toolchain.target(python, folder),
            "--seed", str(self.arguments.seed),
            "-o", str(folder / "run"),
        ]  # fmt: skip
        if self.arguments.policy:
            command += ["--policy", self.arguments.policy]
        results = folder / "run/results.jsonl"
        results.unlink(missing_ok=True)
        environment = {**os.environ, "OPBYOP_PYTHON": str(python), "PYTHONPATH": ""}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
        records = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
        cases = [record for record in records if record["record"] == "case"]
        if not cases:
            return tested(UNTESTABLE, (done.stderr.strip().splitlines() or ["no result"])[-1])
        record = cases[-1]
        where = f" in {record['stage']}" if record["status"] != "pass" else ""
        return tested(record["status"] + where, record.get("diagnostic", ""))


def search(versions: list[str], test: Callable[[str], Tested]) -> tuple[list[Tested], str, str]:
    """What was tested, the last version that does not fail so, and the first that does."""
    tested: dict[str, Tested] = {}

    def run(version: str) -> Tested:
        if version not in tested:
            tested[version] = test(version)
            one = tested[version]
            print(f"{version}: {one.ending}{': ' + one.diagnostic if one.diagnostic else ''}", flush=True)
        return tested[version]

    good, bad = run(versions[0]), run(versions[-1])
    for end, word in ((good, "--good"), (bad, "--bad")):
        if not end.usable:
            raise Stop(NO_INPUT, f"{word} {end.version}: {end.diagnostic}")
    if good.ending == bad.ending:
        raise Stop(NOTHING, f"{good.version} and {bad.version} end alike ({good.ending}): there is nothing to search")
    first, last = 0, len(versions) - 1
    while last - first > 1:
        middle = (first + last) // 2
        # The nearest to the middle that can be tested.
        order = sorted(range(first + 1, last), key=lambda i: abs(i - middle))
        at = next((i for i in order if run(versions[i]).usable), None)
        if at is None:
            break
        if tested[versions[at]].ending == bad.ending:
            last = at
        else:
            first = at
    return [tested[version] for version in versions if version in tested], versions[first], versions[last]


def table(tested: list[Tested]) -> str:
    lines = ["| version | ends | diagnostic | seconds |", "|---|---|---|---|"]
    for one in tested:
        diagnostic = one.diagnostic.replace("|", "\\|")
        lines.append(f"| {one.version} | {one.ending} | {diagnostic} | {one.seconds:.0f} |")
    return "\n".join(lines) + "\n"


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "opbyop/bisect"


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="opbyop bisect")
    parser.add_argument("row")
    for name in ("--good", "--bad", "--policy", "--seed"):
        parser.add_argument(name, default="")
    for name in ("--run", "--output"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=None)
    parser.add_argument("--package", action="append", default=[])
    parser.add_argument("--pre", action="store_true")
    parser.add_argument("--target-facts", type=json.loads, required=True)
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    arguments = parse(argv)
    try:
        toolchain = Toolchain(arguments.target_facts, arguments.package, arguments.cache or default_cache())
        package = toolchain.packages[0]
        versions = between(versions_of(package, arguments.pre), arguments.good, arguments.bad, package)
        tested, good, bad = search(versions, Row(arguments, toolchain).test)
    except Stop as why:
        print(f"opbyop: {why}", file=sys.stderr)
        return why.code
    skipped = versions[versions.index(good) + 1 : versions.index(bad)]
    said = f"first bad version: {bad}, last good version: {good}"
    if skipped:
        said += f"; between them {', '.join(skipped)} could not be tested"
    arguments.output.mkdir(parents=True, exist_ok=True)
    title = f"# {arguments.row}: {', '.join(toolchain.packages)}\n\n"
    (arguments.output / "bisection.md").write_text(title + said + "\n\n" + table(tested), encoding="utf-8")
    facts = {
        "schema": SCHEMA,
        "row": arguments.row,
        "target": toolchain.facts["name"],
        "packages": toolchain.packages,
        "good": good,
        "bad": bad,
        "untested": skipped,
        "tested": [dataclasses.asdict(one) for one in tested],
    }
    (arguments.output / "bisection.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print("\n" + table(tested) + "\n" + said)
    return OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
