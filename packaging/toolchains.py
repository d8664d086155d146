# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The versions of the targets' toolchains, and the change to the newest: ./dev toolchains.

./dev toolchains                          # pinned and newest version of every target
./dev toolchains --update xla             # the newest beside the pinned one: what differs
./dev toolchains --update xla --adopt     # and the newest becomes the pinned one

Versions are those that pip finds for the Python that runs this, a Python for which targets are set up. pip's own
settings choose the index.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from commands.bisect.bisect_versions import PINNED, Stop, Toolchain, pins_of, versions_of
from commands.bisect.bisect_versions import pip as run_pip

ROOT = Path(__file__).resolve().parents[1]
Requirements = dict[str, list[str]]  # of each target: files, relative to the project's folder
OK, WORSE = 0, 1
# Exit codes of `opbyop run` with complete results: green, red, models without rows, nothing judged.
ENDED = (0, 1, 6, 8)
CASES = {
    "models": ["split", "--quiet", "fixtures/models"],
    "suite": ["suite", "stablehlo", "--level", "smoke"],
}


@dataclasses.dataclass
class Pinned:
    """A requirements file: the targets that it is of, and the packages that are their toolchain."""

    requirements: str
    targets: list[str]
    packages: list[str]
    version: str


def pinned_toolchains(root: Path, of_targets: Requirements) -> list[Pinned]:
    """The toolchains of the targets, for the Python that runs this."""
    found: dict[str, Pinned] = {}
    for target, files in sorted(of_targets.items()):
        for file in files:
            pins = pins_of((root / file).read_text(encoding="utf-8"))
            if file not in found and pins:
                version = next(iter(pins.values()))
                packages = [name for name, pin in pins.items() if pin == version]
                found[file] = Pinned(file, [], packages, version)
            if file in found:
                found[file].targets.append(target)
    return list(found.values())


def newest_of(package: str) -> str:
    try:
        return versions_of(package, pre=False)[-1]
    except Stop as why:
        return f"not known: {why}"


def table(toolchains: list[Pinned]) -> str:
    lines = ["| targets | package | pinned | newest |", "|---|---|---|---|"]
    for each in toolchains:
        newest = newest_of(each.packages[0])
        shown = "the same" if newest == each.version else newest
        lines.append(f"| {', '.join(each.targets)} | {each.packages[0]} | {each.version} | {shown} |")
    return "\n".join(lines) + "\n"


def repinned(text: str, versions: dict[str, str], minor: int = sys.version_info[1]) -> str:
    """The requirements with other versions. Lines whose marker is of another Python stay as they are."""

    def line(found: re.Match[str]) -> str:
        name, version = found[1], found[2]
        if name not in pins_of(found[0], minor) or name.lower() not in versions:
            return found[0]
        return found[0].replace(f"=={version}", f"=={versions[name.lower()]}", 1)

    return PINNED.sub(line, text)


def installed(python: Path) -> dict[str, str]:
    """The versions of an environment's packages, by their names in lower case."""
    listed = run_pip("list", "--format=json", python=python)
    if listed.returncode != 0:
        raise Stop(WORSE, f"{python}: pip list: {listed.stderr.strip()}")
    return {each["name"].lower(): each["version"] for each in json.loads(listed.stdout)}


