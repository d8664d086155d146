# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests descriptor_stamp.py with a library of digits, and a program that accepts descriptors as the plugin does.

python3 -m unittest device.tenstorrent.descriptor_stamp_test
"""

from __future__ import annotations

import functools
import tempfile
import unittest
from pathlib import Path

from device.tenstorrent.descriptor_stamp import DESCRIPTORS, hash_of, is_accepted, write_stamped

RIGHT = "0c" * 16 + "9f" * 16
WRONG = "ab" * 32
DECIMAL = "0123456789" * 7
BOARDS = sorted(DESCRIPTORS.glob("*.ttsys"))

# Says what the plugin says, with the exit code of the Python that asked it.
PLUGIN = f"""#!/bin/sh
[ "$JAX_PLATFORMS" = tt ] && [ -n "$HOME" ] || exit 9
grep -q {RIGHT} "$TT_COMPILE_ONLY_SYSTEM_DESC" && exit 0
echo "INTERNAL: 'builtin.module' op system desc schema mismatch, please collect a system desc" >&2
exit 1
"""


class StampTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.out = self.folder / "out"

    def plugin(self, program: str = PLUGIN) -> functools.partial[bool]:
        file = self.folder / "plugin"
        file.write_text(program)
        file.chmod(0o755)
        return functools.partial(is_accepted, python=str(file))

    def library(self, *texts: str) -> Path:
        file = self.folder / "library.so"
        file.write_bytes(b"\x7fELF\0" + "\0".join(texts).encode() + b"\0")
        return file

    def test_the_hash_that_the_plugin_accepts_is_stamped_into_each_descriptor(self) -> None:
        write_stamped(self.out, self.library(DECIMAL, WRONG, RIGHT), BOARDS, self.plugin())
        self.assertEqual([file.name for file in sorted(self.out.iterdir())], [file.name for file in BOARDS])
        for file in BOARDS:
            given, stamped = file.read_bytes(), (self.out / file.name).read_bytes()
            self.assertEqual(stamped, given.replace(hash_of(given), RIGHT.encode()))

    def test_a_hash_without_a_gap_to_other_digits_is_found(self) -> None:
        for text in (RIGHT + DECIMAL, DECIMAL + RIGHT):
            write_stamped(self.out, self.library(text), BOARDS[:1], self.plugin())
            self.assertEqual(hash_of((self.out / BOARDS[0].name).read_bytes()), RIGHT.encode())

    def test_a_descriptor_that_fits_is_not_changed(self) -> None:
        fitting = self.folder / "board.ttsys"
        fitting.write_bytes(RIGHT.encode())
        write_stamped(self.out, self.library(WRONG), [fitting], self.plugin())
        self.assertEqual((self.out / "board.ttsys").read_bytes(), fitting.read_bytes())

    def test_a_plugin_that_accepts_no_hash_gets_no_descriptors(self) -> None:
        with self.assertRaisesRegex(ValueError, "library.so: the plugin accepts none of 2 hashes"):
            write_stamped(self.out, self.library(WRONG), BOARDS, self.plugin())
        self.assertFalse(self.out.exists())

    def test_a_plugin_that_fails_for_another_reason_has_not_refused_the_hash(self) -> None:
        broken = self.plugin("#!/bin/sh\necho ImportError: no libnuma.so.1 >&2\nexit 1\n")
        with self.assertRaisesRegex(RuntimeError, "board.ttsys: .*ImportError: no libnuma.so.1"):
            write_stamped(self.out, self.library(RIGHT), BOARDS, broken)

    def test_a_file_that_is_no_descriptor_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "is this a .ttsys file"):
            write_stamped(self.out, self.library(RIGHT), [self.library(RIGHT, WRONG)], self.plugin())


if __name__ == "__main__":
    unittest.main()
