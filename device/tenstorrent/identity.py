# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints the tt-mlir and the card of a run as a JSON object: the `version` command of the Tenstorrent targets.

    python3 identity.py [--commit SHA] [--card NAME]
    {"toolchain": "LLVM version 22...", "commit": "19c86fca...", "card": "n150"}

`ttmlir-opt --version` names only LLVM. The tools write tt-mlir's commit into every flatbuffer, so a flatbuffer of an
addition is made. For a build that does not write it, the commit is that of the build's checkout. The card is tt-smi's
name of the board. Values that the target file states are taken unchanged, and unknown values are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

PATIENCE_S = 5  # time limit for each program

PROGRAM = """module {
  func.func @main(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
"""
# A compiler needs a board's description; the commit is the same for each board.
PIPELINES = (
    ("ttmlir-opt", "--stablehlo-to-ttir-pipeline", "ttir.mlir"),
    ("ttmlir-opt", "--ttir-to-ttnn-runtime-pipeline=mock-system-desc-arch=wormhole_b0", "ttnn.mlir"),
    ("ttmlir-translate", "--ttnn-to-flatbuffer", "case.ttnn"),
)

COMMIT = re.compile(rb"[0-9a-f]{40}")


def output_of(*command: str) -> str | None:
    """The output of a program; None if it does not exist, fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout


def commit_in(flatbuffer: bytes) -> str | None:
    """The one field of 40 hexadecimal digits in the root table, which follows the size prefix. None if not unique."""
    try:
        body = flatbuffer[4:]
        (table,) = struct.unpack_from("<I", body)
        vtable = table - struct.unpack_from("<i", body, table)[0]
        (size,) = struct.unpack_from("<H", body, vtable)
        found = set()
        for offset in struct.unpack_from(f"<{size // 2 - 2}H", body, vtable + 4):
            if offset == 0 or table + offset + 4 > len(body):
                continue
            field = table + offset
            at = field + struct.unpack_from("<I", body, field)[0]
            if at + 4 > len(body) or struct.unpack_from("<I", body, at)[0] != 40:
                continue
            if text := COMMIT.fullmatch(body[at + 4 : at + 44]):
                found.add(text[0].decode())
    except struct.error:
        return None
    return found.pop() if len(found) == 1 else None


def commit_of_flatbuffer() -> str | None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "program.mlir"
        source.write_text(PROGRAM)
        for tool, pipeline, produced in PIPELINES:
            if output_of(tool, pipeline, str(source), "-o", str(folder / produced)) is None:
                return None
            source = folder / produced
        return commit_in(source.read_bytes()) if source.is_file() else None


def commit_of_build() -> str | None:
    """The commit of the checkout that the tool's build folder was configured for."""
    tool = shutil.which("ttmlir-opt")
    if tool is None:
        return None
    for folder in Path(tool).resolve().parents:
        cache = folder / "CMakeCache.txt"
        if not cache.is_file():
            continue
        if home := re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.+)$", cache.read_text(errors="replace"), re.MULTILINE):
            text = output_of("git", "-C", home[1], "rev-parse", "HEAD")
            return text.strip() if text else None
    return None


def card_of_board() -> str | None:
    """The kind of the boards: "n150" for "n150 L"; several kinds are joined with "+"."""
    text = output_of("tt-smi", "-s") or ""
    try:
        devices = json.loads(text[text.index("{") :])["device_info"]
        names = {device["board_info"]["board_type"].split()[0] for device in devices}
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return "+".join(sorted(names)) or None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--commit", help="of tt-mlir, where the target file states it")
    parser.add_argument("--card", help="the card, where the target file states it")
    options = parser.parse_args()
    identity = {
        "toolchain": (output_of("ttmlir-opt", "--version") or "").strip(),
        "commit": options.commit or commit_of_flatbuffer() or commit_of_build(),
        "card": options.card or card_of_board(),
    }
    print(json.dumps({key: value for key, value in identity.items() if value}))


if __name__ == "__main__":
    main()
