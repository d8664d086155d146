# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that the output of `cmake --install` works from any folder, wherever it is moved to, and writes nothing into
its own folders.

python3 -m unittest validation.repository.install_test
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import BIN, NO_INPUT, NOTHING, NOTHING_JUDGED, ROOT, USAGE, Done, cases

VERBS = {"split", "suite", "run", "report", "repro", "profile", "doctor", "setup"}


class InstallTest(unittest.TestCase):
    """One installation for all tests, which is moved before the tests run."""

    prefix: Path
    folder: Path
    home: Path

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        first, cls.prefix = Path(scratch.name) / "first", Path(scratch.name) / "then moved/opbyop"
        command = ["cmake", "--install", BIN.parent, "--prefix", first]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
        cls.prefix.parent.mkdir()
        first.rename(cls.prefix)
        cls.files = cls.listing()

    @classmethod
    def listing(cls) -> dict[str, float]:
        return {str(path): path.lstat().st_mtime for path in sorted(cls.prefix.rglob("*"))}

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.home = self.folder / "home"
        self.home.mkdir()

    def run_installed(self, *command: object, code: int = 0, on_path: bool = True, folder: Path | None = None) -> Done:
        """Runs it in a folder that is no checkout, without variables that name one."""
        ours = ("OPBYOP_", "XDG_", "PYTHONDONTWRITEBYTECODE")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        environment["HOME"] = str(self.home)
        if on_path:
            environment["PATH"] = f"{self.prefix / 'bin'}:{environment['PATH']}"
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder or self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stdout[-3000:] + done.stderr[-3000:])
        return done

    def test_a_model_is_split_and_run_and_nothing_is_written_next_to_the_programs(self) -> None:
        shutil.copy(ROOT / "fixtures/models/ffnn.mlirbc", self.folder)
        self.run_installed("opbyop", "split", "ffnn.mlirbc", "-o", "run")
        self.run_installed("opbyop", "run", "run")
        self.assertEqual({case["status"] for case in cases(self.folder / "run")}, {"pass"})
        self.assertTrue((self.folder / "run/index.html").exists())
        self.run_installed("opbyop", "doctor", "--target=host")
        self.assertEqual(self.listing(), self.files)

    def test_scripts_in_python_leave_nothing_in_their_folder(self) -> None:
        """Root could write there, and no package manager would remove the files."""
        (self.folder / "m.mlir").write_text(
            "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = stablehlo.negate %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
        )
        self.run_installed("opbyop", "split", "m.mlir", "-o", "run")
        [row] = (path.stem for path in (self.folder / "run/cases").glob("*.mlir"))
        self.run_installed("opbyop", "bundle", row, "--run", "run", "--target", "host", "-o", "out", code=NOTHING)
        self.assertEqual(self.listing().keys(), self.files.keys())

    def test_a_suite_is_made_of_installed_recipes(self) -> None:
        self.run_installed("opbyop", "suite", "stablehlo", "--op=stablehlo.tan", "-o", "suite")
        self.assertIn("stablehlo.tan", (self.folder / "suite/manifest.yaml").read_text())

    def test_the_version_names_the_commit(self) -> None:
        for program in ("opbyop", "optrace"):
            said = self.run_installed(program, "--version").stdout
            self.assertRegex(said, rf"^{program} \d+\.\d+\.\d+ \(([0-9a-f]{{12}}(-dirty)?|unknown commit)\)\n$")

    def test_only_what_people_start_is_on_the_path(self) -> None:
        self.assertEqual({path.name for path in (self.prefix / "bin").iterdir()}, {"opbyop", "opbyop-opt", "optrace"})

    def test_no_test_and_no_empty_folder_is_installed(self) -> None:
        for path in self.prefix.rglob("*"):
            self.assertNotRegex(path.name, r"_test\.|_benchmark\.|^testing\.py$|__pycache__")
            self.assertTrue(not path.is_dir() or any(path.iterdir()), f"{path} is empty")

    def test_a_printed_command_works_where_it_is_pasted(self) -> None:
        """The command names the program if PATH leads to it, or else has its path; it must work in another folder
        than that of the run."""
        (self.folder / "model.mlir").write_text(
            "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = stablehlo.custom_call @nosuch(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  return %0 : tensor<2xf32>\n}\n"
        )
        elsewhere = self.folder / "else where"
        elsewhere.mkdir()
        opbyop = self.prefix / "bin/opbyop"
        self.run_installed(opbyop, "split", "model.mlir", "-o", "a run")
        for on_path in (True, False):
            with self.subTest(on_path=on_path):
                self.run_installed(opbyop, "run", "a run", "--fresh", code=NOTHING_JUDGED, on_path=on_path)
                [repro] = [case["repro"] for case in cases(self.folder / "a run")]
                words = shlex.split(repro)
                program = "opbyop" if on_path else str(self.prefix / "libexec/opbyop/opbyop")
                self.assertEqual(words[:2], [program, "repro"])
                self.run_installed("sh", "-c", repro, code=NOTHING_JUDGED, on_path=on_path, folder=elsewhere)
                self.assertTrue((elsewhere / "out/repro" / words[2] / "results.jsonl").exists())

    def test_a_targets_packages_go_to_the_users_cache(self) -> None:
        """Nothing is downloaded, because the file requires nothing."""
        requirements = self.prefix / "share/opbyop/device/xla/requirements.txt"
        said = self.run_installed("opbyop", "doctor", "--target=xla-cpu-pjrt", code=NO_INPUT).stdout
        self.assertIn("opbyop setup --target xla-cpu-pjrt", said)
        asked = requirements.read_text()
        self.addCleanup(lambda: requirements.write_text(asked))
        requirements.write_text("# nothing\n")
        for _ in range(2):  # the second call finds that it is done
            said = self.run_installed("opbyop", "setup", "--target=xla").stdout
            self.assertIn(f"xla: device/xla/requirements.txt into {self.home}/.cache/opbyop/.venv-xla\n", said)
        self.assertTrue((self.home / ".cache/opbyop/.venv-xla/bin/python").exists())

    # --- man pages and completion

    def help(self, *arguments: str) -> str:
        return self.run_installed(*arguments, "--help").stdout

    def completed(self, *words: str) -> list[str]:
        """The words that bash offers for the last of the words."""
        script = self.prefix / "share/bash-completion/completions" / words[0]
        line = " ".join(f"'{word}'" for word in words)
        command = (
            f'. "{script}"; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _{words[0]}; echo "${{COMPREPLY[@]}}"'
        )
        return self.run_installed("bash", "-c", command).stdout.split()

    def test_man_pages_have_every_verb_and_option_of_the_help(self) -> None:
        for program in ("opbyop", "optrace"):
            page = (self.prefix / f"share/man/man1/{program}.1").read_text().replace("\\-", "-")
            verbs = re.findall(r'^\.SS "\w+ ([\w-]+)', page, re.M)
            self.assertGreater(len(verbs), 4)
            for verb in verbs:
                flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", self.help(program, verb)))
                section = page.split(f'.SS "{program} {verb}', 1)[1].split(".SS", 1)[0]
                for flag in flags:
                    self.assertIn(flag, section, f"{program} {verb}")
        if shutil.which("man"):
            shown = self.run_installed("man", "--warnings", "-l", self.prefix / "share/man/man1/opbyop.1")
            self.assertEqual(shown.stderr, "")

    def test_bash_completes_verbs_options_and_choices(self) -> None:
        self.assertLessEqual(VERBS, set(self.completed("opbyop", "")))
        self.assertEqual(self.completed("opbyop", "spl"), ["split"])
        self.assertEqual(self.completed("opbyop", "run", "dir", "--mo"), ["--mode"])
        self.assertEqual(self.completed("opbyop", "run", "--mode", "ch"), ["chained"])
        self.assertEqual(self.completed("opbyop", "run", "--mode", "=", "ch"), ["chained"])
        self.assertEqual(self.completed("opbyop", "run", "dir", "--target", "host"), ["host"])
        self.assertIn("tpu-v5e", self.completed("opbyop", "reduce", "row", "--target", "="))
        self.assertEqual(self.completed("opbyop", "run", "dir", "--target", "./my"), [])
        self.assertEqual(self.completed("opbyop", "run", "dir", ""), [])  # bash completes files instead
        self.assertIn("verify", self.completed("optrace", ""))

    def test_other_shells_read_their_completion(self) -> None:
        """Skips a shell that is not installed; every verb is in both."""
        zsh = self.prefix / "share/zsh/vendor-completions/_opbyop"
        fish = self.prefix / "share/fish/vendor_completions.d/opbyop.fish"
        for script in (zsh, fish):
            for verb in VERBS:
                self.assertRegex(script.read_text(), rf"\b{verb}\b")
            self.assertIn("xla-cpu-pjrt", script.read_text())
        for shell, script in (("zsh", zsh), ("fish", fish)):
            if shutil.which(shell):
                self.run_installed(shell, "-n", script)

    def test_an_unknown_page_is_a_usage_error(self) -> None:
        self.run_installed("opbyop", "--print=html", code=USAGE)
