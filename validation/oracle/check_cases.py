# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Feeds per-op files to jaxlib's StableHLO bindings: upstream's own parser.

    python -m validation.oracle.check_cases DIR

Parses and verifies each .mlir file below DIR. Prints one line per file that is
refused, then a summary. Exit code: 0 all accepted, 1 some refused, 2 no file.

The bindings lack some dialects of the conformance corpora (quant, check, interpreter). With --skip-unknown, files with
these are counted separately and not refused. With --skip-newer, so are files with ops and attributes of StableHLO that
are newer than the oldest bindings in use.
"""

import argparse
import pathlib
import re
import sys

from jaxlib.mlir import ir

from fixtures.bindings import make_context

NEWER = re.compile(r"chlo\.top_k\(.*is_stable|stablehlo\.collective_reduce|has_dynamic_root")
UNKNOWN_DIALECT = re.compile(r"unregistered dialect|Dialect `\w+' not found")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m validation.oracle.check_cases",
        description="Parses per-op files with jaxlib's StableHLO bindings.",
    )
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--skip-unknown", action="store_true")
    parser.add_argument("--skip-newer", action="store_true")
    options = parser.parse_args(argv)
    folder = options.folder
    files = sorted(folder.rglob("*.mlir"))
    if not files:
        print(f"check_cases: no .mlir file below {folder}", file=sys.stderr)
        return 2
    refused = unknown = newer = 0
    context = make_context()
    for path in files:
        reason = refusal(context, path)
        if reason is None:
            continue
        if options.skip_unknown and UNKNOWN_DIALECT.search(reason):
            unknown += 1
            continue
        if options.skip_newer and NEWER.search(path.read_text()):
            newer += 1
            continue
        refused += 1
        print(f"{path.relative_to(folder)}: {reason}")
    accepted = len(files) - refused - unknown - newer
    summary = f"{accepted} of {len(files)} files accepted, {refused} refused"
    if unknown:
        summary += f", {unknown} of dialects that the bindings lack"
    if newer:
        summary += f", {newer} newer than the bindings"
    print(summary)
    return 1 if refused else 0


def refusal(context: ir.Context, path: pathlib.Path) -> str | None:
    """The reason why upstream refuses the file; None if it accepts it."""
    try:
        with context:
            module = ir.Module.parse(path.read_text())
            module.operation.verify()
    except ir.MLIRError as error:
        diagnostics = [f"{_position(found.location)}{found.message}" for found in error.error_diagnostics]
        return "; ".join(diagnostics) or error.message
    except UnicodeDecodeError as error:
        return f"not UTF-8 text: {error}"
    names = [op.attributes["sym_name"].value for op in module.body.operations if op.operation.name == "func.func"]
    if "main" not in names:
        return "no func.func @main"
    return None


def _position(location: ir.Location) -> str:
    text = str(location).removeprefix("loc(").removesuffix(")")
    _, _, position = text.rpartition('"')
    return f"line {position.strip(':')}: " if position.strip(":") else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
