# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Models or a suite on targets, case by case: ./dev nightly."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import re
import sys
from pathlib import Path

from dev import packages, release
from dev.build import PROGRAMS, RELEASE
from dev.checkout import ROOT, given, given_target
from dev.options import Options
from dev.process import NOTHING_JUDGED, PARTIAL, UNEXPECTED, die, run, say, status
from dev.targets import install_requirements, name_in_results, need_known, programs_of

BASELINES = ("--baseline", "manifests/baselines")
HISTORY = "out/history.db"
# The folders of --models.
ZOO = {"zoo": "fixtures/zoo/small", "real": "fixtures/zoo/real"}


@dataclasses.dataclass(frozen=True)
class Source:
    """A suite made from recipes, or models that are split; and the folder of its cases and reports."""

    folder: str
    models: list[str] = dataclasses.field(default_factory=list)
    options: tuple[str, ...] = ()
    suite: str = ""
    suite_options: tuple[str, ...] = ()  # which of its programs are made


class Steps:
    """A nightly continues after a red row, a run that judged nothing or a model that could not be split."""

    GRAVEST_FIRST = (UNEXPECTED, NOTHING_JUDGED, PARTIAL)  # docs/exit-codes.md

    def __init__(self, program: str) -> None:
        self.program = program
        self._codes: set[int] = set()

    def opbyop(self, *arguments: str) -> None:
        code = status(self.program, *arguments)
        if code not in (0, *self.GRAVEST_FIRST):
            sys.exit(code)
        self._codes.add(code)

    def code(self) -> int:
        return next((code for code in self.GRAVEST_FIRST if code in self._codes), 0)


def nightly(arguments: list[str]) -> int:
    options = Options("help")
    options.value("-o", "--output", convert=given)
    options.value("--target", convert=given_target, action="append")
    options.value("--page", convert=given)
    options.value("--models")
    options.value("--granularity")
    options.value("--suite")
    options.value("--level")
    options.add_argument("--refused", dest="level", action="store_const", const="refused")
    options.add_argument("--pairs", dest="level", action="store_const", const="pairs")
    options.value("--mesh")
    options.add_argument("--fresh", action="store_true")
    options.add_argument("--whole", action="store_true")
    found, models = options.read_with_operands(arguments)
    targets: list[str] = found.target or ["host"]
    if found.page and len(targets) == 1:
        die("--page is the table of several targets: name them with --target")
    source = _with_granularity(_source(found, [given(model) for model in models]), found.granularity)
    for target in targets:
        need_known(target)
    if len({name_in_results(target) for target in targets}) < len(targets):
        die("two targets of the same name: the results of one would replace those of the other")

    steps = Steps(_programs(targets, source))
    base = found.output or source.folder
    runs = [base if len(targets) == 1 else f"{base}/{name_in_results(target)}" for target in targets]
    for target, folder in zip(targets, runs):
        has_history = _has_history() or _import_earlier(steps, folder)
        if found.fresh:
            _remove(folder, only_runs=bool(found.output))
        _make_cases(steps, source, folder)
        _run_cases(steps, folder, target, whole=found.whole, has_history=has_history)
    if len(runs) > 1:
        say(f"comparing {' '.join(targets)}")
        steps.opbyop("report", *runs, "-o", base, *BASELINES)
        if found.page:
            copy_page(f"{base}/conformance.md", found.page)
    return steps.code()


def _programs(targets: list[str], source: Source) -> str:
    """Brings what the targets and the cases need, and returns the path of `opbyop`."""
    if program := release.installed():
        say(f"nothing is built: this release is installed, and the checkout has no changes: {program}")
        os.environ["OPBYOP_SOURCE_DIR"] = ROOT  # the targets, baselines and environments of this checkout
        for target in targets:
            run(program, "setup", "--target", target)
        return program
    packages.install()
    for target in targets:
        install_requirements(target)
    RELEASE.build(*PROGRAMS, *programs_of(*targets), *(["opbyop-suite"] if source.suite else []))
    return RELEASE.program("opbyop")


def _source(found: argparse.Namespace, models: list[str]) -> Source:
    if not found.suite:
        if found.mesh or found.level in ("refused", "pairs"):
            die(f"--{'mesh' if found.mesh else found.level} is of a suite: --suite stablehlo")
        if found.models:
            return _zoo(found.models, models)
        return Source(folder_of(models), models or ["fixtures/models"])
    if models or found.models:
        die(f"--suite makes its own cases: leave {' '.join(models) or '--models'} out")
    if found.whole:
        die("--whole is of models, a suite has none")
    if found.suite == "jax-lax":  # committed, as models are
        if found.level or found.mesh:
            die("--level and --mesh are of a suite made from recipes, and jax-lax is one set")
        # A case is what JAX emits for a primitive, with the bodies that it gives the op.
        whole = ("--regions", "whole", "--composites", "whole")
        return Source("out/suite/jax-lax", ["fixtures/jax_lax"], whole)
    if found.mesh:
        return _mesh(found.suite, found.mesh, found.level)
    level = found.level or "smoke"
    options = (f"--{level}",) if level in ("refused", "pairs") else ("--level", level)
    return Source(f"out/suite/{found.suite}-{level}", suite=found.suite, suite_options=options)


