# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that `./dev` knows every command that `./dev help` lists, and lists every command that it knows.

python3 -m unittest validation.repository.dev_test
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

from fixtures.programs import NO_INPUT, NOTHING_JUDGED, ROOT, UNEXPECTED, USAGE


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, check=False)


def listed() -> set[str]:
    """The first word of each line, or several: `./dev format | lint`."""
    heads = re.findall(r"^\./dev ([a-z-]+(?: \| [a-z-]+)*)", dev("help").stdout, re.M)
    return {name for head in heads for name in head.split(" | ")}


# The environments that `./dev build` and `./dev test` bring.
ENVIRONMENTS = {
    "pjrt": "device/pjrt/requirements.txt",
    "iree": "device/iree/requirements.txt",
    "xla": "device/xla/requirements.txt",
    "site": "reports/site/requirements.txt",
    "junit": "reports/ingestion/requirements-junit.txt",
}

# The programs that `./dev doctor` needs beside `opbyop`.
DOCTORS_PROGRAMS = ("opbyop-doctor", "opbyop-worker", "opbyop-pjrt-worker", "opbyop-supervisor")


def module(name: str) -> types.ModuleType:
    """A module of packaging/dev."""
    with mock.patch.object(sys, "path", [str(ROOT / "packaging"), *sys.path]):
        return importlib.import_module(f"dev.{name}")


class Sandbox:
    """A checkout with fake programs that only end with given codes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("dev", "build/bin", "stubs"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "build/bin").mkdir()
        (folder / "stubs").mkdir()
        shutil.copy(ROOT / "dev", folder / "dev")
        (folder / "manifests").symlink_to(ROOT / "manifests")
        (folder / "validation").symlink_to(ROOT / "validation")
        (folder / "packaging").mkdir()
        (folder / "packaging/dev").symlink_to(ROOT / "packaging/dev")
        (folder / "build/build.ninja").touch()
        self.program("stubs/ninja", "exit 0")
        # All packages are installed.
        listed = subprocess.run(
            ["bash", ROOT / "packaging/dev/packages.sh", "list"], capture_output=True, text=True, check=True
        )
        names = " ".join(listed.stdout.split())
        self.program("stubs/npm", "exit 0")
        self.program("stubs/dpkg-query", f'for name in {names}; do echo "$name installed"; done')
        self.program("stubs/apt-get", 'echo "$@" >>asked; exit 1')
        (folder / "device").symlink_to(ROOT / "device")
        (folder / "reports").symlink_to(ROOT / "reports")
        for name, file in ENVIRONMENTS.items():
            (folder / f".venv-{name}").mkdir()
            (folder / f".venv-{name}/stamp").write_text(hashlib.sha256((ROOT / file).read_bytes()).hexdigest())

    def program(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)

    def opbyop(self, **codes: int) -> None:
        """Makes each verb note that it ran and end with its code."""
        ends = "".join(f"{verb}) exit {code} ;; " for verb, code in codes.items())
        self.program("build/bin/opbyop", f'echo "$1" >>verbs\ncase $1 in {ends} esac')

    def has_history(self) -> None:
        (self.folder / "out").mkdir(exist_ok=True)
        (self.folder / "out/history.db").touch()

    def verbs(self) -> list[str]:
        return (self.folder / "verbs").read_text().split()

    def dev(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Starts ./dev in the checkout, or in `cwd`."""
        (self.folder / "verbs").unlink(missing_ok=True)
        path = f"{self.folder / 'stubs'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path}
        command = [self.folder / "dev", *arguments]
        return subprocess.run(
            command, env=environment, cwd=cwd or self.folder, capture_output=True, text=True, check=False
        )

    def code(self, *arguments: str) -> int:
        return self.dev(*arguments).returncode


class ExitCodeTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sandbox = Sandbox(Path(folder.name))

    def test_a_nightly_continues_after_red_and_partial_steps(self) -> None:
        for codes, expected in [
            ({}, 0),
            ({"run": 1, "report": 1}, 1),
            ({"report": 1}, 1),
            ({"split": 6, "run": 6, "report": 6}, 6),
            ({"split": 6, "run": 1, "report": 1}, 1),
            ({"run": 8, "report": 8}, NOTHING_JUDGED),
            ({"split": 6, "run": 8, "report": 8}, NOTHING_JUDGED),
            ({"run": 8, "report": 1}, 1),
        ]:
            with self.subTest(codes):
                self.sandbox.opbyop(**codes)
                self.sandbox.has_history()
                self.assertEqual(self.sandbox.code("nightly", "--whole"), expected)
                self.assertEqual(self.sandbox.verbs(), ["split", "run", "run", "history", "report"])

    def test_the_first_nightly_needs_no_history(self) -> None:
        self.sandbox.opbyop()
        self.assertEqual(self.sandbox.code("nightly"), 0)
        self.assertEqual(self.sandbox.verbs(), ["split", "run"])

    def test_the_second_nightly_begins_the_history_with_the_first_run(self) -> None:
        self.sandbox.opbyop()
        (self.sandbox.folder / "out/nightly").mkdir(parents=True)
        (self.sandbox.folder / "out/nightly/results.jsonl").touch()
        self.assertEqual(self.sandbox.code("nightly", "--fresh"), 0)
        self.assertEqual(self.sandbox.verbs(), ["history", "split", "run", "history", "report"])

    def test_a_history_that_cannot_be_written_ends_no_nightly(self) -> None:
        self.sandbox.has_history()
        self.sandbox.opbyop(history=3)
        self.assertEqual(self.sandbox.code("nightly"), 0)
        self.assertEqual(self.sandbox.verbs(), ["split", "run", "history"])

    def test_a_nightly_of_several_targets_compares_them_though_one_is_red(self) -> None:
        self.sandbox.opbyop(run=1, report=1)
        self.sandbox.has_history()
        self.assertEqual(self.sandbox.code("nightly", "--target=host", "--target=tenstorrent"), UNEXPECTED)
        self.assertEqual(self.sandbox.verbs(), [*["split", "run", "history", "report"] * 2, "report"])

    def test_the_copied_page_names_the_suites_page_if_it_is_there(self) -> None:
        writes = 'out=; while [ "$1" != -o ]; do shift; done; mkdir -p "$2"'
        page = r"# Conformance\n\nHow 3 cases end.\n\n`%s/build/bin/opbyop repro x`\n"
        self.sandbox.program(
            "build/bin/opbyop",
            f'[ $1 = report ] || exit 0\n{writes}\nprintf \'{page}\' "$PWD" >"$2/conformance.md"',
        )
        docs = self.sandbox.folder / "docs"
        docs.mkdir()
        command = ("nightly", "--target=host", "--target=tenstorrent", "--page=docs/conformance.md")
        self.assertEqual(self.sandbox.code(*command), 0)
        plain = "# Conformance\n\nHow 3 cases end.\n\n`build/bin/opbyop repro x`\n"
        self.assertEqual((docs / "conformance.md").read_text(), plain)
        (docs / "conformance-suite.md").touch()
        self.assertEqual(self.sandbox.code(*command), 0)
        before, behind = (docs / "conformance.md").read_text().split("These are ops of models; ")
        link, rest = behind.split("\n", 1)
        self.assertEqual(before + rest[1:], plain)
        self.assertIn("(conformance-suite.md)", link)

    def test_a_suite_is_made_from_recipes_or_split_from_a_committed_set(self) -> None:
        for suite, verb, folder in [
            (["stablehlo"], "suite", "out/suite/stablehlo-smoke"),
            (["stablehlo", "--level=full"], "suite", "out/suite/stablehlo-full"),
            (["stablehlo", "--mesh=2x4"], "suite", "out/suite/stablehlo-mesh-2x4"),
            (["stablehlo", "--mesh=2x4", "--level=full"], "suite", "out/suite/stablehlo-mesh-2x4-full"),
            (["jax-lax"], "split", "out/suite/jax-lax"),
        ]:
            with self.subTest(suite):
                self.sandbox.program("build/bin/opbyop", 'echo "$@" >>verbs')
                self.assertEqual(self.sandbox.code("nightly", "--suite", *suite), 0)
                words = self.sandbox.verbs()
                self.assertEqual(words[0], verb)
                self.assertIn(folder, words)

    def test_a_suite_takes_neither_models_nor_a_level_that_it_lacks(self) -> None:
        self.sandbox.opbyop()
        for more in (
            ["stablehlo", "model.mlir"],
            ["stablehlo", "--whole"],
            ["stablehlo", "--mesh=../x"],
            ["stablehlo", "--mesh=2x4", "--pairs"],
            ["jax-lax", "--level=full"],
            ["jax-lax", "--mesh=2x4"],
        ):
            with self.subTest(more):
                self.assertEqual(self.sandbox.code("nightly", "--suite", *more), USAGE)

    def test_a_nightly_ends_with_the_step_that_cannot_continue(self) -> None:
        for codes, expected in [({"split": 2}, 2), ({"run": 3}, 3), ({"report": 4}, 4), ({"run": 130}, 130)]:
            with self.subTest(codes):
                self.sandbox.opbyop(**codes)
                self.assertEqual(self.sandbox.code("nightly", "--whole"), expected)

    def test_codes_of_other_programs_that_the_table_lacks_are_failures(self) -> None:
        for code, expected in [(8, 1), (0, 0), (1, 1), (100, 1), (130, 130)]:
            with self.subTest(code):
                self.sandbox.program("stubs/ctest", f"exit {code}")
                self.assertEqual(self.sandbox.code("test"), expected)

    def test_all_tests_bring_the_environments_that_many_use_and_go_on_without_a_network(self) -> None:
        self.sandbox.program("stubs/ctest", "echo tested >>verbs")
        self.sandbox.program(
            "stubs/python3",
            f'case "$*" in "-m venv"*) echo "$3" >>asked; exit 1 ;; *) exec {sys.executable} "$@" ;; esac',
        )
        lacks = ENVIRONMENTS.keys() - {"pjrt"}
        for name in lacks:
            (self.sandbox.folder / f".venv-{name}/stamp").unlink()
        shutil.copytree(self.sandbox.folder / "build", self.sandbox.folder / "build-thread")
        asked = self.sandbox.folder / "asked"
        for arguments in (["-R", "^ir_"], ["--sanitize=thread"]):
            with self.subTest(arguments):
                self.assertEqual(self.sandbox.code("test", *arguments), 0)
                self.assertFalse(asked.exists())
        done = self.sandbox.dev("test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(asked.read_text().split()), sorted(f".venv-{name}" for name in lacks))
        self.assertIn("the tests that need .venv-xla are skipped", done.stdout)
        self.assertEqual(self.sandbox.verbs(), ["tested"])

    def test_a_skip_that_the_list_lacks_is_a_failure(self) -> None:
        entry = '<testcase name="browser_test"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
        self.sandbox.program("stubs/ctest", f"echo '<testsuite>{entry}</testsuite>' >build/tests.xml")
        for listed, expected in [("", UNEXPECTED), ("browser_test: no browser here\n", 0)]:
            with self.subTest(listed):
                (self.sandbox.folder / "allowed.txt").write_text(listed)
                self.assertEqual(self.sandbox.code("test", "--allowed-skips=allowed.txt"), expected)
        self.assertEqual(self.sandbox.code("test"), 0)


class ReleaseTest(unittest.TestCase):
    """Checks that a nightly builds nothing in an untouched checkout of the release that is installed."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.sandbox = Sandbox(self.folder)
        self.sandbox.program("stubs/ninja", "touch built")
        self.sandbox.opbyop()
        (self.folder / "CMakeLists.txt").write_text("project(opbyop VERSION 1.2.3 LANGUAGES C CXX)\n")
        (self.folder / ".gitignore").write_text("stubs/\nbuild/\nbuilt\nverbs\n.venv-*\n")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Release")
        self.git("tag", "v1.2.3")
        self.install(f"1.2.3 ({self.git('rev-parse', '--short=12', 'HEAD').strip()})")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout

    def install(self, version: str) -> None:
        self.sandbox.program("stubs/opbyop", f'[ "$1" = --version ] && echo "opbyop {version}" || echo "$1" >>verbs')

    def said(self) -> str:
        done = self.sandbox.dev("nightly")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "built").exists(), "nothing is built" not in done.stdout, done.stdout)
        return done.stdout

    def test_an_untouched_checkout_uses_the_installed_release_and_says_so_first(self) -> None:
        self.assertIn("nothing is built", self.said().splitlines()[0])
        self.assertEqual(self.sandbox.verbs(), ["setup", "split", "run"])

    def test_a_package_that_knows_no_commit_is_known_by_its_version(self) -> None:
        self.install("1.2.3 (unknown commit)")
        self.assertIn("nothing is built", self.said())

    def test_a_local_change_builds(self) -> None:
        with open(self.folder / "CMakeLists.txt", "a") as file:
            file.write("# changed\n")
        self.assertNotIn("nothing is built", self.said())

    def test_a_new_file_builds(self) -> None:
        (self.folder / "new.cc").touch()
        self.assertNotIn("nothing is built", self.said())

    def test_another_release_or_commit_builds(self) -> None:
        for version in ("1.2.4 (unknown commit)", "1.2.3 (0123456789ab)", "1.2.3 (0123456789ab-dirty)"):
            self.install(version)
            self.assertNotIn("nothing is built", self.said())

    def test_a_commit_without_a_tag_builds(self) -> None:
        self.git("tag", "--delete", "v1.2.3")
        self.assertNotIn("nothing is built", self.said())


class NightlyFolderTest(unittest.TestCase):
    """Checks that each set of models has its own folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.sandbox = Sandbox(self.folder)
        self.sandbox.program("build/bin/opbyop", 'echo "$@" >>asked')

    def written_to(self, *arguments: str, code: int = 0) -> set[str]:
        """The folders that `opbyop run` was started with."""
        (self.folder / "asked").unlink(missing_ok=True)
        done = self.sandbox.dev("nightly", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        text = (self.folder / "asked").read_text() if code == 0 else ""
        return set(re.findall(r"^run (\S+)", text, re.M))

    def test_named_models_do_not_replace_the_report_of_all(self) -> None:
        self.assertEqual(self.written_to(), {"out/nightly"})
        one = self.written_to("fixtures/models/ffnn.mlirbc")
        self.assertEqual(one, {"out/nightly-ffnn"})
        two = self.written_to("fixtures/models/ffnn.mlirbc", "fixtures/models/gpt2.mlirbc")
        self.assertEqual(two, {"out/nightly-ffnn+gpt2"})

    def test_models_of_one_name_in_two_folders_do_not_share_one(self) -> None:
        first, second = self.written_to("a/my model.mlirbc"), self.written_to("b/my model.mlirbc")
        self.assertNotEqual(first, second)
        self.assertRegex(first.pop(), r"^out/nightly-my_model-[0-9a-f]{8}$")

    def test_a_long_list_of_models_has_a_short_name(self) -> None:
        models = [f"fixtures/models/model_number_{i}.mlirbc" for i in range(20)]
        [folder] = self.written_to(*models)
        self.assertLess(len(folder), 100)
        self.assertNotEqual({folder}, self.written_to(*models[:-1]))

    def test_the_folder_may_be_named(self) -> None:
        self.assertEqual(self.written_to("-o", "mine", "a.mlirbc"), {"mine"})
        self.assertEqual(self.written_to("--output=mine", "--suite=stablehlo"), {"mine"})
        two = self.written_to("-o", "mine", "--target=host", "--target=tenstorrent")
        self.assertEqual(two, {"mine/host", "mine/tenstorrent"})

    def test_the_zoo_is_split_as_other_models_are(self) -> None:
        for name, folder in [("zoo", "fixtures/zoo/small"), ("real", "fixtures/zoo/real")]:
            with self.subTest(name):
                self.assertEqual(self.written_to("--models", name), {f"out/nightly-{name}"})
                split = (self.folder / "asked").read_text().splitlines()[0]
                self.assertEqual(split, f"split {folder} -o out/nightly-{name}")

    def test_cases_of_several_ops_are_in_a_folder_of_their_own(self) -> None:
        for granularity, folder in [("layer", "out/nightly-layer"), ("window:2", "out/nightly-window-2")]:
            with self.subTest(granularity):
                self.assertEqual(self.written_to("--granularity", granularity), {folder})
                split = (self.folder / "asked").read_text().splitlines()[0]
                self.assertEqual(split, f"split --granularity {granularity} fixtures/models -o {folder}")
        self.assertEqual(self.written_to("--granularity=op"), {"out/nightly"})
        self.assertEqual(self.written_to("--granularity=layer", "--models=zoo"), {"out/nightly-zoo-layer"})
        for suite in ("stablehlo", "jax-lax"):
            self.written_to("--granularity=layer", "--suite", suite, code=USAGE)
        self.written_to("--granularity=layer/../..", "--fresh", code=USAGE)

    def test_the_zoo_is_neither_a_suite_nor_part_of_other_models(self) -> None:
        for arguments in (["--models=all"], ["--models=zoo", "a.mlirbc"], ["--models=zoo", "--suite=stablehlo"]):
            with self.subTest(arguments):
                self.written_to(*arguments, code=USAGE)
                self.assertFalse((self.folder / "asked").exists())

    def test_relative_paths_are_those_of_the_callers_folder(self) -> None:
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "plugin.so").touch()
        self.sandbox.has_history()
        arguments = ["-o", "mine", "--target", "pjrt:plugin.so", "a.mlirbc"]
        done = self.sandbox.dev("nightly", *arguments, cwd=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        split, ran, added, reported = (self.folder / "asked").read_text().splitlines()
        self.assertEqual(split, f"split {elsewhere}/a.mlirbc -o {elsewhere}/mine")
        self.assertEqual(ran, f"run {elsewhere}/mine --target pjrt:{elsewhere}/plugin.so")
        self.assertEqual(added, f"history import {elsewhere}/mine --baseline manifests/baselines")
        self.assertIn(f"report {elsewhere}/mine -o {elsewhere}/mine ", reported)

    def test_a_profile_is_made_where_its_model_is(self) -> None:
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.assertEqual(self.sandbox.dev("profile", "a.mlirbc", cwd=elsewhere).returncode, 0)
        self.assertEqual((elsewhere / "asked").read_text(), "profile a.mlirbc\n")

    def test_fresh_does_not_remove_a_folder_that_is_no_runs(self) -> None:
        (self.folder / "mine").mkdir()
        (self.folder / "mine/thesis.tex").touch()
        self.written_to("--fresh", "-o", "mine", code=USAGE)
        self.assertTrue((self.folder / "mine/thesis.tex").exists())
        (self.folder / "mine/manifest.yaml").touch()
        self.written_to("--fresh", "-o", "mine")
        self.assertFalse((self.folder / "mine/thesis.tex").exists())


class TargetTest(unittest.TestCase):
    """Checks that the requirements of a target's file are installed before anything is built."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sandbox = Sandbox(Path(folder.name))
        self.sandbox.opbyop()
        (self.sandbox.folder / "manifests").unlink()
        (self.sandbox.folder / "manifests/targets").mkdir(parents=True)

    def target(self, name: str, text: str) -> None:
        (self.sandbox.folder / f"manifests/targets/{name}.yaml").write_text(f"name: {name}\n{text}")

    def asked(self) -> str:
        file = self.sandbox.folder / "asked"
        return file.read_text() if file.exists() else ""

    def test_debian_packages_are_asked_for_by_name(self) -> None:
        self.target("chip", "packages: [libchip1, chip-drivers]\n")
        for command in (["nightly", "--target", "chip"], ["setup", "--target=chip"]):
            with self.subTest(command):
                self.sandbox.program("stubs/apt-get", 'echo "$@" >>asked; [ "$1" = update ]')
                self.sandbox.program("stubs/apt-cache", "exit 0")
                self.assertEqual(self.sandbox.code(*command), UNEXPECTED)
                self.assertIn("install -y -qq --no-install-recommends chip-drivers libchip1\n", self.asked())
                (self.sandbox.folder / "asked").unlink()

    def test_a_large_install_is_announced_with_its_size(self) -> None:
        file = self.sandbox.folder / "requirements-chip.txt"
        self.target("chip", f"requirements: {file}\n")
        self.sandbox.program("stubs/python3", "exit 1")
        for text, expected in [
            ("# The chip's compiler. 4.9 GB.\nchip==1\n", "into .venv-chip/ (4.9 GB)"),
            ("# What 2 GB of memory can hold.\nchip==1\n", "into .venv-chip/\x1b"),
        ]:
            with self.subTest(text):
                file.write_text(text)
                self.assertIn(expected, self.sandbox.dev("setup", "--target=chip").stdout)

    def test_what_a_failed_configuration_left_is_not_used(self) -> None:
        (self.sandbox.folder / "build/build.ninja").unlink()
        self.sandbox.program("stubs/cmake", 'echo "$@" >>configured; exit 1')
        self.assertEqual(self.sandbox.code("build"), UNEXPECTED)
        self.assertIn("--fresh", (self.sandbox.folder / "configured").read_text().split())

    def test_packages_that_are_there_are_not_asked_for(self) -> None:
        self.target("chip", "packages: [cmake]\n")
        self.assertEqual(self.sandbox.code("setup", "--target=chip"), 0)
        self.assertEqual(self.asked(), "")

    def test_the_doctor_says_what_the_build_lacks_and_installs_nothing(self) -> None:
        self.assertEqual(self.sandbox.code("doctor"), NO_INPUT)
        for name in DOCTORS_PROGRAMS:
            self.sandbox.program(f"build/bin/{name}", "exit 0")
        self.sandbox.opbyop(doctor=3)
        self.assertEqual(self.sandbox.code("doctor", "--target=chip"), NO_INPUT)
        self.assertEqual(self.sandbox.verbs(), ["doctor"])
        self.sandbox.program("stubs/dpkg-query", "exit 1")
        self.assertEqual(self.sandbox.code("doctor"), NO_INPUT)
        self.assertEqual(self.asked(), "")

    def test_the_doctor_says_which_versions_were_not_tested(self) -> None:
        for name in DOCTORS_PROGRAMS:
            self.sandbox.program(f"build/bin/{name}", "exit 0")
        system = self.sandbox.folder / "os-release"
        system.write_text('ID=debian\nPRETTY_NAME="Debian of tests"\nVERSION_CODENAME=sid\n')
        versions = "echo 'cmake 3 installed'; echo 'git 2 installed'; echo 'lld-22 22 config-files'"
        names = (self.sandbox.folder / "stubs/dpkg-query").read_text().partition("\n")[2]
        self.sandbox.program("stubs/dpkg-query", f'case "$2" in *Version*) {versions} ;; *) {names} ;; esac')
        with mock.patch.dict(os.environ, OPBYOP_OS_RELEASE=str(system)):
            self.assertIn("not tested on Debian of tests\n", self.sandbox.dev("doctor").stdout)
            (self.sandbox.folder / "packaging/release").mkdir(parents=True, exist_ok=True)
            self.assertEqual(self.sandbox.code("setup", "--lock"), 0)
            lock = self.sandbox.folder / "packaging/release/debian-sid.lock"
            self.assertEqual(lock.read_text(), "cmake 3\ngit 2\n")
            self.assertEqual(self.sandbox.dev("doctor").stdout, "")
            lock.write_text("cmake 3\ngit 1\n")
            self.assertIn(
                "packaging/release/debian-sid.lock, which were tested: git 2\n", self.sandbox.dev("doctor").stdout
            )

    def test_a_system_without_debians_packages_gets_a_hint(self) -> None:
        programs = ("bash", "sh", "sed", "dirname", "tr", "cat")
        for name in programs:
            (self.sandbox.folder / "few").mkdir(exist_ok=True)
            (self.sandbox.folder / "few" / name).symlink_to(shutil.which(name) or name)
        system = self.sandbox.folder / "os-release"
        for text, expected in (
            ("ID=fedora\nPRETTY_NAME=Fedora\n", "this is Fedora. .*dnf install mlir-devel"),
            ('ID="rocky"\nID_LIKE="rhel centos fedora"\nPRETTY_NAME=Rocky\n', "this is Rocky. .*dnf install"),
            ("ID=arch\nPRETTY_NAME=Arch\n", "this is Arch. .*by Debian's names: libmlir-22-dev"),
            ("", "this is no system with /etc/os-release. .*by Debian's names"),
        ):
            system.write_text(text)
            for command in ("doctor", "build"):
                with self.subTest(expected, command=command):
                    environment = {"PATH": str(self.sandbox.folder / "few"), "OPBYOP_OS_RELEASE": str(system)}
                    call = [shutil.which("bash") or "bash", str(self.sandbox.folder / "dev"), command]
                    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, NO_INPUT, done.stderr)
                    self.assertRegex(done.stderr.replace("\n", " "), expected)

    def test_an_unknown_target_is_a_usage_error(self) -> None:
        self.assertEqual(self.sandbox.code("setup", "--target=chip"), USAGE)
        self.assertEqual(self.sandbox.code("setup", "--colour"), USAGE)


class WithoutPythonTest(unittest.TestCase):
    """A machine with a shell, apt and the programs that every Debian has."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sandbox = Sandbox(Path(folder.name))
        for name in ("bash", "sh", "sed", "dirname", "tr", "cat", "sort", "comm", "ln"):
            (self.sandbox.folder / "stubs" / name).symlink_to(shutil.which(name) or name)
        self.sandbox.program("stubs/id", "echo 0")
        self.sandbox.program("stubs/apt-cache", "exit 0")
        self.sandbox.program("stubs/dpkg-query", "exit 0")

    def dev(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self.sandbox.folder / "dev", *arguments]
        environment = {"PATH": str(self.sandbox.folder / "stubs")}
        return subprocess.run(
            command, env=environment, cwd=self.sandbox.folder, capture_output=True, text=True, check=False
        )

    def test_help_is_shown(self) -> None:
        whole = dev("help").stdout
        for arguments in ([], ["help"], ["--help"], ["-h"], ["help", "nightly"], ["nightly", "--help"], ["help", "-h"]):
            with self.subTest(arguments):
                done = self.dev(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, whole, ""))

    def test_an_unknown_command_is_a_usage_error_and_installs_nothing(self) -> None:
        for arguments in (["nosuch"], ["help", "nosuch"], ["nosuch", "--help"]):
            done = self.dev(*arguments)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
            self.assertEqual(done.stderr, "unknown command nosuch: try './dev help'\n")
        self.assertFalse((self.sandbox.folder / "asked").exists())

    def test_the_doctor_says_that_python_is_missing_and_installs_nothing(self) -> None:
        done = self.dev("doctor")
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertRegex(done.stderr, r"^not installed: \d+ Debian packages .*\bpython3\b.*\ninstall: ./dev setup\n$")
        self.assertFalse((self.sandbox.folder / "asked").exists())

    def test_other_commands_install_it_with_the_packages_of_the_build(self) -> None:
        link = f'[ "$1" = update ] || ln -s {sys.executable} {self.sandbox.folder}/stubs/python3'
        self.sandbox.program("stubs/apt-get", f'echo "$@" >>asked; {link}')
        done = self.dev("nightly", "--colour")
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "unknown option --colour: try './dev help'\n")
        self.assertRegex((self.sandbox.folder / "asked").read_text(), "^update -qq\ninstall .*cmake .*python3 ")

    def test_a_failed_installation_ends_with_a_code_of_the_table(self) -> None:
        self.sandbox.program("stubs/apt-get", "exit 100")
        self.assertEqual(self.dev("setup").returncode, UNEXPECTED)
        self.sandbox.program("stubs/id", "echo 1000")
        done = self.dev("setup")
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertRegex(done.stderr, "^installing packages needs root: .*python3")

    def test_a_python_that_is_too_old_is_named(self) -> None:
        self.sandbox.program("stubs/apt-get", "exit 0")
        self.sandbox.program("stubs/python3", "case $1 in --version) echo Python 3.9.2 ;; *) exit 1 ;; esac")
        done = self.dev("site")
        self.assertEqual(done.returncode, NO_INPUT)
        self.assertRegex(done.stderr, "needs Python 3.11 or later, and PATH has Python 3.9.2")


