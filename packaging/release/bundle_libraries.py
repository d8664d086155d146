# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Copies the shared libraries that programs need into a folder, for machines without them.

    python3 packaging/release/bundle_libraries.py --stub libz3.so.4 --out prefix/libexec/opbyop/lib build/bin/opbyop ...

The programs are given with the libraries of the project itself, which are installed beside them.

The C and C++ libraries are left out: every glibc system has its own, and a plugin that is loaded may need newer ones.
The functions of a library of --stub are never called by these programs. It is replaced by a library with the symbols
that the others are linked with, so that they load; it aborts with the symbol's name if one is called.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from device.pjrt.stub_libraries import needed, output, symbols, write_library

OF_THE_SYSTEM = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so(\.\d+)*$"
)  # fmt: skip


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--stub", action="append", default=[], metavar="SONAME")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    places: dict[str, Path] = {}
    for program in options.programs:
        places.update(loaded(program))
    names = closure(list(options.programs), places, set(options.stub))
    for name in sorted(names - set(options.stub)):
        shutil.copyfile(places[name].resolve(), options.out / name)
    for name in options.stub:
        users = [places[user] for user in names if user != name and name in needed(places[user])]
        make_stub(places[name], users, options.out / name, options.compiler)
    return 0


def loaded(program: Path) -> dict[str, Path]:
    """Every library that the program is started with, by its name. Exits if one is not found."""
    text = output("ldd", program)
    if "not found" in text:
        raise SystemExit(f"{program} cannot be started here:\n{text}")
    return {name: Path(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", text, re.M)}


def closure(programs: list[Path], places: dict[str, Path], stubs: set[str]) -> set[str]:
    """The libraries that programs and libraries need, without those that only a stub would need."""
    names: set[str] = set()
    own = {program.name for program in programs}  # libraries of the project, which lie beside the programs
    todo = list(programs)
    while todo:
        for name in needed(todo.pop()):
            if name in names or name in own or OF_THE_SYSTEM.fullmatch(name):
                continue
            names.add(name)
            if name not in stubs:
                todo.append(places[name])
    return names


def make_stub(library: Path, users: list[Path], out: Path, compiler: str) -> None:
    asked = {(symbol.name, symbol.version) for user in users for symbol in symbols(user) if not symbol.is_defined}
    exported = [symbol for symbol in symbols(library) if symbol.is_defined and (symbol.name, symbol.version) in asked]
    code = ["#include <stdio.h>", "#include <stdlib.h>"]
    for symbol in exported:
        words = f"{out.name}: {symbol.name} was called, of a library that this package leaves out"
        function = f'void {symbol.name}(void) {{ fputs("{words}\\n", stderr); abort(); }}'
        code.append(f"void* {symbol.name}[64];" if symbol.is_data else function)
    write_library(out, code, exported, compiler)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
