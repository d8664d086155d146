# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the shell steps of the recipes in packaging/ci/ in their order, as the CI systems do.

PYTHONPATH=packaging python3 -m unittest ci.recipes_test
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from ci.github.annotate import SHOWN, annotations, escape

from fixtures.programs import BIN, ROOT, UNEXPECTED, USAGE, Done, cases, records

MODEL = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %0, %b : tensor<4xf32>
  %2 = stablehlo.subtract %1, %a : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""
# A target that fails on ops for which it has no kernel.
FAILING = """schema: opbyop-target/1
name: failing
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: command}
stages:
  - {name: lower, command: [sh, -c, "echo error: no kernel for anything >&2; exit 1"], produces: case.chip}
  - {name: load}
  - {name: execute, command: ["true"]}
"""


# The CI system's name for its run.
SEED = "1234567"


def variables(text: str) -> dict[str, str]:
    """The variables of the recipe's `env:` or `variables:` block, or of Jenkins' `environment`."""
    block = re.search(r"^(?:env|variables):\n((?:  \w+: .*\n)+)", text, re.M)
    if block:
        pairs = re.findall(r"^ +(\w+): (.*)$", block.group(1), re.M)
    else:
        pairs = re.findall(r"(\w+) = ['\"](.*)['\"]", text)
    of_the_pipeline = r"^\$(\{\{ github.run_id \}\}|CI_PIPELINE_ID|\{BUILD_NUMBER\})$"
    return {name: re.sub(of_the_pipeline, SEED, value) for name, value in pairs}


def github_steps(job: str, text: str) -> list[str]:
    body = re.search(rf"^  {job}:\n(.*?)(?=^  \w|\Z)", text, re.M | re.S)
    assert body, job
    found = re.findall(r"^ +run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", body.group(1), re.M)
    return [textwrap.dedent(block) or line for block, line in found]


def gitlab_steps(job: str, text: str) -> list[str]:
    body = re.search(rf"^{job}:\n(.*?)(?=^\w|\Z)", text, re.M | re.S)
    assert body, job
    script = re.search(r"^  script:\n((?:    - .*\n)+)", body.group(1), re.M)
    assert script, job
    return re.findall(r"^    - (.*)$", script.group(1), re.M)


class RecipesTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.variables: dict[str, str] = {}

    def machine(self, name: str) -> Path:
        """A checkout on a machine of its own."""
        checkout = self.folder / name
        (checkout / "models").mkdir(parents=True)
        (checkout / "models/tiny.mlir").write_text(MODEL)
        (checkout / "failing.yaml").write_text(FAILING)
        (checkout / "packaging").symlink_to(ROOT / "packaging")
        return checkout

    def step(self, script: str, checkout: Path, more: dict[str, str] | None = None) -> Done:
        stubs = self.folder / "stubs"
        stubs.mkdir(exist_ok=True)
        (stubs / "pip").write_text(f'#!/bin/sh\necho "$*" >>{stubs}/asked\n')  # installs nothing
        (stubs / "pip").chmod(0o755)
        path = f"{stubs}:{BIN}:{os.environ['PATH']}"
        environment = {**os.environ, **self.variables, **(more or {}), "PATH": path}
        shell = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(shell, cwd=checkout, env=environment, capture_output=True, text=True, check=False)

    def run_steps(self, steps: list[str], checkout: Path, more: dict[str, str] | None = None) -> Done:
        """Runs the steps. All but the last must succeed; returns the result of the last."""
        for script in steps[:-1]:
            done = self.step(script, checkout, more)
            self.assertEqual(done.returncode, 0, script + done.stdout[-2000:] + done.stderr[-2000:])
        return self.step(steps[-1], checkout, more)

    def passes(self, done: Done) -> None:
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])

    def test_github(self) -> None:
        text = (ROOT / "packaging/ci/github/opbyop.yml").read_text()
        self.variables = variables(text) | {"TARGET": "failing.yaml"}
        shard_steps, report_steps = github_steps("shard", text), github_steps("report", text)
        self.assertEqual((len(shard_steps), len(report_steps)), (3, 5))
        # Steps that write reports get the number of their job; `github.run_id` is the number of all jobs.
        writing = re.findall(r"^ +env:\n +OPBYOP_JOB_ID: \$\{\{ job.check_run_id \}\}\n +run: (.*)$", text, re.M)
        self.assertEqual([step.split()[2] for step in writing], ["run", "report"])
        shards = re.search(r"shard: \[(.*)\]", text)
        self.assertTrue(shards)
        numbers = shards.group(1).split(", ") if shards else []
        self.assertEqual(str(len(numbers)), self.variables["SHARDS"], "the matrix has as many as the variable says")
        report = self.machine("report")
        for number in numbers:
            machine = self.machine(number)
            steps = [step.replace("${{ matrix.shard }}", number) for step in shard_steps]
            self.assertFalse([step for step in steps if "${{" in step])
            self.passes(self.run_steps(steps, machine))
            shutil.copytree(machine / "out", report / f"shards/shard-{number}")
            shutil.rmtree(machine)  # only uploaded files reach the next job
        summary = self.folder / "step-summary"
        done = self.run_steps(report_steps, report, {"GITHUB_STEP_SUMMARY": str(summary)})
        self.assertEqual(done.returncode, UNEXPECTED, done.stderr)
        self.assertIn("# failing: needs attention", summary.read_text())
        self.assertEqual(len(cases(report / "out")), 3)
        said = self.step(report_steps[3], report, {"GITHUB_STEP_SUMMARY": str(summary)}).stdout
        self.assertIn("::error title=", said)
        self.assertIn("no kernel for anything", said)
        asked = (self.folder / "stubs/asked").read_text().splitlines()
        self.assertEqual(set(asked), {"install " + self.variables["OPBYOP_WHEEL"]})
        self.passes(self.step("opbyop baseline update out --baseline known.yaml", report))
        self.passes(self.step(report_steps[-1], report, {"BASELINE": "known.yaml"}))

    def test_tenstorrent(self) -> None:
        text = (ROOT / "packaging/ci/github/tenstorrent.yml").read_text()
        matrix = re.findall(r"- \{name: (\S+), target: (\S+), runner: \S+\}", text)
        self.assertEqual(len({name for name, _ in matrix}), len(matrix), "artifacts have names of their own")
        for _, target in matrix:
            self.assertTrue((ROOT / f"manifests/targets/{target}.yaml").is_file(), target)
        job = re.search(r"^ +OPBYOP_JOB_ID: (.*)$", text, re.M)
        self.assertEqual(job and job.group(1), "${{ job.check_run_id }}")
        # The steps run on this project's own compiler: Tenstorrent's takes a while to install.
        self.variables = variables(text) | {"OPBYOP_JOB_ID": "1001"}
        steps = [step.replace("${{ matrix.target }}", "host") for step in github_steps("nightly", text)]
        self.assertFalse([step for step in steps if "${{" in step])
        checkout = self.machine("runner")
        summary = self.folder / "step-summary"
        self.passes(self.run_steps(steps, checkout, {"GITHUB_STEP_SUMMARY": str(summary)}))
        self.assertIn("# host: no unexpected result", summary.read_text())
        artifact, pattern = re.search(r"name: (op_by_op-report\S*).*\n +path: (\S+)", text).groups()  # type: ignore[union-attr]
        self.assertIn("report", artifact)
        (report,) = checkout.glob(pattern)
        self.assertEqual(report.name, "op_by_op_report-1001.json")
        self.assertEqual(
            {test["github_job_id"] for test in json.loads((checkout / "out/optest.json").read_text())}, {1001}
        )

    def test_gitlab(self) -> None:
        text = (ROOT / "packaging/ci/gitlab/opbyop.yml").read_text()
        self.variables = variables(text)
        checkout = self.machine("runner")
        for number in "12":
            node = {"CI_NODE_INDEX": number, "CI_NODE_TOTAL": "2"}
            self.passes(self.run_steps(gitlab_steps("shard", text), checkout, node))
        self.passes(self.run_steps(gitlab_steps("report", text), checkout))
        self.assertEqual([record["status"] for record in cases(checkout / "out")], ["pass"] * 3)
        self.assertEqual(records(checkout / "out/results.jsonl")[0]["fresh_seed"], int(SEED))
        junit = re.search(r"junit: (.*)", text)
        self.assertTrue(junit and (checkout / junit.group(1)).exists())

    def test_jenkins(self) -> None:
        text = (ROOT / "packaging/ci/jenkins/Jenkinsfile").read_text()
        self.variables = variables(text) | {"SHARDS": "2"}
        steps = re.findall(r"\bsh '(.*)'", text)
        self.assertEqual(len(steps), 4)
        checkout = self.machine("agent")
        for number in "12":
            self.passes(self.run_steps(steps[:2], checkout, {"SHARD": number}))
        self.passes(self.run_steps(steps[2:], checkout))
        merged = records(checkout / "out/results.jsonl")
        self.assertEqual(merged[-1]["totals"], {"pass": 3})
        self.assertEqual(merged[0]["fresh_seed"], int(SEED))
        for pattern in re.findall(r"(?:junit|archiveArtifacts) '(.*)'", text):
            self.assertTrue(list(checkout.glob(pattern)), pattern)

    def kubernetes(self, *arguments: str, volume: Path) -> Done:
        """Runs submit.sh with a fake cluster that runs each container here, in the folder that represents the
        volume."""
        (volume / "models").mkdir(parents=True, exist_ok=True)
        (volume / "models/tiny.mlir").write_text(MODEL)
        (volume / "failing.yaml").write_text(FAILING)
        kubectl = self.folder / "stubs/kubectl"
        kubectl.parent.mkdir(exist_ok=True)
        kubectl.write_text(
            f'#!/bin/sh\nexec {sys.executable} {ROOT}/packaging/ci/kubernetes/stand_in.py {volume} "$@"\n'
        )
        kubectl.chmod(0o755)
        environment = {**os.environ, "PATH": f"{kubectl.parent}:{BIN}:{os.environ['PATH']}", "OPBYOP_POLL_S": "0"}
        fixed = ["--image", "registry.example/opbyop:0.2.0", "--claim", "runs", "--models", "models"]
        command = [ROOT / "packaging/ci/kubernetes/submit.sh", *arguments, *fixed]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_kubernetes(self) -> None:
        volume = self.folder / "volume"
        done = self.kubernetes("night", "--target", "host", "--shards", "2", "--seed", SEED, volume=volume)
        self.passes(done)
        merged = records(volume / "night/out/results.jsonl")
        self.assertEqual((merged[-1]["totals"], merged[0]["fresh_seed"]), ({"pass": 3}, int(SEED)))
        self.assertEqual(len(merged[0]["merged"]), 2)
        self.assertTrue((volume / "night/out/index.html").is_file())
        again = self.kubernetes("night", "--target", "host", "--shards", "2", volume=volume)
        self.assertEqual(again.returncode, 1)
        self.assertIn("already exists", again.stderr)

    def test_kubernetes_ends_red_if_rows_fail_or_a_shard_does_not_end(self) -> None:
        volume = self.folder / "volume"
        red = self.kubernetes("red", "--target", "failing.yaml", "--shards", "1", volume=volume)
        self.assertEqual(red.returncode, UNEXPECTED, red.stderr)
        self.assertIn("no kernel for anything", red.stdout)
        self.assertNotIn("not every shard ended", red.stderr)
        absent = self.kubernetes("absent", "--target", "nosuch", "--shards", "1", volume=volume)
        self.assertEqual(absent.returncode, 1)
        self.assertIn("not every shard ended", absent.stderr)

    def test_kubernetes_takes_no_value_that_would_be_more_than_a_value(self) -> None:
        volume = self.folder / "volume"
        names = [(name, "1") for name in ('a"b', "a|b", "a b", "a&b")]
        for name, shards in [*names, ("night", "1x"), ("night", "0"), ("night", "")]:
            done = self.kubernetes(name, "--target", "host", "--shards", shards, volume=volume)
            self.assertEqual(done.returncode, USAGE, (name, shards))
        self.assertFalse((volume / "jobs").exists())

    def test_a_part_that_ended_is_no_failure_and_one_that_did_not_is(self) -> None:
        for code, ended in ((0, 0), (1, 0), (6, 0), (8, 0), (2, 2), (3, 3), (4, 4), (7, 7), (70, 70), (143, 143)):
            done = subprocess.run([str(ROOT / "packaging/ci/ended.sh"), "sh", "-c", f"exit {code}"], check=False)
            self.assertEqual(done.returncode, ended)


