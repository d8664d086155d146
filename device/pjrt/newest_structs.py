#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a header with what PJRT's C interface has in a newer version than pjrt_c_api.h: the sizes of grown structs,
and whole structs that the older header lacks.

    newest_structs.py --table pypjrt/_abi/pjrt_0_114.py --header pjrt_c_api.h --output pjrt_newest.h [STRUCT...]

The table is the one of the package pypjrt: ctypes structs made from the interface's own headers. The generated header
asserts that each struct of the older header is a beginning of the newer one, and that the compiler lays out the whole
structs as the table does.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

TYPES = {
    ctypes.c_void_p: "void*",
    ctypes.c_bool: "bool",
    ctypes.c_int: "int",
    ctypes.c_uint: "unsigned int",
    ctypes.c_long: "int64_t",
    ctypes.c_ulong: "size_t",
}

HEAD = """// Written by device/pjrt/newest_structs.py from {table}; not to be edited.
#ifndef PJRT_NEWEST_H_
#define PJRT_NEWEST_H_

#include <assert.h>
#include <pjrt_c_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {{ PJRT_NEWEST_MAJOR = {major}, PJRT_NEWEST_MINOR = {minor} }};

static_assert(PJRT_API_MAJOR == PJRT_NEWEST_MAJOR && PJRT_API_MINOR <= PJRT_NEWEST_MINOR, "another interface");
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("pjrt_table", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: no Python module; expected the table of structs of the package pypjrt")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of_type(field: type) -> str:
    return TYPES.get(field) or field.__name__


def whole_struct(table: ModuleType, name: str) -> list[str]:
    struct = getattr(table, name, None)
    if struct is None:
        sys.exit(f"{table.__file__}: has no struct {name}, which this program needs; install a newer pypjrt")
    fields = [(field[0], field[1]) for field in struct._fields_]
    lines = [
        f"typedef struct {name} {{",
        *(f"  {name_of_type(kind)} {field};" for field, kind in fields),
        f"}} {name};",
    ]
    lines += [
        f'static_assert(offsetof({name}, {field}) == {getattr(struct, field).offset}, "{name}.{field}");'
        for field, _ in fields
    ]
    lines.append(f'static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");')
    lines.append(f"enum {{ {name}_STRUCT_SIZE = {getattr(table, f'{name}_STRUCT_SIZE')} }};")
    return [*lines, ""]


def sizes(table: ModuleType, name: str, last: str) -> list[str]:
    """The sizes of a struct of the header, whose last field there is `last`."""
    struct = getattr(table, name, None)
    newest = f"{name}_STRUCT_SIZE" if struct is None else getattr(table, f"{name}_STRUCT_SIZE")
    lines = [
        f"template <> struct PjrtStructBytes<{name}> "
        f"{{ static constexpr size_t kHeader = {name}_STRUCT_SIZE, kNewest = {newest}; }};",
        f'static_assert({name}_STRUCT_SIZE <= PjrtStructBytes<{name}>::kNewest, "{name}");',
    ]
    if struct is not None:
        lines.append(f'static_assert(offsetof({name}, {last}) == {getattr(struct, last).offset}, "{name}.{last}");')
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("structs", nargs="*", help="structs that the header lacks and that are to be written whole")
    options = parser.parse_args()
    table = load(options.table)
    header = options.header.read_text(encoding="utf-8")
    lines = [HEAD.format(table=options.table.name, major=table.PJRT_API_MAJOR, minor=table.PJRT_API_MINOR)]
    for name in options.structs:
        lines += whole_struct(table, name)
    lines += ["#ifdef __cplusplus", "template <typename Struct> struct PjrtStructBytes;"]
    for name in options.structs:
        lines += sizes(table, name, getattr(table, name)._fields_[-1][0])
    for name, last in re.findall(r"^PJRT_DEFINE_STRUCT_TRAITS\((\w+),\s*(\w+)\)", header, re.MULTILINE):
        lines += sizes(table, name, last)
    lines += ["#endif  // __cplusplus", "", "#endif  // PJRT_NEWEST_H_"]
    text = "\n".join(lines) + "\n"
    # A file that is written again is compiled again.
    if not options.output.is_file() or options.output.read_text(encoding="utf-8") != text:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
