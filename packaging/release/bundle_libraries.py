# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Copies the shared libraries that programs need into a folder, for machines without them.

    python3 packaging/release/bundle_libraries.py --stub libz3.so.4 --out prefix/libexec/opbyop/lib build/bin/opbyop ...

The C and C++ libraries are left out: every glibc system has its own, and a plugin that is loaded may need newer ones.
The functions of a library of --stub are never called by these programs. It is replaced by a library with the symbols
that the others are linked with, so that they load; it aborts with the symbol's name if one is called.

A library of --loaded is one that the programs look for while they run, and do without if they do not find it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

OF_THE_SYSTEM = re.compile(
    r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so(\.\d+)*$"
)  # fmt: skip


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--stub", action="append", default=[], metavar="SONAME")
    parser.add_argument("--loaded", action="append", default=[], metavar="SONAME")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    places: dict[str, Path] = {}
    for program in options.programs:
        places.update(loaded(program))
    for name in options.loaded:
        places[name] = installed(name)
        places.update(loaded(places[name]))
    names = closure([*options.programs, *(places[name] for name in options.loaded)], places, set(options.stub))
    names.update(options.loaded)
    for name in sorted(names - set(options.stub)):
        shutil.copyfile(places[name].resolve(), options.out / name)
    for name in options.stub:
        users = [places[user] for user in names if user != name and name in needed(places[user])]
        make_stub(places[name], users, options.out / name, options.compiler)
    return 0


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def loaded(program: Path) -> dict[str, Path]:
    """Every library that the program is started with, by its name. Exits if one is not found."""
    text = output("ldd", program)
    if "not found" in text:
        raise SystemExit(f"{program} cannot be started here:\n{text}")
    return {name: Path(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", text, re.M)}


def installed(name: str) -> Path:
    """Where the loader finds the library. Exits if it does not."""
    found = re.search(rf"^\s*{re.escape(name)} .* => (/\S+)", output("/sbin/ldconfig", "-p"), re.M)
    if not found:
        raise SystemExit(f"{name} is not installed here: ./dev setup")
    return Path(found[1])


def needed(library: Path) -> set[str]:
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library)))


def closure(programs: list[Path], places: dict[str, Path], stubs: set[str]) -> set[str]:
    """The libraries that programs and libraries need, without those that only a stub would need."""
    names: set[str] = set()
    todo = list(programs)
    while todo:
        for name in needed(todo.pop()):
            if name in names or OF_THE_SYSTEM.fullmatch(name):
                continue
            names.add(name)
            if name not in stubs:
                todo.append(places[name])
    return names


def symbols(library: Path) -> list[tuple[str, str, bool, bool]]:
    """Name, version or "", whether the symbol is defined here, and whether it is data."""
    found = []
    for line in output("readelf", "--dyn-syms", "--wide", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit():
            continue
        name, _, version = fields[7].replace("@@", "@").partition("@")
        found.append((name, version, fields[6] != "UND", fields[3] == "OBJECT"))
    return found


def make_stub(library: Path, users: list[Path], out: Path, compiler: str) -> None:
    asked = {(name, version) for user in users for name, version, defined, _ in symbols(user) if not defined}
    versions: dict[str, list[str]] = {}
    code = ["#include <stdio.h>", "#include <stdlib.h>"]
    for name, version, defined, is_data in symbols(library):
        if not defined or (name, version) not in asked:
            continue
        versions.setdefault(version, []).append(name)
        if is_data:
            code.append(f"void* {name}[64];")
        else:
            words = f"{out.name}: {name} was called, of a library that this package leaves out"
            code.append(f'void {name}(void) {{ fputs("{words}\\n", stderr); abort(); }}')
    script = out.with_name(out.name + ".map")
    source = out.with_name(out.name + ".c")
    nodes = [f"{version} {{ {'; '.join(names)}; }};" for version, names in versions.items() if version]
    script.write_text("\n".join(nodes) or "{ global: *; };")
    source.write_text("\n".join(code) + "\n")
    # Names such as `free` must not be builtins here.
    output(
        compiler, "-shared", "-fPIC", "-O1", "-fno-builtin", "-w", f"-Wl,-soname,{out.name}",
        f"-Wl,--version-script={script}", "-o", out, source,
    )  # fmt: skip
    script.unlink()
    source.unlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
