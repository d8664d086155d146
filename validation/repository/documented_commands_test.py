# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the commands of README.md and docs/, page by page in their order: those in blocks and those in the text.

python3 -m unittest validation.repository.documented_commands_test

A command that cannot run here is in NOT_RUN with the reason, and a page whose commands another test runs is in RUN_BY;
the verb and the options of each of these are still checked. A command that is in neither is run.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import BIN, NO_INPUT, NOTHING, ROOT, UNEXPECTED, Done, faulty_target

LIMIT_S = 600

# Glob of pages -> the test that runs every block of them.
RUN_BY = {
    "README.md": "validation/repository/readme_test.py",
    "docs/findings/*.md": "validation/findings/findings_test.py",
    "docs/workflows.md": "validation/repository/workflows_test.py",
}

# Glob of commands -> why they are not run.
NOT_RUN = {
    "./dev *": "sets up and builds: validation/repository/dev_test.py and readme_test run it",
    "ctest *": "runs this test: readme_test lists with it",
    "pip *": "network and another environment: packaging/release/bare_machine_test.py",
    "docker *": "builds and runs containers: .github/workflows/nightly.yml",
    "pytest *": "packaging/python/opbyop_test.py runs the plug-in",
    "build/bin/*_benchmark*": "measures for minutes",
    "build/bin/sample_report *": "a page of 86,542 rows takes a minute to make",
    "device/*_benchmark.py *": "measures for minutes",
    "packaging/ci/slurm/submit.sh *": "needs Slurm: packaging/ci/slurm_test.py",
    "packaging/ci/kubernetes/submit.sh *": "needs a cluster: packaging/ci/recipes_test.py",
    "*python3 -m history.superset.*": "needs PostgreSQL and Superset: history/superset/superset_test.py",
    "opbyop eval <(*": "the syntax of a shell: support/files/file_test.cc reads what is named so",
    "opbyop setup *": "network",
    "opbyop bisect *": "network: commands/bisect/bisect_test.py has an index of its own",
    "opbyop exhaust * --target iree": "needs IREE",
    "opbyop exhaust * --target xla": "needs XLA",
    "opbyop exhaust*--type f32 --target T": "takes minutes: workflows_test.py next to this file runs a part of it",
    "opbyop run DIR --target host --differential xla": "needs XLA",
    "opbyop profile * --estimate": "needs libtpu: commands/profile/estimate_test.py",
    "opbyop repro *__*": "needs the nightly of every target: the same with ROW is run",
    "opbyop suite stablehlo --lock": "writes into the checkout",
    "opbyop suite stablehlo --coverage docs/coverage.md": "writes into the checkout: generator_suite_test compares",
    "opbyop suite stablehlo --refused": "many programs: generator_suite_test",
    "opbyop suite stablehlo": "many programs: suite_cli_test",
    "opbyop capture *": "commands/capture/capture_test.py",
    "opbyop run --until compile": "a part of a command; whole in docs/workflows.md",
    "opbyop report --manifest FILE": "a part of a command: manifests/runs/run_manifest_test.cc",
    "opbyop run out/flows/ops": "validation/repository/workflows_test.py",
}