def _mesh(suite: str, mesh: str, level: str | None) -> Source:
    """Programs of several devices; each level has its own folder."""
    if level in ("refused", "pairs"):
        die(f"--{level} are programs of one device: leave --mesh out")
    if not re.fullmatch(r"[0-9]+x[0-9]+", mesh):  # it becomes a part of a folder's name
        die(f"unknown mesh {mesh}: rows x columns of devices, such as 2x4")
    folder = f"out/suite/{suite}-mesh-{mesh}{'-full' if level == 'full' else ''}"
    return Source(folder, suite=suite, suite_options=("--mesh", mesh, "--level", level or "smoke"))


def _with_granularity(source: Source, granularity: str | None) -> Source:
    """The same models with cases of several ops, in a folder of their own."""
    if granularity in (None, "op"):
        return source
    if source.suite or source.options:
        die("--granularity is of models: the programs of a suite have one op each")
    if not re.fullmatch(r"[a-z]+(:[0-9]+)?", granularity):  # it becomes a part of a folder's name
        die(f"unknown granularity {granularity}: op, window:K, module, module:DEPTH, layer or model")
    folder = f"{source.folder}-{granularity.replace(':', '-')}"
    return dataclasses.replace(source, folder=folder, options=("--granularity", granularity))


def _zoo(name: str, models: list[str]) -> Source:
    if name not in ZOO:
        die(f"unknown models {name}: {' or '.join(ZOO)}")
    if models:
        die(f"--models {name} are all of {ZOO[name]}: leave {' '.join(models)} out")
    return Source(f"out/nightly-{name}", [ZOO[name]])


def folder_of(models: list[str]) -> str:
    """A folder for each set of models: the report of one never replaces that of another.

    Files outside of fixtures/models may have each other's names, so the folders of those sets also have a checksum of
    the paths.
    """
    if not models:
        return "out/nightly"
    paths = [os.path.realpath(model) for model in models]
    stems = [re.sub(r"\.mlir(?!.*\.mlir).*", "", os.path.basename(model.rstrip("/"))) for model in models]
    name = "+".join(re.sub(r"[^A-Za-z0-9._-]", "_", stem) for stem in stems)
    if len(name) > 60 or any(os.path.dirname(path) != f"{ROOT}/fixtures/models" for path in paths):
        checksum = hashlib.sha256(os.fsencode("".join(f"{path}\n" for path in paths))).hexdigest()
        name = f"{name[:60]}-{checksum[:8]}"
    return f"out/nightly-{name}"


def _remove(folder: str, only_runs: bool) -> None:
    occupied = bool(os.listdir(folder)) if os.path.isdir(folder) else os.path.exists(folder)
    if only_runs and occupied and not os.path.isfile(f"{folder}/manifest.yaml"):
        die(f"--fresh would remove {folder}, which is no run's folder: it has no manifest.yaml")
    run("rm", "-rf", folder)


def _make_cases(steps: Steps, source: Source, folder: str) -> None:
    if not source.suite:
        say(f"splitting {' '.join(source.models)}")
        steps.opbyop("split", *source.options, *source.models, "-o", folder)
        return
    say(f"making the suite {source.suite}, {' '.join(source.suite_options)}")
    steps.opbyop("suite", source.suite, *source.suite_options, "-o", folder)


def _has_history() -> bool:
    return bool(os.environ.get("OPBYOP_HISTORY")) or os.path.exists(HISTORY)


def _import_earlier(steps: Steps, folder: str) -> bool:
    """Begins the history with the folder's earlier run; the first nightly of a checkout has none.

    That one has nothing to compare its run with, so the programs of the history are not built for it.
    """
    return os.path.isfile(f"{folder}/results.jsonl") and _imported(steps, folder)


def _imported(steps: Steps, folder: str) -> bool:
    if status(steps.program, "history", "import", folder, *BASELINES) == 0:
        return True
    say(f"not in the history: {folder}")  # the run is as good, and its page does not mention earlier ones
    return False


def _run_cases(steps: Steps, folder: str, target: str, whole: bool, has_history: bool) -> None:
    say(f"running every row on {target}")
    steps.opbyop("run", folder, "--target", target)
    if whole:
        say(f"running every model in one piece on {target}")
        steps.opbyop("run", folder, "--target", target, "--mode=whole")
    # The run has written reports; write them again with the whole models next to their ops, and with the runs before.
    history: list[str] = []
    if has_history and _imported(steps, folder):
        history = ["--history", os.environ.get("OPBYOP_HISTORY") or HISTORY]
    if whole or history:
        for pattern in ("op_by_op_report-*.json", "report_*.xml"):  # of an earlier job number
            for file in Path(folder).glob(pattern):
                file.unlink()
        steps.opbyop("report", folder, "-o", folder, *BASELINES, *history)


def copy_page(source: str, page: str) -> None:
    """Copies a page for a commit: its commands are of any checkout, and it links the page of the suite next to it."""
    with open(source, encoding="utf-8") as file:
        text = file.read().replace(f"{ROOT}/", "")
    if os.path.isfile(os.path.join(os.path.dirname(page), "conformance-suite.md")):
        link = (
            "These are ops of models; how the cases made from the specification end: "
            "[conformance-suite.md](conformance-suite.md)."
        )
        text = re.sub(r"(?m)^(How [0-9].*\n)", rf"\1\n{link}\n", text)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
