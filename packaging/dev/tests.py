# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests by ctest: ./dev test, oracle, external, coverage."""

from __future__ import annotations

import itertools
import os
import re
import sys
from pathlib import Path

from dev import environments, packages
from dev.build import LLVM, RELEASE, Build, processors
from dev.options import Options
from dev.package import package
from dev.process import NOTHING_JUDGED, UNEXPECTED, captured, die, output, run, run_with_copy, say, status
from dev.targets import install_requirements

OWN_OPTION = re.compile("--(sanitize=|allowed-skips=|without-mlir$)")


def test(arguments: list[str]) -> int:
    options = Options("help test")
    options.add_argument("--sanitize")
    options.add_argument("--allowed-skips")
    options.add_argument("--without-mlir", action="store_true")
    own = list(itertools.takewhile(OWN_OPTION.match, arguments))
    found, _ = options.read(own)
    others = arguments[len(own) :]
    if found.sanitize is None:
        if found.without_mlir:
            die("--without-mlir needs a sanitizer: ./dev test --sanitize=address --without-mlir")
        RELEASE.build()
        if not others:
            for name, requirements in environments.TEST_ENVIRONMENTS.items():
                if not environments.make_if_possible(name, requirements):
                    say(f"not installed: the tests that need .venv-{name} are skipped")
        say("testing")
        return ctest(RELEASE, *others, allowed_skips=found.allowed_skips)
    if found.sanitize not in ("address", "thread"):
        die(f"unknown sanitizer {found.sanitize}: address or thread")
    group = "sanitized_without_mlir" if found.without_mlir else "sanitized"
    build = Build(found.sanitize)
    build.build(group)
    say(f"testing with the {found.sanitize} sanitizer")
    return ctest(build, "-L", f"^{group}$", *others, allowed_skips=found.allowed_skips)


def ctest(build: Build, *options: str, allowed_skips: str | None = None) -> int:
    """The exit code of ctest, 1 for its 8: a failed test is a failed check here (docs/exit-codes.md).

    Lists the skipped tests at the end. With `allowed_skips`, a skip that is not in that file is a failed check too.
    """
    junit = f"{build.folder}/tests.xml"
    Path(junit).unlink(missing_ok=True)
    report = ("--output-junit", "tests.xml", "--test-output-size-passed", "1000000")
    # A third of the tests' time is waiting for limits of time, so one more test at a time keeps the processors busy.
    start = ("ctest", "--test-dir", build.folder, "--output-on-failure", "-j", str(processors() + 1))
    code = status(*start, *report, *options)
    if code == NOTHING_JUDGED:
        code = UNEXPECTED
    if os.path.isfile(junit):
        allowed = ("--allowed", allowed_skips) if allowed_skips else ()
        if status(sys.executable, "-m", "validation.repository.skipped_tests", junit, *allowed) != 0:
            code = UNEXPECTED
    return code


def oracle(arguments: list[str]) -> int:
    packages.install()
    install_requirements("xla")
    return test(["-L", "oracle", *arguments])


def external(arguments: list[str]) -> int:
    """Tests that need what is too large for every run: other tools' readers of `optrace` exports, chips' compilers."""
    packages.install("debootstrap", "postgresql")
    environments.make("xprof", "reports/optrace/requirements-xprof.txt")
    for target in ("iree", "xla", "xla-cpu-pjrt", "tpu-v5e", "amd-mi300x", "intel-pvc"):
        install_requirements(target)
    environments.make("tensorflow", "fixtures/export/requirements-tensorflow.txt")
    environments.make("superset", "history/superset/requirements.txt")
    environments.make("junit", environments.TEST_ENVIRONMENTS["junit"])
    package([])
    os.environ["OPBYOP_FINDINGS"] = "all"
    return test(["-L", "external", *arguments])


def coverage(arguments: list[str]) -> int:
    """The figures are written although a test fails."""
    group = "sanitized"
    if arguments[:1] == ["--without-mlir"]:
        group, arguments = "sanitized_without_mlir", arguments[1:]
    build = Build("coverage")
    build.build(group)
    run("rm", "-rf", f"{build.folder}/profiles", "out/coverage")
    os.makedirs("out/coverage")
    say("testing, with counters")
    code = ctest(build, "-L", f"^{group}$", *arguments)
    say("counting lines")
    data = f"{build.folder}/tests.profdata"
    counters = sorted(map(str, Path(build.folder, "profiles").glob("*.profraw")))
    run(f"llvm-profdata-{LLVM}", "merge", "--sparse", *counters, "-o", data)
    covered = ("grep", "--recursive", "--files-with-matches", "--binary-files=text", "__llvm_covmap")
    programs = sorted(captured(*covered, f"{build.folder}/bin")[1].splitlines())
    objects = [f"--object={program}" for program in programs]
    export = output(f"llvm-cov-{LLVM}", "export", "--summary-only", f"--instr-profile={data}", *objects)
    Path("out/coverage/coverage.json").write_text(export)
    summary = ("-m", "validation.repository.coverage", "out/coverage/coverage.json")
    run_with_copy(sys.executable, *summary, copy="out/coverage/summary.md")
    return code