class AnnotateTest(unittest.TestCase):
    def lines(self, failures: list[tuple[str, str, str]]) -> list[str]:
        root = ElementTree.Element("testsuites")
        suite = ElementTree.SubElement(root, "testsuite")
        for name, op, message in failures:
            case = ElementTree.SubElement(suite, "testcase", name=name)
            properties = ElementTree.SubElement(case, "properties")
            ElementTree.SubElement(properties, "property", name="op", value=op)
            ElementTree.SubElement(case, "failure", message=message)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "junit.xml"
            ElementTree.ElementTree(root).write(file)
            return annotations(file)

    def test_rows_that_end_alike_are_one(self) -> None:
        lines = self.lines([(f"bert__add_{i}", "stablehlo.add", "lower: no kernel") for i in range(5)])
        self.assertEqual(len(lines), 1)
        self.assertIn("title=stablehlo.add%3A 5 rows::lower: no kernel%0A5 rows: bert__add_0", lines[0])

    def test_of_many_the_most_frequent_are_shown_and_the_rest_counted(self) -> None:
        lines = self.lines([(f"row_{i}", f"op{i}", "wrong") for i in range(SHOWN + 5)])
        self.assertEqual(len(lines), SHOWN)
        self.assertIn("6 other kinds", lines[-1])

    def test_a_message_cannot_end_its_line(self) -> None:
        self.assertEqual(escape("50 % of\n::error"), "50 %25 of%0A::error")
        self.assertEqual(escape("a: b, c", of_property=True), "a%3A b%2C c")
        self.assertEqual(self.lines([]), [])


if __name__ == "__main__":
    unittest.main()