class ProcessTest(unittest.TestCase):
    """What the programs that ./dev starts find, and how it ends with them."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sandbox = Sandbox(Path(folder.name).resolve() / "a checkout")

    def test_the_environment_is_the_callers(self) -> None:
        self.sandbox.program("stubs/ninja", 'echo "path: ${PYTHONPATH-none}"')
        self.assertIn("path: none\n", self.sandbox.dev("build").stdout)
        with mock.patch.dict(os.environ, PYTHONPATH="/of/the/caller"):
            self.assertIn("path: /of/the/caller\n", self.sandbox.dev("build").stdout)

    def test_a_build_says_how_much_is_left(self) -> None:
        self.sandbox.program("stubs/ninja", 'echo "$NINJA_STATUS"')
        with mock.patch.dict(os.environ):
            os.environ.pop("NINJA_STATUS", None)
            self.assertIn("%u left", self.sandbox.dev("build").stdout)
        with mock.patch.dict(os.environ, NINJA_STATUS="of the caller"):
            self.assertIn("\nof the caller\n", self.sandbox.dev("build").stdout)

    def test_names_may_have_spaces(self) -> None:
        self.sandbox.program("build/bin/opbyop", "printf '<%s>' \"$@\" >>asked")
        elsewhere = self.sandbox.folder / "my folder"
        elsewhere.mkdir()
        self.assertEqual(self.sandbox.dev("nightly", "-o", "my run", "my $(model).mlir", cwd=elsewhere).returncode, 0)
        asked = (self.sandbox.folder / "asked").read_text()
        self.assertIn(f"<split><{elsewhere}/my $(model).mlir><-o><{elsewhere}/my run>", asked)

    def test_a_program_that_is_missing_is_named(self) -> None:
        self.sandbox.program("stubs/ninja", "exit 0")
        with mock.patch.dict(os.environ, PATH=os.path.dirname(sys.executable) + ":/usr/bin:/bin"):
            (self.sandbox.folder / "build/bin/opbyop").unlink(missing_ok=True)
            done = self.sandbox.dev("nightly")
        self.assertEqual(done.returncode, UNEXPECTED)
        self.assertEqual(done.stderr, "cannot start build/bin/opbyop: No such file or directory\n")

    def interrupted(self, script: str) -> int:
        """The code of `./dev nightly` whose program is interrupted, as Ctrl-C does, once it has started."""
        self.sandbox.program("build/bin/opbyop", script)
        path = f"{self.sandbox.folder / 'stubs'}:{os.environ['PATH']}"
        process = subprocess.Popen(
            [self.sandbox.folder / "dev", "nightly"],
            env={**os.environ, "PATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # The caller of this test may ignore it, and what is ignored is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        with process:
            while process.poll() is None and not (self.sandbox.folder / "started").exists():
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)
        return process.returncode

    def test_a_program_that_ends_in_its_own_way_is_waited_for(self) -> None:
        trap = "trap 'sleep 0.5; touch finished; exit 130' INT\ntouch started\nwhile :; do sleep 0.1; done"
        self.assertEqual(self.interrupted(trap), 130)
        self.assertTrue((self.sandbox.folder / "finished").exists())

    def test_a_program_that_the_signal_ends_ends_dev_by_the_signal(self) -> None:
        self.assertEqual(self.interrupted("touch started\nexec sleep 100"), -signal.SIGINT)


class PresetsTest(unittest.TestCase):
    """CMakePresets.json has the builds that ./dev makes and cmake/sanitize.cmake knows."""

    def setUp(self) -> None:
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        self.base = next(preset["cacheVariables"] for preset in presets if preset.get("hidden"))
        self.presets = {preset["name"]: preset for preset in presets if not preset.get("hidden")}

    def test_each_build_has_the_folder_of_its_preset(self) -> None:
        for name, preset in self.presets.items():
            self.assertEqual(preset["binaryDir"], "${sourceDir}/" + module("build").Build(name).folder)
        text = "".join(file.read_text() for file in (ROOT / "packaging/dev").glob("*.py"))
        self.assertLessEqual(set(re.findall(r'\bBuild\("(\w+)"\)', text)), set(self.presets))

    def test_every_sanitizer_has_a_preset(self) -> None:
        text = (ROOT / "cmake/sanitize.cmake").read_text()
        [known] = re.findall(r'OPBYOP_SANITIZE PROPERTY STRINGS "" ([\w ]+)\)', text)
        for kind in known.split():
            self.assertEqual(self.presets[kind]["cacheVariables"], {"OPBYOP_SANITIZE": kind})
        self.assertEqual(self.presets["fuzz"]["cacheVariables"], {"OPBYOP_SANITIZE": "address", "OPBYOP_FUZZ": "ON"})
        self.assertEqual(set(self.presets), {"release", "fuzz", *known.split()})
        self.assertEqual(set(re.findall(r"cmake --preset (\w+)", text)), set(self.presets) - {"release"})

    def test_llvm_is_of_one_version(self) -> None:
        version = module("build").LLVM
        self.assertEqual(self.base["CMAKE_CXX_COMPILER"], f"clang++-{version}")
        self.assertEqual(self.base["CMAKE_C_COMPILER"], f"clang-{version}")
        self.assertEqual(self.base["CMAKE_PREFIX_PATH"], f"/usr/lib/llvm-{version}")
        self.assertIn(f"readonly LLVM={version}\n", (ROOT / "packaging/dev/packages.sh").read_text())


class CompileCommandsTest(unittest.TestCase):
    """clang-tidy gets the commands of single files from a build that compiles several together."""

    def test_each_file_has_the_command_of_the_files_that_it_is_compiled_with(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            together = Path(folder, "room.dir/Unity/unity_0_cxx.cxx")
            together.parent.mkdir(parents=True)
            together.write_text('/* generated by CMake */\n\n#include "/s/a.cc"\n\n#include "/s/my b.cc"\n')
            commands = [
                {"directory": folder, "command": f"clang -DX -c {together}", "file": str(together)},
                {"directory": folder, "command": "clang -c /s/alone.cc", "file": "/s/alone.cc"},
            ]
            Path(folder, "compile_commands.json").write_text(json.dumps(commands))
            single = Path(module("lint").compile_commands(folder), "compile_commands.json")
            found = {entry["file"]: entry["command"] for entry in json.loads(single.read_text())}
        self.assertEqual(found["/s/a.cc"], "clang -DX -c /s/a.cc")
        self.assertEqual(found["/s/alone.cc"], "clang -c /s/alone.cc")
        self.assertEqual(set(found), {"/s/a.cc", "/s/my b.cc", "/s/alone.cc"})


class WordsTest(unittest.TestCase):
    """`./dev lint words` finds what the patterns of its lists match, in a repository with the given files."""

    def refused(self, page: str, **files: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), mock.patch("sys.stderr"):
            for name, text in {"page": page, **files}.items():
                Path(name).write_text(text)
            subprocess.run(["git", "init", "-q"], check=True)
            subprocess.run(["git", "add", "."], check=True)
            found: list[str] = module("lint").refused("page", ".")
            return found

    def test_a_match_is_shown_with_its_place_and_the_advice(self) -> None:
        page = "# A comment.\n\nOldName\tnew name\n"
        self.assertEqual(self.refused(page, a="x\nOldName(1)\n", b="OldNames"), ["new name:\na:2:OldName(1)"])
        self.assertEqual(self.refused(page, a="NewName"), [])

    def test_the_listed_files_may_have_an_old_name(self) -> None:
        page = "old\tnew\treader writer\n"
        self.assertEqual(self.refused(page, reader="old", writer="old"), [])
        self.assertEqual(self.refused(page, reader="old", c="old"), ["new:\nc:1:old"])

    def test_a_line_that_is_no_pattern_and_advice_is_an_error(self) -> None:
        for page in ("old", "old new", "old\tnew\ta\tb", "(\tnew"):
            with self.subTest(page), self.assertRaises(SystemExit) as error:
                self.refused(page)
            self.assertEqual(error.exception.code, UNEXPECTED)

    def test_identifiers_with_a_replaced_word_are_found(self) -> None:
        page = (ROOT / "validation/repository/old_names.txt").read_text()
        old = ("mend", "mended_", "kMended", "MendIt", "is_mended", "draws_anew", "kBegun", "SpeaksOf")
        found = "\n".join(self.refused(page, a="".join(f"int {name} = 1;\n" for name in old)))
        self.assertEqual([name for name in old if f"int {name} = 1;" not in found], [])
        others = ("amended_", "CountAmended", "recommended", "kAmended", "started", "SpeaksOften")
        self.assertEqual(self.refused(page, a="".join(f"int {name} = 1;\n" for name in others)), [])


class DevTest(unittest.TestCase):
    def test_commands_in_help_are_known_and_described(self) -> None:
        self.assertGreater(len(listed()), 10)
        for name in listed():
            with self.subTest(name):
                done = dev("help", name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"^\./dev (.* \| )?{name}\b")
                for option in ("--help", "-h"):
                    self.assertEqual(dev(name, option).stdout, done.stdout)

    def test_known_commands_are_in_help_and_call_a_function(self) -> None:
        commands = module("commands").COMMANDS
        self.assertEqual(set(commands), listed())
        for function in commands.values():
            self.assertTrue(callable(function))

    def test_an_option_without_its_value_is_a_usage_error(self) -> None:
        for arguments in (["nightly", "--target"], ["nightly", "-o"], ["corpus", "--target"], ["setup", "--target"]):
            done = dev(*arguments)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stderr, f"{arguments[-1]} needs a value: try './dev help'\n")

    def test_an_unknown_command_is_a_usage_error(self) -> None:
        for arguments in (["nosuch"], ["help", "nosuch"]):
            done = dev(*arguments)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stderr, "unknown command nosuch: try './dev help'\n")