# Placeholders on pages, and their values here.
STAND_INS = [
    (r"^opbyop split models\b", "opbyop split fixtures/models/ffnn.mlirbc"),
    (r"^(opbyop locate model.mlirbc) --target iree", r"\1 --target host"),
    (r"--run out/nightly --target iree", "--run out/red --target faulty.yaml"),
    (r"^opbyop (reduce|bundle) ROW$", r"opbyop \1 ROW --run out/red --target faulty.yaml -o out/again-\1"),
    (r"(?<=reduce )ROW|(?<=bundle )ROW", "{red}"),
    (r"^opbyop repro ROW$", "opbyop repro {row} --run out/nightly -o out/repro"),
    (r"out/reduce/reduced --target T --policy POLICY", "out/work/reduced --target faulty.yaml --policy captured"),
    (r"^opbyop run out/ops --target chip --meaning", "opbyop run out/nightly --policy domain --meaning"),
    (r"-o (DIR|OUT)\b", "-o out/made"),
    (r"(?<=opbyop merge )DIR\.\.\.", "out/nightly"),
    (r"\bRUN RUN\.\.\.|\bA B\b|\bmain-run candidate-run\b", "out/nightly out/nightly-2"),
    (r"\bRUN\.\.\.|\bRUN\b|\bDIR\b", "out/nightly"),
    (r"--baseline FILE", "--baseline baseline.yaml"),
    (r"\bBUNDLE\b", "bundle"),
    (r"\bK/N\b", "1/2"),
    (r"\bmodel\.mlirbc\b|\bMODEL\b", "fixtures/models/ffnn.mlirbc"),
    (r"\b(TRACE|BASE|CANDIDATE)\b", "out/profile/ffnn/optrace.ndjson"),
    (r"/shared/opbyop-cache", "cache"),
    (r"(?<=--target )T\b", "host"),
    (r"\bOP$", "dot_general"),
]

# Glob of commands -> the code of docs/exit-codes.md that the page names, or that follows from the commands before it.
CODES = {
    "opbyop run out/reduce/reduced *": (UNEXPECTED,),
    "opbyop split no/such.mlir *": (NO_INPUT,),
    "opbyop locate *": (NOTHING,),
}

# Commands that are complete without arguments.
WHOLE = ("opbyop doctor", "opbyop rank", "opbyop history *", "opbyop --*")

SIGN = """
func.func @main(%a: tensor<64xbf16>) -> tensor<64xbf16> {
  %0 = stablehlo.sign %a : tensor<64xbf16>
  return %0 : tensor<64xbf16>
}
"""


@dataclasses.dataclass(frozen=True)
class Command:
    page: str
    text: str
    in_block: bool


def commands_of(page: Path) -> list[Command]:
    name = str(page.relative_to(ROOT))
    text = page.read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            command = re.sub(r"(^|\s{2,})#.*", "", line).strip()
            if command:
                found.append(Command(name, command, True))
    prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    # In a table, a bar within code is written as \|.
    for span in re.findall(
        r"`((?:\./dev|opbyop|opbyop-opt|optrace|conformance|ctest|pip|build/bin/\w+) [^`|]+)`", prose
    ):
        found.append(Command(name, " ".join(span.split()), False))
    return found


