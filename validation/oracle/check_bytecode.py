# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks StableHLO's own bytecode with jaxlib: upstream's must read here as its text does, and ours there.

    python -m validation.oracle.check_bytecode --opt build/bin/opbyop-opt --out DIR [--corpora] PATH...

Programs are the sections of the .mlir files that jaxlib accepts, each written in one of the bytecode versions 0 to 6 in
turn. Exit code: 0, or 1 if a program differs or fewer than `--least` were compared.
"""

import argparse
import concurrent.futures
import io
import os
import pathlib
import re
import subprocess
import sys

import jaxlib
from jaxlib.mlir import ir

from fixtures.bindings import make_context
from fixtures.corpora.folder import corpora_or_exit

# Separates sections of a file, and files that are joined in one.
MARKER = re.compile(r"// -----|^//--- .*$", re.MULTILINE)
# A program in VHLO is StableHLO when it has been read here, and stays VHLO in jaxlib.
VHLO = re.compile(r"^[^/\n]*\bvhlo\.\w+_v\d", re.MULTILINE)
VERSIONS = 7
ERRORS = (ir.MLIRError, ValueError, RuntimeError)


def sections(paths: list[pathlib.Path]) -> list[tuple[str, str]]:
    found = []
    for path in paths:
        files = sorted(path.rglob("*.mlir")) if path.is_dir() else [path]
        for file in files:
            text = file.read_text(encoding="utf-8")
            # Programs with elided elements cannot be written.
            found += [
                (f"{file}#{i}", part)
                for i, part in enumerate(MARKER.split(text))
                if part.strip() and "__elided__" not in part and not VHLO.search(part)
            ]
    return found


def plain(module: ir.Module) -> str:
    return module.operation.get_asm(enable_debug_info=False)


def write_theirs(text: str, stem: pathlib.Path, version: int) -> bool:
    """Writes stem.mlir and stem.mlirbc. Returns False if jaxlib refuses the program."""
    with make_context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
        except ERRORS:
            return False
        bytecode = io.BytesIO()
        module.operation.write_bytecode(bytecode, desired_version=version)
        stem.with_suffix(".mlir").write_text(plain(module))
        stem.with_suffix(".mlirbc").write_bytes(bytecode.getvalue())
        return True


def opt(program: str, *arguments: str) -> tuple[int, bytes, str]:
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def check_one(program: str, stem: pathlib.Path, version: int) -> str:
    """The difference; empty if there is none, "refused" if the text is not read here either."""
    code, text, _ = opt(program, str(stem.with_suffix(".mlir")))
    if code != 0:
        return "refused"
    code, read, message = opt(program, str(stem.with_suffix(".mlirbc")))
    if code != 0:
        return f"theirs, version {version}: {message[:300]}"
    if read != text:
        return f"theirs, version {version}: reads as another program"
    ours = stem.with_suffix(".ours.mlirbc")
    flags = ("--emit-bytecode", f"--emit-bytecode-version={version}", "-o", str(ours))
    code, _, message = opt(program, *flags, str(stem.with_suffix(".mlir")))
    return f"ours, version {version}: {message[:300]}" if code != 0 else ""


# Ops whose properties have gained fields, with the first release of jaxlib that has them. This project writes all
# fields, as the newest release does. So older releases do not read these ops in the versions of bytecode that have
# properties.
ADDED_ATTRIBUTES = {"chlo.top_k": (0, 12), "stablehlo.collective_broadcast": (0, 12)}
PROPERTIES = 5  # the first version of bytecode that has them


def is_older(stem: pathlib.Path, version: int) -> bool:
    """Whether this jaxlib is too old for an op of the program."""
    release = tuple(map(int, jaxlib.__version__.split(".")[:2]))
    text = stem.with_suffix(".mlir").read_text()
    return version >= PROPERTIES and any(op in text and release < first for op, first in ADDED_ATTRIBUTES.items())


def read_ours(stem: pathlib.Path, version: int) -> str:
    with make_context(), ir.Location.unknown():
        try:
            module = ir.Module.parse(stem.with_suffix(".ours.mlirbc").read_bytes())
        except ERRORS as error:
            return f"ours, version {version}: jaxlib: {str(error)[:300]}"
        same = plain(module) == stem.with_suffix(".mlir").read_text()
        return "" if same else f"ours, version {version}: jaxlib reads another program"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--corpora", action="store_true", help="the corpora's programs too; exits with 77 without")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    paths = arguments.paths + ([corpora_or_exit("corpora")] if arguments.corpora else [])
    arguments.out.mkdir(parents=True, exist_ok=True)
    programs = sections(paths)
    # Takes programs from every part of a long list.
    step = max(1, len(programs) // (2 * arguments.limit))
    chosen: list[tuple[str, pathlib.Path, int]] = []
    for name, text in programs[::step]:
        if len(chosen) == arguments.limit:
            break
        version = len(chosen) % VERSIONS
        stem = arguments.out / f"{len(chosen):05}"
        if write_theirs(text, stem, version):
            chosen.append((name, stem, version))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        differences = list(pool.map(lambda one: check_one(arguments.opt, one[1], one[2]), chosen))
    bad = refused = older = 0
    for (name, stem, version), difference in zip(chosen, differences, strict=True):
        if difference == "refused":
            refused += 1
            continue
        if not difference and is_older(stem, version):
            older += 1
            continue
        wrong = difference or read_ours(stem, version)
        if wrong:
            bad += 1
            print(f"{name}: {wrong}")
    compared = len(chosen) - refused
    counts = f"{compared} programs compared, {bad} differ; {refused} more are not read as text"
    if older:
        counts += f"; {older} need a newer jaxlib to read what is written here"
    print(f"jaxlib {jaxlib.__version__}: {counts}")
    if compared < arguments.least:
        print(f"expected at least {arguments.least} programs")
    return 1 if bad or compared < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
