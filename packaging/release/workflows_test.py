# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that the workflows of .github call commands of ./dev, scripts, modules and jobs that exist.

PYTHONPATH=packaging python3 -m unittest release.workflows_test
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import yaml

from fixtures.programs import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def jobs() -> list[tuple[str, dict[str, Any]]]:
    """Names such as `ci.yml debian`, each with its job."""
    return [
        (f"{file.name} {name}", job)
        for file in WORKFLOWS
        for name, job in yaml.safe_load(file.read_text())["jobs"].items()
    ]


def rows(job: dict[str, Any]) -> list[dict[str, str]]:
    """The matrix values of each of a job's machines."""
    matrix = job.get("strategy", {}).get("matrix", {})
    return [dict(zip(matrix, values)) for values in itertools.product(*matrix.values())]


def scripts(job: dict[str, Any]) -> list[str]:
    """The scripts that its machines run, with values inserted."""
    found = []
    for row in rows(job):
        for step in job.get("steps", []):
            text = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda name, row=row: row[name[1]], step.get("run", ""))
            found += [text] if text else []
    return found


class WorkflowsTest(unittest.TestCase):
    def test_scripts_are_in_the_language_of_the_shell_and_name_what_is_there(self) -> None:
        for name, job in jobs():
            for script in scripts(job):
                with self.subTest(name, script=script):
                    self.assertNotIn("${{ matrix", script)
                    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for verb, rest in re.findall(r"\./dev ([a-z-]+)([^|&;]*)", script):
                        text = subprocess.run([ROOT / "dev", "help", verb], capture_output=True, text=True, check=False)
                        self.assertEqual(text.returncode, 0, text.stderr)
                        for option in re.findall(r"--[a-z-]+", rest):
                            self.assertIn(option, text.stdout)
                    for file in re.findall(r"(?:^|\s)((?:packaging|validation|\.ci)/[\w./-]+)", script):
                        self.assertTrue((ROOT / file).is_file(), file)
                    for path, module in re.findall(r"(?:PYTHONPATH=(\S+) )?python3 -m ([\w.]+)", script):
                        self.assertTrue((ROOT / path / f"{module.replace('.', '/')}.py").is_file(), module)

    def test_jobs_wait_for_jobs_that_are_there_and_call_workflows_that_are(self) -> None:
        for file in WORKFLOWS:
            found = yaml.safe_load(file.read_text())["jobs"]
            for name, job in found.items():
                with self.subTest(file.name, job=name):
                    needs = job.get("needs", [])
                    self.assertLessEqual({needs} if isinstance(needs, str) else set(needs), set(found))
                    if "uses" in job:
                        self.assertTrue((ROOT / job["uses"]).is_file(), job["uses"])
                    else:
                        self.assertIn("runs-on", job)

    def test_debians_whose_versions_are_locked_are_built_on(self) -> None:
        ci = (ROOT / ".github/workflows/ci.yml").read_text()
        locked = [file.stem.partition("-")[2] for file in (ROOT / "packaging/release").glob("debian-*.lock")]
        self.assertTrue(locked)
        for codename in locked:
            self.assertRegex(ci, rf"debian: \[.*\b{codename}\b.*\]")

    def test_git_works_in_the_devcontainer_on_a_checkout_of_another_user(self) -> None:
        command = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())["postCreateCommand"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            dev = Path(folder, "dev")
            dev.write_text("#!/bin/sh\ngit ls-files\n")
            dev.chmod(0o755)
            owner = {"GIT_CONFIG_GLOBAL": f"{folder}/config", "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
            done = subprocess.run(
                ["sh", "-c", command], cwd=folder, env=os.environ | owner, capture_output=True, text=True, check=False
            )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_token_may_write_only_with_explicit_permissions(self) -> None:
        for file in WORKFLOWS:
            workflow = yaml.safe_load(file.read_text())
            self.assertEqual(workflow.get("permissions"), {"contents": "read"}, file.name)
            writers = [name for name, job in workflow["jobs"].items() if "permissions" in job]
            self.assertEqual(writers, ["draft"] if file.name == "release.yml" else [])

    def test_dependabot_looks_where_requirements_are(self) -> None:
        updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())["updates"]
        by_kind = {each["package-ecosystem"]: each.get("directories", [each.get("directory")]) for each in updates}
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True
        ).stdout.split()
        for kind, pattern in (
            ("pip", r"(.*)/requirements[^/]*\.txt"),
            ("npm", r"(.*)/package\.json"),
            ("docker", r"(.*?)/?Dockerfile"),
        ):
            there = {f"/{found[1]}" for path in listed if (found := re.fullmatch(pattern, path))}
            self.assertEqual(there, set(by_kind[kind]))


if __name__ == "__main__":
    unittest.main()
