# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the ctest entries of the nightly run: a split and a run for each target, by label. Targets that are not
installed are skipped.

python3 -m unittest suites.nightly_test
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from fixtures.programs import BIN, ROOT

SKIPPED = 77


def nightly_tests() -> dict[str, dict[str, object]]:
    """Properties of each test labelled nightly, by its name."""
    listing = subprocess.run(
        ["ctest", "--show-only=json-v1", "-L", "nightly"], cwd=BIN.parent, capture_output=True, text=True, check=True
    )
    tests = json.loads(listing.stdout)["tests"]
    return {test["name"]: {item["name"]: item["value"] for item in test["properties"]} for test in tests}


class NightlyTest(unittest.TestCase):
    def test_each_target_has_a_split_and_a_run_under_its_label(self) -> None:
        tests = nightly_tests()
        targets = {name.removeprefix("nightly_split_") for name in tests if name.startswith("nightly_split_")}
        self.assertTrue(targets)
        for target in targets:
            for name in (f"nightly_split_{target}", f"nightly_{target}"):
                self.assertIn(target, tests[name]["LABELS"], name)
            self.assertEqual(tests[f"nightly_{target}"]["FIXTURES_REQUIRED"], [f"nightly_manifest_{target}"])
        self.assertEqual("nightly_comparison" in tests, len(targets) > 1)

    def test_a_target_without_its_packages_is_skipped_and_says_how_to_install_them(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "OPBYOP_PYTHON"}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "suites").mkdir()
            (root / "manifests/targets").mkdir(parents=True)
            (root / "device/python").mkdir(parents=True)
            script = root / "suites/with_requirements.sh"
            for name in ("suites/with_requirements.sh", "device/python/venv_of.sh"):
                (root / name).write_bytes((ROOT / name).read_bytes())
            (root / "manifests/targets/plain.yaml").write_text("name: plain\n")
            (root / "manifests/targets/snake.yaml").write_text("name: snake\nrequirements: snake/requirements.txt\n")

            def run(target: str) -> subprocess.CompletedProcess[str]:
                return subprocess.run(
                    ["sh", script, target, "echo", "ran"], env=environment, capture_output=True, text=True, check=False
                )

            self.assertEqual(run("plain").stdout, "ran\n")
            self.assertEqual(run("snake").returncode, SKIPPED)
            self.assertIn("./dev nightly --target snake", run("snake").stderr)
            python = root / ".venv-snake/bin/python"
            python.parent.mkdir(parents=True)
            python.touch(mode=0o755)
            self.assertEqual(run("snake").stdout, "ran\n")
            # Another target with the same packages uses the same environment.
            (root / "manifests/targets/boa.yaml").write_text("name: boa\nrequirements: snake/requirements.txt\n")
            self.assertEqual(run("boa").stdout, "ran\n")

    def test_a_requirements_file_names_its_environment(self) -> None:
        for file, name in [("device/iree/requirements.txt", "iree"), ("device/pjrt/requirements-tpu.txt", "tpu")]:
            command = ["sh", ROOT / "device/python/venv_of.sh", file]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, name + "\n")

    def test_targets_without_results_are_left_out_of_the_comparison(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            runs = [pathlib.Path(folder) / name for name in ("one", "two", "three")]
            for run in runs:
                run.mkdir()

            def compare() -> subprocess.CompletedProcess[str]:
                return subprocess.run(
                    ["sh", ROOT / "suites/compare_runs.sh", "echo", folder, *runs],
                    capture_output=True,
                    text=True,
                    check=False,
                )

            (runs[0] / "results.jsonl").touch()
            self.assertEqual(compare().returncode, SKIPPED)
            (runs[2] / "results.jsonl").touch()
            self.assertTrue(compare().stdout.startswith(f"report {runs[0]} {runs[2]} -o {folder} "), compare().stdout)


if __name__ == "__main__":
    unittest.main()
