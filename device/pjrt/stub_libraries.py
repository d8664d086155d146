# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes stubs of the shared libraries that a plugin needs and this machine lacks.

python3 device/pjrt/stub_libraries.py FOLDER PLUGIN.so                # writes FOLDER/libabsent.so.1 and others
python3 device/pjrt/stub_libraries.py FOLDER PLUGIN.so --beside LIBS  # LIBS has some of the libraries

A plugin of a vendor needs the libraries of its driver and runtime, also where it only compiles. With a stub in the
place of each it can be loaded. A function of a stub does nothing and returns an address in the stub, where the name of
the library stands: as a number it is an error code of no meaning, as a text it says who answered. A library that this
machine has gets no stub. Stubs are for machines without the device: a target names their folder under
`compile_only.environment`, which holds only there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

COMPILERS = ("cc", "clang", "clang-22", "gcc")  # each comes with readelf


class Symbol(NamedTuple):
    name: str
    version: str  # "" without one
    is_defined: bool
    is_data: bool


def c_compiler() -> str | None:
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(library: Path) -> list[str]:
    """The libraries that a library or program names, in its order."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", library))


def symbols(library: Path) -> list[Symbol]:
    """Global symbols, without the weak ones that nothing has to define."""
    found = []
    for line in output("readelf", "--dyn-syms", "--wide", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit():
            continue
        is_defined = fields[6] != "UND"
        if is_defined or fields[4] == "GLOBAL":
            name, _, version = fields[7].replace("@@", "@").partition("@")
            found.append(Symbol(name, version, is_defined, fields[3] == "OBJECT"))
    return found


def versions_of_libraries(plugin: Path) -> dict[str, list[str]]:
    """The versions of symbols that the plugin asks each of its libraries for."""
    found: dict[str, list[str]] = {}
    text = output("readelf", "--version-info", "--wide", plugin)
    for file, name in re.findall(r"File: (\S+)|Name: (\S+)", text.partition("Version needs section")[2]):
        if file:
            its_versions = found.setdefault(file, [])
        else:
            its_versions.append(name)
    return found


class Linked(NamedTuple):
    """What the dynamic linker finds for a plugin and for the libraries that it finds."""

    absent: list[str]
    found: list[Path]


def linked_libraries(plugin: Path, beside: Path | None = None) -> Linked:
    """The dynamic linker looks into the folder `beside` first."""
    environment = {**os.environ, **({"LD_LIBRARY_PATH": str(beside.absolute())} if beside else {})}
    told = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=False, env=environment).stdout
    found = re.findall(r"^\s*(\S+) => (not found|/.+) ?", told, re.M)
    absent = dict.fromkeys(name for name, where in found if where == "not found")
    return Linked(list(absent), [Path(where.partition(" (")[0]) for _, where in found if where != "not found"])


def write_library(out: Path, definitions: list[str], exported: Iterable[Symbol], compiler: str) -> None:
    """Compiles definitions in C to a library that exports the symbols with their versions."""
    versions: dict[str, list[str]] = {}
    for symbol in exported:
        versions.setdefault(symbol.version, []).append(symbol.name)
    script, source = out.with_name(out.name + ".map"), out.with_name(out.name + ".c")
    nodes = [f"{version} {{ {'; '.join(names)}; }};" for version, names in versions.items() if version]
    script.write_text("\n".join(nodes) or "{ global: *; };")
    source.write_text("\n".join(definitions) + "\n")
    # Names such as `free` must not be builtins here.
    output(
        compiler, "-shared", "-fPIC", "-O1", "-fno-builtin", "-w", f"-Wl,-soname,{out.name}",
        f"-Wl,--version-script={script}", "-o", out, source,
    )  # fmt: skip
    script.unlink()
    source.unlink()


def make_stub(out: Path, asked: list[Symbol], compiler: str) -> None:
    code = [f'static const char opbyop_stub[] = "{out.name} is a stub: this machine has no such library";']
    for symbol in asked:
        function = f"const void* {symbol.name}(void) {{ return opbyop_stub; }}"
        code.append(f"void* {symbol.name}[64];" if symbol.is_data else function)
    write_library(out, code, asked, compiler)


def asked_by(user: Path, absent: list[str], defined: set[str]) -> dict[str, set[Symbol]]:
    """What a plugin or library asks each of the absent libraries for. The libraries that there are define `defined`."""
    homes_of: dict[str, list[str]] = {}
    for library, versions in versions_of_libraries(user).items():
        for version in versions if library in absent else []:
            homes_of.setdefault(version, []).append(library)
    # A symbol without a version may be in any library: the first stub has it. Two libraries may use one version: each
    # of their stubs has its symbols then.
    homes_of[""] = [library for library in needed(user) if library in absent][:1]
    asked: dict[str, set[Symbol]] = {}
    for symbol in symbols(user):
        is_elsewhere = symbol.is_defined or (not symbol.version and symbol.name in defined)
        for home in [] if is_elsewhere else homes_of.get(symbol.version, []):
            asked.setdefault(home, set()).add(symbol)
    return asked


def make_stubs(folder: Path, plugin: Path, beside: Path | None = None) -> list[str]:
    """Returns the names of the libraries that were made, for the plugin and the libraries that stand in `beside`.

    Exits if there is no C compiler.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    compiler = c_compiler()
    if compiler is None:
        raise SystemExit(
            f"{plugin.name} may need libraries that this machine lacks, and stubs of them need a C compiler: "
            f"none of {', '.join(COMPILERS)} is installed"
        )
    linked = linked_libraries(plugin, beside)
    asked: dict[str, set[Symbol]] = {name: set() for name in linked.absent}
    users = [plugin, *linked.found] if linked.absent else []
    defined = {symbol.name for user in users for symbol in symbols(user) if symbol.is_defined}
    for user in users:
        for name, its_symbols in asked_by(user, linked.absent, defined).items():
            asked[name] |= its_symbols
    for name, its_symbols in asked.items():
        make_stub(folder / name, sorted(its_symbols), compiler)
    return linked.absent


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("plugin", type=Path)
    parser.add_argument("--beside", type=Path, help="a folder of libraries that the plugin finds at run time")
    options = parser.parse_args(argv)
    made = make_stubs(options.folder, options.plugin, options.beside)
    print(f"{options.plugin.name}: " + (f"stubs of {', '.join(made)}" if made else "no library is missing"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
