# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the packages of out/packages/ on bare Debians: installation, a nightly of one model from any folder, removal.

PYTHONPATH=packaging python3 -m unittest release.bare_machine_test

Needs root and debootstrap, which creates the machine: a folder that is entered by chroot, with its own mounts. `./dev
external` makes the packages and runs this test.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

from release.bare_machine import BareMachine, this_codename

from fixtures.programs import ROOT, cases

PACKAGES = ROOT / "out/packages"
MODEL = ROOT / "fixtures/models/mnist_mlp.mlirbc"
LARGEST_WHEEL = 100_000_000


def package(pattern: str) -> Path | None:
    return next(iter(sorted(PACKAGES.glob(pattern))), None)


class OnDebian(unittest.TestCase):
    codename: str
    machine: BareMachine

    @classmethod
    def setUpClass(cls) -> None:
        if not package("*.whl") and not package("*.deb"):
            raise unittest.SkipTest("no packages; './dev package' makes them")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.machine = BareMachine(Path(scratch.name) / "machine", cls.codename)
        cls.machine.take(MODEL, *PACKAGES.iterdir())
        cls.machine.run("apt-get update -qq")

    def files(self) -> set[str]:
        """The installed files, without those that running systems and package managers keep."""
        said = self.machine.run("find /usr /opt /root -xdev \\( -path /root/.cache -prune -o -print \\)")
        return {line for line in said.splitlines() if "/__pycache__" not in line}

    def nightly(self, environment: str = "") -> None:
        """Runs it from a folder outside of the package; the package's folder is not written to."""
        self.machine.run(
            f"mkdir -p '/work/any where' && cd '/work/any where' && {environment} "
            "opbyop split ../mnist_mlp.mlirbc -o run && opbyop run run && opbyop doctor --target=host"
        )
        folder = self.machine.folder / "work/any where"
        self.assertEqual({case["status"] for case in cases(folder / "run")}, {"pass"})
        self.assertTrue((folder / "run/index.html").is_file())
        shutil.rmtree(folder)

    def test_the_debian_package(self) -> None:
        file = package("*.deb")
        if file is None:
            self.skipTest("no Debian package; './dev package deb' makes it")
        if this_codename() != self.codename:
            self.skipTest(f"the Debian package is of {this_codename()}, where it was built")
        self.assertRegex(self.machine.run(f"dpkg-deb -f /work/{file.name} Depends"), r"\blibmlir-22\b")
        before = self.files()
        install = "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
        self.machine.run(f"{install} /work/{file.name}")
        installed = self.files()
        self.assertRegex(self.machine.run("opbyop --version"), r"^opbyop \d")
        self.nightly()
        self.assertEqual(self.files(), installed)
        self.machine.run("apt-get remove -y -qq opbyop")
        self.assertEqual([path for path in self.files() - before if "opbyop" in path], [])

    def test_the_wheel(self) -> None:
        file = package("*.whl")
        if file is None:
            self.skipTest("no wheel; './dev package wheel' makes it")
        self.machine.run(
            "apt-get install -y -qq --no-install-recommends python3-venv >/dev/null && python3 -m venv /opt/venv"
        )
        before = self.files()
        # Without an index, because the wheel must contain all that it needs.
        self.machine.run(f"/opt/venv/bin/pip install --quiet --no-index /work/{file.name}")
        installed = self.files()
        path = "export PATH=/opt/venv/bin:$PATH;"
        self.assertRegex(
            self.machine.run(f"{path} opbyop --version && optrace --version"), r"opbyop \d[^\n]*\noptrace \d"
        )
        self.nightly(path)
        script = "import opbyop; r = opbyop.check('/work/mnist_mlp.mlirbc', policy='domain'); print(r.conforms, len(r))"
        self.assertRegex(self.machine.run(f'cd /; /opt/venv/bin/python -c "{script}"'), r"^True \d+")
        self.assertEqual(self.files(), installed)
        self.machine.run("/opt/venv/bin/pip uninstall --quiet --yes opbyop")
        self.assertEqual(self.files() - before, set())


class Debian12Test(OnDebian):
    codename = "bookworm"


class Debian13Test(OnDebian):
    codename = "trixie"


del OnDebian  # unittest must not run the base class


class WheelTest(unittest.TestCase):
    def setUp(self) -> None:
        file = package("*.whl")
        if file is None:
            self.skipTest("no wheel; './dev package wheel' makes it")
        self.file = file

    def test_it_is_not_large_and_has_no_tests(self) -> None:
        self.assertLessEqual(self.file.stat().st_size, LARGEST_WHEEL)
        names = zipfile.ZipFile(self.file).namelist()
        self.assertIn("opbyop/py.typed", names)
        self.assertIn("opbyop/_prefix/libexec/opbyop/lib/libMLIR.so.22.1", names)
        self.assertEqual([name for name in names if re.search(r"_test\.|__pycache__", name)], [])

    def test_its_tag_tells_the_c_library_that_it_needs(self) -> None:
        [major, minor] = map(int, re.findall(r"manylinux_(\d+)_(\d+)_", self.file.name)[0])
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(self.file).extractall(folder)
            found = [path for path in Path(folder).rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
            self.assertGreater(len(found), 15)
            command = ["readelf", "--version-info", "--wide", *map(str, found)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        needed = {(int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said)}
        self.assertLessEqual(max(needed), (major, minor))