def meanings_of(page: Path) -> str:
    """The definitions of custom calls that a page shows."""
    shown = re.findall(r"^```mlir\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    return next(text for text in shown if "opbyop.meaning" in text)


def reason(command: Command) -> str | None:
    if command.in_block:
        for glob, test in RUN_BY.items():
            if fnmatch.fnmatchcase(command.page, glob):
                return test
    return next((why for glob, why in NOT_RUN.items() if fnmatch.fnmatchcase(command.text, glob)), None)


def is_mention(command: Command) -> bool:
    """Whether the text only names a verb, perhaps with an option, without arguments."""
    if re.fullmatch(r"opbyop history \w+", command.text) and command.page != "docs/history.md":
        return True
    if command.in_block or any(fnmatch.fnmatchcase(command.text, glob) for glob in WHOLE):
        return False
    words = command.text.split()
    operands = [word for word in words[1:] if not word.startswith("-")]
    return len(operands) <= (1 if words[0] == "opbyop" else 0) or words[0] in ("conformance", "opbyop-opt")


def pages() -> list[Path]:
    """The pages for users; docs/design mentions commands rather than giving them."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in found if page.parent.name != "design")]


class DocumentedCommandsTest(unittest.TestCase):
    template: Path
    row: str
    red: str

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.template = Path(scratch.name) / "template"
        cls.template.mkdir()
        for name in ("fixtures", "manifests", "device", "build"):
            (cls.template / name).symlink_to(ROOT / name)
        faulty_target(cls.template / "faulty.yaml", "sign_of_zero_is_one")
        (cls.template / "sign.mlir").write_text(SIGN)
        (cls.template / "vendor.mlir").write_text(meanings_of(ROOT / "docs/custom-calls.md"))
        cls.row, cls.red = (
            cls.prepared("split fixtures/models/ffnn.mlirbc -o out/nightly", "nightly"),
            cls.prepared("split sign.mlir -o out/red", "red"),
        )
        for command in (
            "run out/nightly --policy domain",
            "run out/nightly --policy domain --until compile -o bundle",
            "profile fixtures/models/ffnn.mlirbc --iterations 1 --budget-ms 1 --no-whole-model",
            f"reduce {cls.red} --run out/red --target faulty.yaml --policy edge -o out/work",
        ):
            done = cls.opbyop(command, cls.template)
            if done.returncode != 0:
                raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        shutil.copytree(cls.template / "out/nightly", cls.template / "out/nightly-2")

    @classmethod
    def prepared(cls, command: str, folder: str) -> str:
        """Inserts the first case of the split."""
        done = cls.opbyop(command, cls.template)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return min(path.stem for path in (cls.template / "out" / folder / "cases").glob("*.mlir"))

    @classmethod
    def opbyop(cls, command: str, folder: Path) -> Done:
        return cls.shell("opbyop " + command, folder)

    @staticmethod
    def shell(command: str, folder: Path) -> Done:
        environment = {key: value for key, value in os.environ.items() if key != "OPBYOP_CACHE"}
        environment["PATH"] = f"{BIN}:{environment['PATH']}"
        return subprocess.run(
            shlex.split(command.replace("build/bin/", f"{BIN}/")),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )

    def run_page(self, page: Path) -> list[str]:
        """Runs a page's commands in a separate folder, in the page's order; returns the failures."""
        commands = [each for each in commands_of(page) if reason(each) is None and not is_mention(each)]
        wrong = []
        if not commands:
            return wrong
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "page"
            shutil.copytree(self.template, folder, symlinks=True)
            for each in commands:
                text = each.text
                for pattern, stand_in in STAND_INS:
                    text = re.sub(pattern, stand_in, text)
                done = self.shell(text.replace("{row}", self.row).replace("{red}", self.red), folder)
                allowed = next((codes for glob, codes in CODES.items() if fnmatch.fnmatchcase(each.text, glob)), (0,))
                if done.returncode not in allowed:
                    said = done.stdout[-1500:] + done.stderr[-1500:]
                    wrong.append(f"{each.page}: `{each.text}`, as `{text}`: exit code {done.returncode}\n{said}")
        return wrong

    def test_every_command_runs_in_the_order_of_its_page(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for wrong in pool.map(self.run_page, pages()):
                for each in wrong:
                    with self.subTest():
                        self.fail(each)

    def test_every_verb_and_option_that_is_named_exists(self) -> None:
        helps: dict[tuple[str, ...], str] = {}
        for page in pages():
            for command in commands_of(page):
                words = command.text.split()
                if words[0] not in ("./dev", "opbyop", "build/bin/opbyop", "optrace", "conformance"):
                    continue
                program = words[0] if words[0] == "./dev" else str(BIN / Path(words[0]).name)
                name = (program, *(word for word in words[1:2] if not word.startswith("-")))
                if name == (str(BIN / "opbyop"), "history") and words[2:3] and not words[2].startswith("-"):
                    name = (*name, words[2])
                if name not in helps:
                    done = subprocess.run([*name, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
                    helps[name] = done.stdout if done.returncode == 0 else ""
                own = words[: words.index("--")] if "--" in words else words
                options = [word.split("=")[0] for word in own if re.match(r"--?[a-z]", word)]
                for option in options if program != "./dev" else []:
                    with self.subTest(page=command.page, command=command.text):
                        self.assertRegex(helps[name], rf"(?<![\w-]){re.escape(option)}(?![\w-])")
                with self.subTest(page=command.page, command=command.text):
                    self.assertTrue(helps[name], "no such verb")

    def test_every_reason_is_needed(self) -> None:
        texts = [command.text for page in pages() for command in commands_of(page)]
        for glob in [*NOT_RUN, *CODES]:
            with self.subTest(glob):
                self.assertTrue(fnmatch.filter(texts, glob), "no page has such a command")


if __name__ == "__main__":
    unittest.main()
