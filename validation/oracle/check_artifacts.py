# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks portable artifacts with jaxlib: upstream's are read here, ours there.

    python -m validation.oracle.check_artifacts CORPORA --ours DIR --theirs DIR

`--ours` holds artifacts that opbyop-corpus --write has made of the corpora: each must be, for jaxlib, the module of the
corpus text. jaxlib's artifacts for the same sections and versions are written into `--theirs`, with a manifest.json
that opbyop-corpus --compare reads. Locations are stripped. Sections that jaxlib itself refuses are counted by its
message. Exit code: 0, or 1 if an artifact differs.
"""

import argparse
import collections
import itertools
import json
import pathlib
import sys

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from fixtures.bindings import make_context

MARKER = "// -----"
ERRORS = (ir.MLIRError, ValueError, RuntimeError)
SECTIONS_PER_CONTEXT = 64
UNCUT = {"dynamic", "exports", "math", "print", "testdata", "vhlo"}


class Corpus:
    """Sections of corpus files as modules without locations."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.sections: dict[str, list[str]] = {}

    def text(self, name: str, section: int) -> str:
        if name not in self.sections:
            in_exports = name.startswith("exports/")
            path = self.folder / (name if in_exports else f"stablehlo/{name}")
            text = path.read_text(encoding="utf-8")
            uncut = name.rpartition("/")[0] in UNCUT
            self.sections = {name: [text] if uncut else text.split(MARKER)}
        return self.sections[name][section]


def strip_locations(module: ir.Module) -> None:
    passmanager.PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)


def print_module(module: ir.Module) -> str:
    return module.operation.get_asm(enable_debug_info=False)


class Check:
    def __init__(self, ours: pathlib.Path, theirs: pathlib.Path):
        self.ours = ours
        self.theirs = theirs
        self.counts: collections.Counter = collections.Counter()
        self.written: list[dict] = []
        self.problems: list[str] = []

    def section(self, text: str, entries: list[dict]) -> None:
        """Checks all artifacts of one section, in the current context."""
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError:
            self.counts["newer than jaxlib's parser"] += len(entries)
            return
        strip_locations(module)
        for entry in entries:
            theirs = self.write(entry, module)
            if theirs is not None:
                self.read(entry, theirs)

    def write(self, entry: dict, module: ir.Module) -> bytes | None:
        try:
            theirs = stablehlo.serialize_portable_artifact(module, entry["version"])
        except ERRORS:
            self.problems.append(f"{entry['artifact']}: jaxlib does not write this version")
            return None
        path = self.theirs / entry["artifact"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(theirs)
        self.written.append(entry)
        return theirs

    def read(self, entry: dict, theirs: bytes) -> None:
        """Ours must be the same module as theirs; defaults that the text spells out are left out."""
        ours = (self.ours / entry["artifact"]).read_bytes()
        context = ir.Context.current
        try:
            module = stablehlo.deserialize_portable_artifact(context, ours)
        except ERRORS as error:
            self.problems.append(f"{entry['artifact']}: jaxlib refuses it: {error}"[:300])
            return
        expected = stablehlo.deserialize_portable_artifact(context, theirs)
        self.counts["written with jaxlib's bytes"] += ours == theirs
        if print_module(module) == print_module(expected):
            self.counts["read by jaxlib like their text"] += 1
        else:
            self.problems.append(f"{entry['artifact']}: jaxlib reads another module")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m validation.oracle.check_artifacts")
    parser.add_argument("corpora", type=pathlib.Path)
    parser.add_argument("--ours", type=pathlib.Path, required=True)
    parser.add_argument("--theirs", type=pathlib.Path, required=True)
    arguments = parser.parse_args(argv)
    entries = json.loads((arguments.ours / "manifest.json").read_text())
    entries.sort(key=lambda entry: (entry["file"], entry["section"]))
    corpus = Corpus(arguments.corpora)
    check = Check(arguments.ours, arguments.theirs)
    groups = itertools.groupby(entries, lambda entry: (entry["file"], entry["section"]))
    for number, ((name, section), group) in enumerate(groups):
        if number % SECTIONS_PER_CONTEXT == 0:
            context = make_context()
            context.enable_multithreading(False)
        with context, ir.Location.unknown():
            check.section(corpus.text(name, section), list(group))
    arguments.theirs.mkdir(parents=True, exist_ok=True)
    (arguments.theirs / "manifest.json").write_text(json.dumps(check.written))
    for problem in check.problems:
        print(problem)
    summary = ", ".join(f"{n} {what}" for what, n in check.counts.items())
    print(f"{len(entries)} artifacts: {summary}, {len(check.problems)} problems")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
