# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests stub_libraries.py on a plugin whose libraries are removed after it was linked.

python3 -m unittest device.pjrt.stub_libraries_test
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from device.pjrt.stub_libraries import c_compiler, linked_libraries, make_stubs, symbols

COMPILER = c_compiler() or ""
DRIVER = "int chip_open(void) { return 0; } int chip_table[4] = {1};"
MATHS = "int chip_gemm(void) { return 0; } int chip_unused(void) { return 0; }"
PLUGIN = """
int chip_open(void);
extern int chip_table[];
const char* chip_gemm(void);
double cos(double);
int opened(void) { return chip_open(); }
int first(void) { return chip_table[0]; }
const char* product(void) { return chip_gemm(); }
double cosine(double x) { return cos(x); }
"""


@unittest.skipUnless(COMPILER, "no C compiler is installed")
class StubLibrariesTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.stubs = self.folder / "stubs"
        driver = self.library("libchip_driver.so.3", DRIVER, "CHIP_3 { chip_open; chip_table; };")
        maths = self.library("libchip_maths.so.1", MATHS)
        self.plugin = self.library("plugin.so", PLUGIN, None, str(driver), str(maths), "-lm")
        driver.unlink()
        maths.unlink()

    def library(self, name: str, code: str, script: str | None = None, *linked: str) -> Path:
        source, out = self.folder / f"{name}.c", self.folder / name
        source.write_text(code)
        command = [COMPILER, "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{name}", "-o", str(out), str(source)]
        if script:
            (self.folder / "script").write_text(script)
            command.append(f"-Wl,--version-script={self.folder / 'script'}")
        subprocess.run([*command, *linked], check=True)
        return out

    def asked(self, code: str, *folders: Path) -> str:
        """What the plugin answers in a process that finds the stubs, and libraries in the folders."""
        program = f"import ctypes; plugin = ctypes.CDLL({str(self.plugin)!r}); {code}"
        command, environment = (
            [sys.executable, "-c", program],
            {"LD_LIBRARY_PATH": ":".join(map(str, [self.stubs, *folders]))},
        )
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_the_plugin_is_loaded_only_with_stubs(self) -> None:
        with self.assertRaisesRegex(OSError, "libchip_driver.so.3"):
            ctypes.CDLL(str(self.plugin))
        self.assertEqual(make_stubs(self.stubs, self.plugin), ["libchip_driver.so.3", "libchip_maths.so.1"])
        self.assertEqual(sorted(file.name for file in self.stubs.iterdir()), linked_libraries(self.plugin).absent)
        self.assertNotEqual(self.asked("print(plugin.opened())"), "0")

    def test_a_function_answers_with_a_text_that_names_the_library(self) -> None:
        make_stubs(self.stubs, self.plugin)
        told = self.asked("plugin.product.restype = ctypes.c_char_p; print(plugin.product().decode())")
        self.assertIn("is a stub: this machine has no such library", told)

    def test_data_is_zero(self) -> None:
        make_stubs(self.stubs, self.plugin)
        self.assertEqual(self.asked("print(plugin.first())"), "0")

    def test_symbols_have_the_versions_that_are_asked_for_and_others_are_left_out(self) -> None:
        make_stubs(self.stubs, self.plugin)
        made = [each for stub in self.stubs.iterdir() for each in symbols(stub) if each.is_defined]
        versions = {each.name: each.version for each in made}
        self.assertEqual((versions.get("chip_open"), versions.get("chip_table")), ("CHIP_3", "CHIP_3"))
        self.assertEqual(versions.get("chip_gemm"), "")
        self.assertNotIn("chip_unused", versions)

    def test_a_library_of_this_machine_is_used_itself(self) -> None:
        make_stubs(self.stubs, self.plugin)
        cosine = "plugin.cosine.restype = ctypes.c_double; print(plugin.cosine(ctypes.c_double(0)))"
        self.assertEqual(self.asked(cosine), "1.0")

    def test_a_library_beside_the_plugin_is_kept_and_gets_what_it_lacks(self) -> None:
        beside = self.folder / "beside"
        beside.mkdir()
        events = self.library("libchip_events.so.2", "int chip_wait(void) { return 0; }", "CHIP_2 { chip_wait; };")
        code = "int chip_wait(void); int waited(void) { return chip_wait() != 0; }"
        runtime = self.library("libchip_runtime.so.1", code, None, str(events)).rename(beside / "libchip_runtime.so.1")
        absent = self.library("libchip_first.so.1", "int chip_first(void) { return 0; }")
        code = "int waited(void); int chip_first(void); int answer(void) { return 40 + waited(); }"
        code += "int first(void) { return chip_first(); }"
        self.plugin = self.library("user.so", code, None, str(absent), str(runtime), f"-Wl,-rpath-link,{self.folder}")
        absent.unlink()
        events.unlink()
        self.assertEqual(make_stubs(self.stubs, self.plugin, beside), ["libchip_first.so.1", "libchip_events.so.2"])
        self.assertEqual(self.asked("print(plugin.answer())", beside), "41")

    def test_a_plugin_that_lacks_nothing_gets_no_stub(self) -> None:
        whole = self.library("whole.so", "int one(void) { return 1; }")
        self.assertEqual(make_stubs(self.stubs, whole), [])
        self.assertEqual(list(self.stubs.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
