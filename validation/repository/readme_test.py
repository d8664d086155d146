# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs every command of README.md, in order.

    python3 validation/repository/readme_test.py SOURCE_DIR

`./dev test` is listed instead of run (the caller is part of it), and the placeholder model is a committed one. The
commands run in a folder of links to the checkout, so that their `out/` is not the user's.
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path()

# The replacement of a command here, and why it cannot be run as it is.
STAND_INS = {
    "./dev test": "./dev test -N",  # this test runs inside it
    "./dev nightly path/to/model.mlirbc": "./dev nightly fixtures/models/ffnn.mlirbc",  # a placeholder
    "ctest --test-dir build -L nightly": "ctest --test-dir build -L nightly -N",  # run by ctest itself
}


def commands():
    text = (SOURCE / "README.md").read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            command = re.sub(r"\s{2,}#.*", "", line).strip()
            if command:
                yield command


class ReadmeTest(unittest.TestCase):
    def test_every_command_works(self):
        with tempfile.TemporaryDirectory() as folder:
            for entry in SOURCE.iterdir():
                if entry.name != "out":
                    (pathlib.Path(folder) / entry.name).symlink_to(entry)
            for command in commands():
                with self.subTest(command):
                    argv = shlex.split(STAND_INS.get(command, command))
                    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
