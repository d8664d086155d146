# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The test data of others: ./dev corpora, corpus, differential."""

from __future__ import annotations

import os
import sys

from dev import packages
from dev.build import RELEASE
from dev.options import Options
from dev.process import NO_INPUT, die, run, run_with_copy, say
from dev.targets import install_requirements


def corpora(arguments: list[str]) -> None:
    run(sys.executable, "-m", "fixtures.corpora.fetch", *arguments)


def corpus(arguments: list[str]) -> None:
    options = Options("help corpus")
    options.value("--target", action="append", default=[])
    found, sets = options.read(arguments)
    folder = os.environ.get("OPBYOP_CORPORA") or ".corpora"
    if not os.path.isdir(f"{folder}/corpora/stablehlo"):
        die(f"no corpora in {folder}: './dev corpora' fetches them, or set OPBYOP_CORPORA", NO_INPUT)
    for target in found.target:
        _run_on(target, sets or ["testdata"])
    if not found.target:
        _read_and_evaluate(sets)


def _run_on(target: str, sets: list[str]) -> None:
    """Runs every distinct op of the corpora's numeric programs as a case, except their own checks."""
    packages.install()
    install_requirements(target)
    RELEASE.build("opbyop", "opbyop-worker", "opbyop-pjrt-worker", "conformance")
    say(f"running every case on {target}")
    out = f"out/corpus/{target}"
    os.makedirs(out, exist_ok=True)
    options = ("--bin", f"{RELEASE.folder}/bin", "--target", target, "--out", out)
    run_with_copy(sys.executable, "-m", "validation.corpus.target_corpus", *options, *sets, copy=f"{out}/table.txt")


def _read_and_evaluate(sets: list[str]) -> None:
    RELEASE.build("opbyop-corpus", "eval_corpus_test")
    say("reading, printing, writing, splitting")
    inputs = "ir/test/Inputs"
    options = ("--floor", f"{inputs}/corpus_floor.json", "--known", f"{inputs}/corpus_known.json")
    program = ("--program", RELEASE.program("opbyop-corpus"))
    run(sys.executable, "-m", "validation.corpus.corpus", *program, *options, *sets)
    # The sets whose programs state their results.
    tests = [f"*.{each.capitalize()}Passes" for each in sets if each in ("testdata", "math", "interpret", "quantized")]
    if sets and not tests:
        return
    say("evaluating with the reference")
    run(RELEASE.program("eval_corpus_test"), "--gtest_brief=1", f"--gtest_filter={':'.join(tests or ['*Passes'])}")
    if sets and "testdata" not in sets:
        return
    say("proving that the exceptions' expected values are wrong")
    run(sys.executable, "-m", "validation.corpus.corpus_exceptions", "--list", "reference/eval/corpus_exceptions.json")


def differential(arguments: list[str]) -> None:
    options = Options("help differential")
    options.add_argument("--suite", nargs="?", const="")
    found, others = options.read(arguments)
    if found.suite == "":
        die("--suite needs smoke or full")
    RELEASE.build("opbyop", "opbyop-worker")
    install_requirements("xla")
    if found.suite:
        cases = f"out/differential/stablehlo-{found.suite}"
        run(RELEASE.program("opbyop"), "suite", "stablehlo", "--level", found.suite, "-o", cases)
        others = ["--suite", cases, *others]
    run(".venv-xla/bin/python", "-m", "validation.oracle.differential", *others)
