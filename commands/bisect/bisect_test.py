# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop bisect` with a package index of a few wheels that the test makes.

python3 -m unittest commands.bisect.bisect_test
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from commands.bisect.bisect_versions import Search, Stop, Tested, between, line_of, pins_of
from fixtures.programs import NO_INPUT, NOTHING, USAGE, ProgramTest

TANH = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

# A compiler that cannot compile tanh from version 1.2 on.
COMPILER = """
import sys
text = open(sys.argv[1]).read()
if {version} >= 12 and "tanh" in text:
    sys.exit("fakecc: no pattern for tanh")
open(sys.argv[2], "w").write(text)
"""

TARGET = """
schema: opbyop-target/1
name: fakecc
description: a compiler from a package
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: none}
stages:
  - name: lower
    command: ["sh", "-c", '"$OPBYOP_PYTHON" -m fakecc "$0" "$1"', "{input}", "{output}"]
"""


def write_wheel(folder: Path, version: str) -> None:
    info = f"fakecc-{version}.dist-info"
    files = {
        "fakecc.py": COMPILER.format(version=version.replace(".", "")),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: fakecc\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"fakecc-{version}-py3-none-any.whl", "w") as wheel:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(name, text)


def has_pip() -> bool:
    return subprocess.run(["python3", "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


@unittest.skipUnless(has_pip(), "python3 has no pip: apt-get install python3-pip")
class BisectTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        index = self.folder / "index"
        index.mkdir()
        for version in ("1.0", "1.1", "1.2", "1.3"):
            write_wheel(index, version)
        (index / "fakecc-1.1-py3-none-any.whl").write_bytes(b"no wheel")
        self.environment = {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(index),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
        self.opbyop("split", "--quiet", self.write("m.mlir", TANH), "-o", self.folder / "run")
        [case] = (self.folder / "run/cases").glob("*.mlir")
        self.row = case.stem
        self.target = self.write("fakecc.yaml", TARGET)

    def bisect(self, good: str, bad: str, *more: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.opbyop(
            "bisect", self.row, "--good", good, "--bad", bad, "--package=fakecc", "--run", self.folder / "run",
            "--target", self.target, "-o", self.folder / "out", *more, code=code,
        )  # fmt: skip

    # One test for all, because environments are expensive.
    def test_the_first_bad_version_is_found_next_to_one_that_does_not_install(self) -> None:
        done = self.bisect("1.0", "1.3")
        said = "first bad version: 1.2, last good version: 1.0; between them 1.1 could not be tested"
        self.assertIn(said, done.stdout)
        facts = json.loads((self.folder / "out/bisection.json").read_text())
        self.assertEqual((facts["good"], facts["bad"], facts["untested"]), ("1.0", "1.2", ["1.1"]))
        self.assertEqual([each["version"] for each in facts["tested"]], ["1.0", "1.1", "1.2", "1.3"])
        table = (self.folder / "out/bisection.md").read_text()
        self.assertIn("no pattern for tanh", table)
        self.assertIn("| 1.1 | not tested | not installed: ", table)

        for wheel in (self.folder / "index").iterdir():
            wheel.write_bytes(b"no wheel")
        self.assertIn("1.2 fails too", self.bisect("1.2", "1.3", code=NOTHING).stderr, "environments are kept")
        self.assertIn("no version 9.9", self.bisect("1.0", "9.9", code=NO_INPUT).stderr)
        self.assertIn("not older", self.bisect("1.3", "1.0", code=USAGE).stderr)


class PinsTest(unittest.TestCase):
    def test_a_package_has_the_version_of_its_python(self) -> None:
        text = """# jax==0.1
jax==0.12.0.1 ; python_version >= "3.12"
numpy==2.4.6
jax==0.10.2; python_version < '3.12'
"""
        self.assertEqual(pins_of(text, 11), {"numpy": "2.4.6", "jax": "0.10.2"})
        self.assertEqual(pins_of(text, 13), {"jax": "0.12.0.1", "numpy": "2.4.6"})

    def test_the_first_package_is_the_first_one_in_the_file_for_every_python(self) -> None:
        text = """jaxlib==0.12 ; python_version >= "3.12"
numpy==2.4.6
jaxlib==0.10 ; python_version < "3.12"
"""
        for minor in (11, 13):
            self.assertEqual(next(iter(pins_of(text, minor))), "jaxlib")


class LineTest(unittest.TestCase):
    def test_the_reason_why_a_worker_does_not_start_is_shown_without_the_command(self) -> None:
        words = f"the target worker `start.sh {'--option ' * 40}` is not usable: no module fakecc"
        self.assertEqual(line_of(words), "the target worker is not usable: no module fakecc")


class SearchTest(unittest.TestCase):
    def setUp(self) -> None:
        quiet = mock.patch("sys.stdout", io.StringIO())
        quiet.start()
        self.addCleanup(quiet.stop)

    def search(self, endings: list[str]) -> tuple[list[str], str, str]:
        versions = [str(i) for i in range(len(endings))]
        search = Search(versions, lambda v: Tested(v, endings[int(v)], "", 0))
        search.run()
        return [one.version for one in search.tested], search.good, search.bad

    def test_the_first_bad_version_is_found_at_every_position(self) -> None:
        for first in range(1, 9):
            endings = ["pass"] * first + ["fail in compare"] * (9 - first)
            tested, good, bad = self.search(endings)
            self.assertEqual((good, bad), (str(first - 1), str(first)))
            self.assertLessEqual(len(tested), 6)

    def test_another_failure_is_not_this_one(self) -> None:
        self.assertEqual(self.search(["pass", "crash in parse", "fail in compare", "fail in compare"])[1:], ("1", "2"))

    def test_untestable_versions_are_named_by_the_gap(self) -> None:
        self.assertEqual(self.search(["pass", "not tested", "not tested", "fail"])[1:], ("0", "3"))

    def test_a_given_version_that_cannot_be_tested_is_an_error(self) -> None:
        with self.assertRaises(Stop) as stop:
            self.search(["pass", "not tested"])
        self.assertEqual(stop.exception.code, NO_INPUT)

    def test_given_versions_that_do_not_differ_are_an_error(self) -> None:
        for endings, words in (
            (["fail", "fail", "fail"], "--good 0 fails too"),
            (["pass", "fail", "pass"], "--bad 2 passes"),
        ):
            with self.assertRaisesRegex(Stop, words) as stop:
                self.search(endings)
            self.assertEqual(stop.exception.code, NOTHING)

    def test_results_before_an_interruption_are_kept(self) -> None:
        def test(version: str) -> Tested:
            if version == "3":
                raise KeyboardInterrupt
            return Tested(version, "pass" if int(version) < 4 else "fail", "", 0)

        search = Search([str(i) for i in range(9)], test)
        with self.assertRaises(KeyboardInterrupt):
            search.run()
        self.assertEqual((search.good, search.bad), ("2", "4"))
        self.assertEqual([one.version for one in search.tested], ["0", "2", "4", "8"])

    def test_versions_are_those_between(self) -> None:
        self.assertEqual(between(["1", "2", "3", "4"], "2", "4", "p"), ["2", "3", "4"])


if __name__ == "__main__":
    sys.exit(unittest.main())
