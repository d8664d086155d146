# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Bundles each finding of docs/findings/ that a case of the suite or an op of a model shows, with `opbyop bundle`.
Unpacked in a clean shell, its reproduce.sh must show the fault with the compiler's own tools.

python3 -m unittest validation.findings.findings_bundle_test.{Iree,Xla,XlaCpuPjrt,Tpu}

Runs one in fifteen, or all with OPBYOP_FINDINGS=all, as in `./dev external`. Needs the Python that has the compiler;
for a plugin, the one that has pypjrt.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from fixtures.programs import ROOT, run
from validation.findings.findings_test import findings_of, need_version

# The time for reducing one bundle. The best program so far is then bundled.
REDUCE_S = 30
SHELL_LIMIT_S = 180

# The least exit code with which a shell, or the launcher of iree-compile, reports a signal.
DEATH = 128

CASE = re.compile(r"`(\w+_[0-9a-f]{8})`(?: of `(\w+)`)?")


@dataclasses.dataclass(frozen=True)
class Shown:
    """A case that shows a finding: of the suite, or of a committed model."""

    heading: str
    case: str
    model: str = ""
    dies: bool = False  # as the finding says: a compiler whose memory is corrupt may end differently each time


def shown_in(compiler: str) -> list[Shown]:
    """The cases in the lines "Suite: ..." of a compiler's pages."""
    found = []
    for finding in findings_of(compiler)[1]:
        heading = finding.splitlines()[0]
        line = re.search(r"^Suite: (.*?)(?:\n\n|\Z)", finding, re.M | re.S)
        dies = re.search(r"\bSIG[A-Z]+\b", finding) is not None
        found += [Shown(heading, case, model, dies) for case, model in CASE.findall(line[1] if line else "")]
    return found


def expected_of(target: str, findings: list[Shown]) -> list[Shown]:
    """Another compiler's findings that the target's baselines name: versions differ."""
    baselines = "".join(path.read_text() for path in (ROOT / "manifests/baselines").glob(f"{target}*.yaml"))
    return [shown for shown in findings if shown.heading in baselines]


class FindingsTest(unittest.TestCase):
    """A test for each case that shows a finding of the target."""

    target = ""
    environment: Mapping[str, str] = MappingProxyType({})
    suite: tuple[Path, ...]

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        kinds = {"smoke": ["--level=smoke"], "full": ["--level=full"], "pairs": ["--pairs"]}
        cls.suite = tuple(Path(scratch.name) / kind for kind in kinds)
        for folder in cls.suite:
            cls.opbyop("suite", "stablehlo", *kinds[folder.name], "-o", folder)

    @staticmethod
    def opbyop(*arguments: object) -> None:
        done = run("opbyop", *arguments)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])

    def check(self, shown: Shown) -> None:
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            if not shown.model:
                folder = next(each for each in self.suite if (each / f"cases/{shown.case}.mlir").exists())
            else:
                folder = scratch / "run"
                [model] = (ROOT / "fixtures/models").glob(f"{shown.model}.mlir*")
                self.opbyop("split", "--quiet", model, "-o", folder)
            bundle = scratch / "finding"
            options = ["--run", folder, "--target", self.target, "--time-limit", REDUCE_S, "-o", bundle]
            self.opbyop("bundle", shown.case, *options)
            self.assert_shows(bundle, scratch / "elsewhere", shown.dies)

    def assert_shows(self, bundle: Path, elsewhere: Path, dies: bool) -> None:
        with zipfile.ZipFile(bundle.with_suffix(".zip")) as file:
            file.extractall(elsewhere)
        facts = json.loads((bundle / "finding.json").read_text())
        done = subprocess.run(
            ["sh", elsewhere / bundle.name / "reproduce.sh"],
            env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(elsewhere), **self.environment},
            cwd="/",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SHELL_LIMIT_S,
            check=False,
        )
        said = done.stdout + done.stderr
        context = f"{facts}\n{(bundle / 'program.mlir').read_text()}\n{done.returncode}\n{said[-2000:]}"
        self.assertNotEqual(done.returncode, 0, context)
        if facts["stage"] == "compare":
            self.assertRegex(done.stdout, r"(?m)^\d+ wrong$", context)
        elif facts["status"] == "fail" and not (dies and done.returncode >= DEATH):
            # A script of the kit reports that an argument was overwritten.
            words = placeless(words_of(facts["diagnostic"]))
            self.assertTrue(words in placeless(said) or re.search(r"(?m)^\d+ wrong$", said), context)
        report = (bundle / "report.md").read_text()
        self.assertIn(facts["diagnostic"], report)
        self.assertNotIn(str(elsewhere.parent), report, "no path of this machine")


def words_of(diagnostic: str) -> str:
    """The part of a diagnostic that every tool prints: its first line, after the location and the status's name."""
    words = re.split(r"(?:^|[ (])\S+:\d+:\d+: (?:error: )?", diagnostic.splitlines()[0])[-1]
    return re.sub(r"^[A-Z_]+: ", "", words)


def placeless(text: str) -> str:
    """The text without the line numbers that XLA puts into metadata: a case has a comment above its program."""
    return re.sub(r"source_\w+=\d+", "", text)


def with_tests_of(*findings: Shown):
    def add_tests(tests: type[FindingsTest]) -> type[FindingsTest]:
        assert findings, f"docs/findings/ names no case of {tests.target}"
        for shown in findings if os.environ.get("OPBYOP_FINDINGS") == "all" else findings[::15]:
            setattr(tests, f"test_{shown.case}", lambda self, shown=shown: self.check(shown))
        return tests

    return add_tests


@with_tests_of(*shown_in("IREE"))
class Iree(FindingsTest):
    target = "iree"


@with_tests_of(*shown_in("XLA"))
class Xla(FindingsTest):
    target = "xla"

    @classmethod
    def setUpClass(cls) -> None:
        need_version("XLA", "jaxlib")
        super().setUpClass()


@with_tests_of(*expected_of("xla-cpu-pjrt", shown_in("XLA")))
class XlaCpuPjrt(FindingsTest):
    target = "xla-cpu-pjrt"
    environment = MappingProxyType(
        {"PLUGIN": f"{ROOT}/.venv-pjrt/lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/*.so"}
    )


@with_tests_of(*shown_in("TPU"))
class Tpu(FindingsTest):
    target = "tpu-v5e"
    environment = MappingProxyType({"PLUGIN": f"{ROOT}/.venv-tpu/lib/python3*/site-packages/libtpu/libtpu.so"})