class Update:
    """The pinned and the newest toolchain of a target, run on the same cases."""

    def __init__(self, root: Path, target: str, pinned: Pinned, folder: Path, cases: dict[str, list[str]]) -> None:
        """`cases` has the words of the verb that makes each set of cases, all but its -o."""
        self.root, self.target, self.pinned, self.folder, self.cases = root, target, pinned, folder, cases
        self.opbyop = Path(os.environ.get("OPBYOP_BIN_DIR", ROOT / "build/bin")) / "opbyop"
        self.file = root / f"manifests/targets/{target}.yaml"
        facts = {
            "name": target,
            "root": str(root),
            "requirements": self.pinned.requirements,
            "file": str(self.file),
            "given": str(self.file),
        }
        self.toolchain = Toolchain(facts, self.pinned.packages, folder / "environments")

    def compare(self, newest: str) -> int:
        """Runs the cases with both versions. WORSE if a row broke or became slower."""
        pythons = {version: self.toolchain.environment(version) for version in (self.pinned.version, newest)}
        worse = OK
        for cases, command in self.cases.items():
            runs = [self._run(cases, command, version, python) for version, python in pythons.items()]
            print(f"\n{cases}: {self.pinned.version} and {newest}", flush=True)
            if self._opbyop("diff", *map(str, runs), accepted=(0, 1)) != 0:
                worse = WORSE
        return worse

    def adopt(self, newest: str) -> None:
        """Writes the versions of the newest environment, and baselines of what its runs ended with."""
        file = self.root / self.pinned.requirements
        versions = installed(self.toolchain.environment(newest))
        file.write_text(repinned(file.read_text(encoding="utf-8"), versions), encoding="utf-8")
        baselines = self.root / "manifests/baselines"
        for cases in self.cases:
            name = self.target if cases == "models" else f"{self.target}-stablehlo-smoke"
            run = self.folder / cases / newest
            self._opbyop("baseline", "update", str(run), "--baseline", str(baselines / f"{name}.yaml"))
        print(
            f"{self.pinned.requirements} and the baselines of {self.target} are of {newest}. Each new entry needs its "
            f"reason and issue.\nPages that name the old version: "
            f"git grep -l -w -F {self.pinned.version} docs"
        )

    def _run(self, cases: str, command: list[str], version: str, python: Path) -> Path:
        folder = self.folder / cases / version
        shutil.rmtree(folder, ignore_errors=True)
        self._opbyop(*command, "-o", str(folder))
        target = self.toolchain.target(python, folder.parent / f"target-{version}")
        print(f"{cases} on {self.target}, {self.pinned.packages[0]} {version}", flush=True)
        # One seed for both, so that what differs is the toolchain's.
        arguments = ("run", str(folder), "--target", target, "--fresh-seed=none", "--progress=plain", "--cache=none")
        self._opbyop(*arguments, accepted=ENDED, python=python)
        return folder

    def _opbyop(self, *arguments: str, accepted: tuple[int, ...] = (0,), python: Path | None = None) -> int:
        environment = {**os.environ, **({"OPBYOP_PYTHON": str(python), "PYTHONPATH": ""} if python else {})}
        code = subprocess.run([str(self.opbyop), *arguments], env=environment, check=False).returncode
        if code not in accepted:
            raise Stop(code if code > 0 else WORSE, f"opbyop {arguments[0]} ended with {code}")
        return code


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev toolchains")
    parser.add_argument("--update", metavar="TARGET")
    parser.add_argument("--to", metavar="VERSION", default="")
    parser.add_argument("--adopt", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/toolchains"))
    parser.add_argument("--requirements", type=json.loads, required=True)
    found = parser.parse_args(argv)
    toolchains = pinned_toolchains(ROOT, found.requirements)
    if not found.update:
        print(table(toolchains), end="")
        return OK
    try:
        pinned = next(each for each in toolchains if found.update in each.targets)
        update = Update(ROOT, found.update, pinned, (found.output / found.update).absolute(), CASES)
        newest = found.to or versions_of(update.pinned.packages[0], pre=False)[-1]
        if newest == update.pinned.version:
            print(f"{found.update}: {update.pinned.packages[0]} {newest} is pinned, and pip finds no newer version")
            return OK
        worse = update.compare(newest)
        if not found.adopt:
            print(f"\n`./dev toolchains --update {found.update} --adopt` makes {newest} the pinned version")
            return worse
        update.adopt(newest)
    except Stop as why:
        print(f"./dev toolchains: {why}", file=sys.stderr)
        return why.code
    return OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
