# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks the extensions that the wheel's header does not describe: real plugins agree with our declarations.

python3 -m unittest device.pjrt.real_plugins_test
"""

from __future__ import annotations

import json
import unittest

from fixtures.programs import UNEXPECTED, ProgramTest, Record


class InterfaceTest(ProgramTest):
    def checks(self, target: str) -> dict[str, Record]:
        path = self.folder / "interface.json"
        file = f"manifests/targets/{target}.yaml"
        done = self.run_program("opbyop-pjrt-interface", f"--target={file}", f"--json={path}", code=None)
        self.assertIn(done.returncode, (0, UNEXPECTED), done.stderr)
        return {check["name"]: check for check in json.loads(path.read_text())["checks"]}


class XlaCpuTest(InterfaceTest):
    def test_it_has_no_profiler_and_no_usable_phases(self) -> None:
        checks = self.checks("xla-cpu-pjrt")
        self.assertEqual(checks["plugin.profiler"]["status"], "unsupported")
        self.assertIn("has no extension of a profiler", checks["plugin.profiler"]["reason"])
        self.assertEqual(checks["plugin.phase_compile"]["status"], "unsupported")
        self.assertIn("no function that returns its compiler", checks["plugin.phase_compile"]["reason"])


class LibtpuTest(InterfaceTest):
    def test_its_profiler_is_as_declared_and_can_be_called_without_a_device(self) -> None:
        check = self.checks("tpu-v5e")["plugin.profiler"]
        self.assertEqual(check["status"], "pass", check)
        self.assertIn("usable: version 1, a table of 80 bytes with all functions", check["reason"])

    def test_it_has_a_compiler_of_phases(self) -> None:
        check = self.checks("tpu-v5e")["plugin.phase_compile"]
        self.assertEqual(check["status"], "pass", check)


if __name__ == "__main__":
    unittest.main()
