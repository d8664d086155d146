# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`opbyop bisect`: finds the first version of a toolchain on PyPI with which a row fails.

Versions come from `pip index versions`, in its order. Each gets its own environment in the cache, which is kept, and
runs the row in it by `opbyop repro`. A version that cannot be installed or does not start is left out, and the search
continues with its neighbours. pip's own settings choose the index: PIP_INDEX_URL, PIP_FIND_LINKS and pip.conf.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "bundle"))

import safe_output

SCHEMA = "opbyop-bisection/1"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)(?:\s*;\s*python_version\s*(>=|<)\s*['\"]3\.(\d+)['\"])?", re.M)
PASS = "pass"
UNTESTABLE = "not tested"
# Messages about a worker that does not start have its command before the reason.
LONG_COMMAND = re.compile(r"`[^`]{60,}` ")
# Marks a complete environment; without it, the environment was made only in part.
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
    """All versions that the index has for this Python, oldest first."""
    done = pip("index", "versions", package, *(["--pre"] if pre else []))
    found = re.search(r"^Available versions: (.+)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        last = (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
        raise Stop(NO_INPUT, f"{package}: no versions found: {last}")
    return found.group(1).split(", ")[::-1]


def pins_of(requirements: str, minor: int = sys.version_info[1]) -> dict[str, str]:
    """The versions of packages that a file pins for Python 3.`minor`, in the order of their first lines."""
    found = PINNED.findall(requirements)
    order = {name: None for name, *_ in found}
    pins = {
        name: version
        for name, version, relation, than in found
        if not relation or (minor >= int(than)) == (relation == ">=")
    }
    return {name: pins[name] for name in order if name in pins}


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
        raise Stop(USAGE, f"--good {good} is not older than --bad {bad}: what a later version fixed is not searched")
    return versions[first : last + 1]


class Toolchain:
    """The packages of a target, in environments of several versions."""

    def __init__(self, facts: dict[str, Any], packages: list[str], cache: Path) -> None:
        self.facts = facts
        file = Path(facts["root"]) / facts["requirements"] if facts["requirements"] else None
        text = file.read_text(encoding="utf-8") if file and file.exists() else ""
        pins = pins_of(text)
        if not packages and not pins:
            raise Stop(USAGE, f"target {facts['name']} has no pinned requirements: name its --package")
        first = next(iter(pins.values()), "")
        self.packages = packages or [name for name, version in pins.items() if version == first]
        # The other packages get the versions that the toolchain requires. The pinned versions fit only the pinned
        # toolchain.
        self.others = [name for name in pins if name not in self.packages]
        # A program beside the requirements adds what no package has (device/python/make_venv.sh).
        self.completion = file.with_suffix(".py") if file else None
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
        if self.completion and self.completion.exists():
            done = subprocess.run([python, self.completion, folder], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
                raise Stop(NO_INPUT, f"not installed: {self.completion.name}: {last}")
        (folder / COMPLETE).write_text("\n".join(wanted) + "\n")
        return python

    def target(self, python: Path, folder: Path) -> str:
        """The target as a name or file; for a plugin in the environment, a file that names the plugin there."""
        text = Path(self.facts["file"]).read_text(encoding="utf-8") if self.facts["file"] else ""
        inside = re.sub(r"\{venvs\}/\.venv-[\w-]+(?=/)", str(python.parents[1]), text)
        if inside == text:
            return str(self.facts["given"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "target.yaml").write_text(inside, encoding="utf-8")
        return str(folder / "target.yaml")


def line_of(diagnostic: str) -> str:
    """The part of a diagnostic that fits into a line of a table."""
    return LONG_COMMAND.sub("", " ".join(diagnostic.split()))[:300]


class Row:
    """The row under test, with one version after the other."""

    def __init__(self, arguments: argparse.Namespace, toolchain: Toolchain) -> None:
        self.arguments = arguments
        self.toolchain = toolchain

    def test(self, version: str) -> Tested:
        begin = time.monotonic()

        def tested(ending: str, diagnostic: str) -> Tested:
            return Tested(version, ending, line_of(diagnostic), time.monotonic() - begin)

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
        where = f" in {record['stage']}" if record["status"] != PASS else ""
        return tested(record["status"] + where, record.get("diagnostic", ""))


class Search:
    """Searches between a version that does not fail and one that does. The attributes are valid at any moment.

    search = Search(["1.0", "1.1", "1.2"], row.test)
    search.run()
    print(search.good, search.bad)  # the last version without the failure, and the first with it
    """

    def __init__(self, versions: list[str], test: Callable[[str], Tested]) -> None:
        self.versions = versions
        self.good, self.bad = versions[0], versions[-1]
        self._test = test
        self._tested: dict[str, Tested] = {}

    @property
    def tested(self) -> list[Tested]:
        """The tested versions from oldest to newest."""
        return [self._tested[version] for version in self.versions if version in self._tested]

    @property
    def between(self) -> list[str]:
        """The versions without a result."""
        return self.versions[self.versions.index(self.good) + 1 : self.versions.index(self.bad)]

    def run(self) -> None:
        good, bad = self._run(self.good), self._run(self.bad)
        for end, word in ((good, "--good"), (bad, "--bad")):
            if not end.usable:
                raise Stop(NO_INPUT, f"{word} {end.version}: {end.diagnostic}")
        if bad.ending == PASS:
            raise Stop(NOTHING, f"--bad {bad.version} passes: there is nothing to search")
        if good.ending == bad.ending:
            raise Stop(
                NOTHING,
                f"--good {good.version} fails too, as --bad {bad.version} does ({bad.ending}): name an older one",
            )
        while between := self.between:
            middle = (len(between) - 1) // 2
            # The testable version that is nearest to the middle.
            order = sorted(between, key=lambda version: abs(between.index(version) - middle))
            found = next((version for version in order if self._run(version).usable), None)
            if found is None:
                break
            if self._tested[found].ending == bad.ending:
                self.bad = found
            else:
                self.good = found

    def _run(self, version: str) -> Tested:
        if version not in self._tested:
            one = self._tested[version] = self._test(version)
            print(f"{version}: {one.ending}{': ' + one.diagnostic if one.diagnostic else ''}", flush=True)
        return self._tested[version]


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


def continue_in_newest_python() -> None:
    """Continues in the Python for which a target would be set up."""
    script = Path(__file__).parents[2] / "device/python/newest_python.sh"
    found = subprocess.run(["sh", str(script), "pip", "venv"], capture_output=True, text=True, check=False)
    newest = found.stdout.strip()
    if found.returncode == 0 and not os.path.samefile(newest, sys.executable):
        os.execv(newest, [newest, *sys.argv])


def main(argv: list[str]) -> int:
    safe_output.install()
    arguments = parse(argv)
    search = None
    try:
        toolchain = Toolchain(arguments.target_facts, arguments.package, arguments.cache or default_cache())
        package = toolchain.packages[0]
        versions = between(versions_of(package, arguments.pre), arguments.good, arguments.bad, package)
        search = Search(versions, Row(arguments, toolchain).test)
        search.run()
    except Stop as why:
        print(f"opbyop: {why}", file=sys.stderr)
        return why.code
    except KeyboardInterrupt:
        # Complete environments are kept, so that a second start is quick.
        known = f": the first bad version is after {search.good}, at the latest {search.bad}" if search else ""
        print(f"\nopbyop: interrupted{known}", file=sys.stderr)
        # Ends by the signal, as a shell expects of a program that Ctrl-C ended.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    report(search, arguments, toolchain)
    return OK


def report(search: Search, arguments: argparse.Namespace, toolchain: Toolchain) -> None:
    said = f"first bad version: {search.bad}, last good version: {search.good}"
    if search.between:
        said += f"; between them {', '.join(search.between)} could not be tested"
    arguments.output.mkdir(parents=True, exist_ok=True)
    title = f"# {arguments.row}: {', '.join(toolchain.packages)}\n\n"
    text = title + said + "\n\n" + table(search.tested)
    (arguments.output / "bisection.md").write_text(text, encoding="utf-8")
    facts = {
        "schema": SCHEMA,
        "row": arguments.row,
        "target": toolchain.facts["name"],
        "packages": toolchain.packages,
        "good": search.good,
        "bad": search.bad,
        "untested": search.between,
        "tested": [dataclasses.asdict(one) for one in search.tested],
    }
    (arguments.output / "bisection.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print("\n" + table(search.tested) + "\n" + said)


if __name__ == "__main__":
    continue_in_newest_python()
    sys.exit(main(sys.argv[1:]))
