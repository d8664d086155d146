# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Measures of opbyop itself: ./dev sensitivity, faults, tightness, false-positives, attack, fuzz, bench."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dev import packages
from dev.build import RELEASE, Build
from dev.process import die, run, say
from dev.targets import install_requirements

FAULTS = "out/faults"
HOST_AND_XLA = ("--target", "manifests/targets/host.yaml", "--target", "manifests/targets/xla.yaml")

# The programs of validation/fuzz.
FUZZ_TARGETS = (
    *("text", "artifact", "splitter", "manifest", "target", "policy", "baseline", "results", "optrace", "frames"),
    "xspace",
)


def sensitivity(arguments: list[str]) -> None:
    RELEASE.build("sensitivity_table")
    models = ("fixtures/models/mnist_mlp.mlirbc", "fixtures/models/mobilenet_v3_small.mlirbc")
    inputs = ("docs/numerics/sensitivity.md", "validation/fault_injection/cases", *models)
    run(RELEASE.program("sensitivity_table"), *inputs, *arguments)


def faults(arguments: list[str]) -> None:
    """Resumes where the last run stopped. --pairs: in programs of two ops, in one of the two alone.

    --mesh: in programs of several devices. --products: in large products and convolutions, which are judged by a
    sample and checksums.
    """
    if "--products" in arguments:
        RELEASE.build("product_faults")
        rest = [argument for argument in arguments if argument != "--products"]
        run("nice", RELEASE.program("product_faults"), "--page", "docs/numerics/checksum-faults.md", *rest)
        return
    RELEASE.build("opbyop", "opbyop-suite", "opbyop-worker", "faulty_worker", "faults")
    folder, page = FAULTS, "docs/numerics/faults.md"
    if "--pairs" in arguments:
        folder, page = f"{FAULTS}-pairs", "docs/numerics/pair-faults.md"
        run(RELEASE.program("opbyop"), "suite", "stablehlo", "--pairs", "-o", folder)
    elif "--mesh" in arguments:
        folder, page = f"{FAULTS}-mesh", "docs/numerics/mesh-faults.md"
        run(RELEASE.program("opbyop"), "suite", "stablehlo", "--mesh", "2x4", "-o", folder)
    else:
        _split_models(folder)
    say("running every fault on every case that it affects")
    run("nice", RELEASE.program("faults"), folder, "--page", page, *arguments)


def tightness(arguments: list[str]) -> None:
    packages.install()
    install_requirements("xla")
    RELEASE.build("opbyop", "opbyop-worker", "tightness")
    _split_models(FAULTS)
    page = ("--page", "docs/numerics/tightness.md")
    run("nice", RELEASE.program("tightness"), FAULTS, *HOST_AND_XLA, *page, *arguments)


def false_positives(arguments: list[str]) -> None:
    """Resumes where the last run stopped."""
    packages.install()
    install_requirements("xla")
    RELEASE.build("opbyop", "opbyop-worker", "false_positives")
    out = "out/false-positives"
    if not os.path.isfile(f"{out}/manifest.yaml"):
        _split_models(out)
    run("nice", "-n", "15", RELEASE.program("false_positives"), out, *HOST_AND_XLA, *arguments)


def _split_models(folder: str) -> None:
    run(RELEASE.program("opbyop"), "split", "--quiet", "fixtures/models", "-o", folder)


def attack(arguments: list[str]) -> None:
    RELEASE.build("verbs", "opbyop-opt", "optrace-tool", "mock_worker")
    say("attacking")
    run(sys.executable, "-m", "validation.attack", *arguments)


def fuzz(arguments: list[str]) -> None:
    """SECONDS are for each target."""
    target, seconds = (*arguments[:2], *("all", "600")[len(arguments) :])
    if target not in (*FUZZ_TARGETS, "all"):
        die(f"unknown fuzz target {target}: {' '.join(FUZZ_TARGETS)} or all")
    targets = FUZZ_TARGETS if target == "all" else (target,)
    build = Build("fuzz")
    build.build(*(f"fuzz_{name}" for name in targets))
    lines = Path(build.folder, "sanitizer.env").read_text().split("\n")
    environment = dict(line.split("=", 1) for line in lines if line)
    for name in targets:
        say(f"fuzzing {name} for {seconds} s")
        options = (f"-max_total_time={seconds}", "-print_final_stats=1")
        script = ("sh", "validation/fuzz/run.sh", build.program(f"fuzz_{name}"), name, "out/fuzz")
        run(*script, *options, environment=environment)


def bench(arguments: list[str]) -> None:
    RELEASE.build()
    for program in sorted(Path(RELEASE.folder, "bin").glob("*_benchmark")):
        say(program.name)
        run(str(program), *arguments)
    say("the history on PostgreSQL")
    _run_or_skip(sys.executable, "-m", "history.test.postgres_benchmark")
    say("the cost of a nightly's input policies")
    run(sys.executable, "-m", "validation.benchmarks.policy_benchmark")
    say("the suite for a mesh against a Python loop on the same plugin")
    _run_or_skip(sys.executable, "-m", "validation.benchmarks.mesh_benchmark")
    for title, module, *others in (
        (
            "opbyop against a Python splitter on jaxlib's bindings",
            "peers.compare_splitters",
            "split",
            "fixtures/models",
        ),
        ("the reference against upstream's interpreter", "oracle.reference_speed", "reference"),
        ("reading, compared with jaxlib's reader", "peers.read_baseline", "read"),
    ):
        say(title)
        start = ("sh", "fixtures/with_python.sh", "xla jax torch", "jaxlib.mlir.dialects.stablehlo")
        benchmark = RELEASE.program(f"{others[0]}_benchmark")
        _run_or_skip(*start, "-m", f"validation.{module}", benchmark, *others[1:])


def _run_or_skip(*command: str) -> None:
    """A program exits with 77 if what it compares with is not installed."""
    run(*command, accepted=(0, 77))
