# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes the descriptors of absent boards fit the installed Tenstorrent plugin.

python3 device/tenstorrent/descriptor_stamp.py OUT PLUGIN.so [DESCRIPTOR...]    # writes OUT/n150.ttsys and others

A descriptor has the hash of the schema that it was written with, and each build of the plugin refuses another hash than
its own. The plugin does not say its hash: it stands in the library among other digits. Therefore those that may be a
hash are tried: the right one is that with which the plugin compiles a program. Run by a Python that has the plugin.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

DESCRIPTORS = Path(__file__).resolve().parent / "descriptors"
DIGITS = re.compile(rb"[0-9a-f]{64,}")
REFUSAL = "system desc schema mismatch"
PROGRAM = "import jax; jax.jit(lambda x: x + 1).lower(jax.ShapeDtypeStruct((32, 32), 'float32')).compile()"


def hash_of(descriptor: bytes) -> bytes:
    found = DIGITS.findall(descriptor)
    if len(found) != 1 or len(found[0]) != 64:
        raise ValueError(f"one hash of 64 hexadecimal digits expected, found {len(found)}: is this a .ttsys file?")
    return found[0]


def candidates(library: bytes) -> list[bytes]:
    """What may be a hash of 64 digits. The text before or behind it may begin or end with such digits too."""
    ends = (end for run in DIGITS.findall(library) for end in (run[:64], run[-64:]))
    return [digits for digits in dict.fromkeys(ends) if not digits.isdigit()]


def is_accepted(descriptor: Path, python: str = sys.executable) -> bool:
    """Whether the plugin compiles a program for the descriptor. Raises RuntimeError if it fails for another reason."""
    with tempfile.TemporaryDirectory() as scratch:  # the plugin unpacks thousands of files there
        environment = {"HOME": scratch, **os.environ, "TMPDIR": scratch, "JAX_PLATFORMS": "tt"}
        environment["TT_COMPILE_ONLY_SYSTEM_DESC"] = str(descriptor)
        done = subprocess.run([python, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode != 0 and REFUSAL not in said:
        last = (said.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise RuntimeError(f"{descriptor.name}: the plugin does not compile for it, whatever its hash: {last}")
    return done.returncode == 0


def accepted_hash(descriptor: bytes, library: Path, accepts: Callable[[Path], bool]) -> bytes:
    """The hash with which the plugin accepts the descriptor: its own if possible, else one from the library."""
    own = hash_of(descriptor)
    tried = [own, *(digits for digits in candidates(library.read_bytes()) if digits != own)]
    with tempfile.TemporaryDirectory() as scratch:
        for digits in tried:
            file = Path(scratch, "board.ttsys")
            file.write_bytes(descriptor.replace(own, digits))
            if accepts(file):
                return digits
    raise ValueError(f"{library}: the plugin accepts none of {len(tried)} hashes, its own included if it has one")


def write_stamped(
    out: Path, library: Path, files: Iterable[Path], accepts: Callable[[Path], bool] = is_accepted
) -> None:
    """Writes the descriptors with the plugin's hash. All have one schema, so that the first of them is tried alone."""
    descriptors = {file.name: file.read_bytes() for file in files}
    digits = accepted_hash(next(iter(descriptors.values())), library, accepts)
    out.mkdir(parents=True, exist_ok=True)
    for name, descriptor in descriptors.items():
        (out / name).write_bytes(descriptor.replace(hash_of(descriptor), digits))


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print(__doc__.splitlines()[2], file=sys.stderr)
        return 2
    out, library, *files = map(Path, argv)
    try:
        write_stamped(out, library, files or sorted(DESCRIPTORS.glob("*.ttsys")))
    except (OSError, RuntimeError, ValueError) as why:
        print(f"descriptor_stamp.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
