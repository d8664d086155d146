# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the cases of docs/findings/ with the compiler's own tools, and checks that the pages are still true.

python3 -m unittest validation.findings.findings_test.{Cuda,Iree,OneApi,Pjrt,Rocm,Tenstorrent,Tpu,Vulkan,Xla,Xla012}

Needs the Python that has the compiler, in the version that the page names. A test that fails shows that the compiler
has changed: the finding must then be reviewed.
"""

from __future__ import annotations

import importlib.metadata
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fixtures.programs import ROOT

SHELL_LIMIT_S = 120
# Words of a finding for a crash of the compiler, and the possible signals: the same corruption may end as either.
DEATHS = {
    "SIGSEGV": (signal.SIGABRT, signal.SIGSEGV),
    "SIGFPE": (signal.SIGFPE,),
    "SIGILL": (signal.SIGILL,),
}


def findings_of(compiler: str) -> tuple[str, list[str]]:
    """The beginning of a compiler's pages, and their findings, each from its heading on."""
    heads, found = "", []
    for page in sorted((ROOT / "docs/findings").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if text.startswith(f"# {compiler}:"):
            head, *findings = re.split(r"^## ", text, flags=re.M)
            heads += head
            found += findings
    return heads, found


def need_version(compiler: str, package: str) -> None:
    """Raises SkipTest if the installed version of a package is not the one in the title of the compiler's page."""
    [named] = re.findall(rf"^# {compiler}: .*\b{package} ([\d.]*\d)", findings_of(compiler)[0], re.M)
    installed = importlib.metadata.version(package)
    if installed != named:
        raise unittest.SkipTest(
            f"the findings are in {package} {named}, and this Python has {installed}; OPBYOP_PYTHON may name another"
        )


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def shell(command: str, folder: str) -> subprocess.CompletedProcess:
    """Runs a command; F.mlir is in the folder, virtual environments in the project's folder."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        ["sh", "-c", command.replace(".venv-", f"{ROOT}/.venv-")],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=SHELL_LIMIT_S,
    )


def printed(text: str) -> list[str]:
    """Words of a command's output; results of iree-run-module are below their heading."""
    return re.sub(r"result\[\d+\]: hal.buffer_view|EXEC @main", "", text).split()


def quoted(text: str) -> list[str]:
    """The diagnostics that a finding quotes: text in backticks that is a sentence."""
    outside = re.sub(r"```.*?```", "", text, flags=re.S)
    return [each for each in re.findall(r"`([^`]+)`", outside) if len(each.split()) >= 4]


def died_by(finding: str) -> list[int]:
    """Exit codes of the signals that it names, as a shell reports them and as the launcher of iree-compile does."""
    named = [number for name, numbers in DEATHS.items() if name in finding for number in numbers]
    return [code for number in named for code in (-number, 128 + number, 256 - number)]


def is_right_here(finding: str) -> bool:
    """Whether the finding is of other processors than this one."""
    needed = re.findall(r"Only on a processor with `(\w+)`", finding)
    features = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    return any(each not in features for each in needed)


class FindingTest(unittest.TestCase):
    """One test per heading of the compiler's pages that has a program or a command."""

    def check(self, finding: str, compile_command: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for program in blocks(finding, "mlir"):
                (Path(folder) / "F.mlir").write_text(program, encoding="utf-8")
            compiled = shell(compile_command, folder) if compile_command else None
            runs = blocks(finding, "sh")
            if compiled is not None and not runs:
                self.assertNotEqual(compiled.returncode, 0, "it compiles now")
                # A compiler whose memory is corrupt may end by a signal or by an error: the finding names both.
                if compiled.returncode not in died_by(finding):
                    self.assertTrue(any(each in compiled.stderr for each in quoted(finding)), compiled.stderr[-500:])
            for run in runs:
                command, _, said = run.partition("\n# ")
                wrong, _, right = said.partition("expected")
                done = shell(command, folder)
                self.assertEqual(done.returncode, 0, done.stderr[-500:])
                self.assertEqual(printed(done.stdout), (right if is_right_here(finding) else wrong).split())


def with_tests_of(compiler: str):
    """Gives a class the tests for the compiler's pages."""

    def add_tests(tests: type[FindingTest]) -> type[FindingTest]:
        head, findings = findings_of(compiler)
        compile_command = "".join(blocks(head, "sh"))
        findings = [each for each in findings if blocks(each, "mlir") or blocks(each, "sh")]
        assert findings, f"docs/findings/ has no findings in {compiler}"
        for finding in findings:
            name = "test_" + re.sub(r"\W+", "_", finding.splitlines()[0]).strip("_")
            setattr(tests, name, lambda self, finding=finding: self.check(finding, compile_command))
        return tests

    return add_tests


@with_tests_of("IREE")
class Iree(FindingTest):
    pass


@with_tests_of("CUDA")
class Cuda(FindingTest):
    pass


@with_tests_of("oneAPI")
class OneApi(FindingTest):
    pass


@with_tests_of("PJRT")
class Pjrt(FindingTest):
    pass


@with_tests_of("ROCm")
class Rocm(FindingTest):
    pass


@with_tests_of("Tenstorrent")
class Tenstorrent(FindingTest):
    pass


@with_tests_of("TPU")
class Tpu(FindingTest):
    pass


@with_tests_of("Vulkan")
class Vulkan(FindingTest):
    """Results of other drivers differ from llvmpipe's, which the page shows."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            devices = shell("iree-run-module --dump_devices=vulkan", folder).stdout
        if "llvmpipe" not in devices:
            raise unittest.SkipTest("no llvmpipe: './dev setup --target iree-vulkan' installs it")


@with_tests_of("XLA")
class Xla(FindingTest):
    @classmethod
    def setUpClass(cls) -> None:
        need_version("XLA", "jaxlib")


@with_tests_of("XLA 0.12")
class Xla012(FindingTest):
    @classmethod
    def setUpClass(cls) -> None:
        need_version("XLA 0.12", "jaxlib")
