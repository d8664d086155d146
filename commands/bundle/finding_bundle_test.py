# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop bundle`: the content of the bundle, and that its reproduce.sh shows the finding in a shell without
anything else.

python3 -m unittest commands.bundle.finding_bundle_test.{Bundle,Iree,Xla}
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from commands.bundle import tensor_text
from fixtures.programs import BIN, ROOT, UNEXPECTED, USAGE, ProgramTest, faulty_target

sys.path.insert(0, str(ROOT / "commands/bundle"))  # as in the program
from finding_bundle import MOST_RUNS, NOTHING, Stop, reduce, require_own, run_again

SIGN = """
func.func @main(%a: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.sign %a : tensor<16xf32>
  return %0 : tensor<16xf32>
}
"""

ADD_I1 = """
func.func @main(%a: tensor<4x5xi1>, %b: tensor<4x5xi1>) -> tensor<4x5xi1> {
  %0 = stablehlo.add %a, %b : tensor<4x5xi1>
  return %0 : tensor<4x5xi1>
}
"""

REVERSE = """
func.func @main(%a: tensor<4x5xui16>) -> tensor<4x5xui16> {
  %0 = stablehlo.reverse %a, dims = [0, 1] : tensor<4x5xui16>
  return %0 : tensor<4x5xui16>
}
"""

UPDATE = """
func.func @main(%a: tensor<8xf32>, %u: tensor<3xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""

# A third of the elements are wrong by far, on any CPU.
DOT_F8 = """
func.func @main(%a: tensor<33x65xf8E5M2FNUZ>, %b: tensor<65x2xf8E5M2FNUZ>) -> tensor<33x2xf8E5M2FNUZ> {
  %0 = stablehlo.dot %a, %b : (tensor<33x65xf8E5M2FNUZ>, tensor<65x2xf8E5M2FNUZ>) -> tensor<33x2xf8E5M2FNUZ>
  return %0 : tensor<33x2xf8E5M2FNUZ>
}
"""

POWER = """
func.func @main(%a: tensor<4x4xi32>, %b: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %0 = stablehlo.power %a, %b : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
"""


CHIP = """schema: opbyop-target/1
name: chip
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: command, parallel: true}
stages:
  - {name: lower, command: [chip-compiler, "{input}", "{output}"], produces: case.chip}
  - {name: load}
  - {name: execute, command: [chip-run]}
"""


class FindingTest(ProgramTest):
    def bundle(self, program: str, target: str | Path, *more: object) -> tuple[Path, dict]:
        run = self.folder / "run"
        self.opbyop("split", "--quiet", self.write("m.mlir", program), "-o", run)
        [case] = (run / "cases").glob("*.mlir")
        out = self.folder / "finding"
        self.opbyop("bundle", case.stem, "--run", run, "--target", target, "-o", out, *more)
        return out, json.loads((out / "finding.json").read_text())

    def reproduce(self, bundle: Path, path: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs reproduce.sh from the zip alone, in another folder."""
        elsewhere = self.folder / "elsewhere"
        with zipfile.ZipFile(bundle.with_suffix(".zip")) as file:
            file.extractall(elsewhere)
        return subprocess.run(
            ["sh", f"{bundle.name}/reproduce.sh"],
            cwd=elsewhere,
            env={"PATH": path, "HOME": str(elsewhere), **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


class Bundle(FindingTest):
    def test_a_device_without_a_kit_is_shown_by_opbyop(self) -> None:
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        bundle, facts = self.bundle(SIGN, target, "--policy=edge")
        self.assertEqual((facts["status"], facts["stage"]), ("fail", "compare"))
        for name in ("program.mlir", "full.mlir", "input_0.npy", "expected_0.npy", "seen_0.npy", "versions.txt"):
            self.assertIn(name, facts["files"])
        self.assertIn("tensor<16xf32>", (bundle / "full.mlir").read_text())
        self.assertIn("tensor<1xf32>", (bundle / "program.mlir").read_text())
        report = (bundle / "report.md").read_text()
        self.assertIn("# stablehlo.sign gives 1, expected", report)
        self.assertIn("output 0 (1xf32) is: 1", report)
        self.assertNotIn(str(self.folder), report, "no path of this machine")
        done = self.reproduce(bundle, "/usr/bin:/bin", OPBYOP=str(BIN), OPBYOP_SOURCE_DIR=str(ROOT))
        self.assertEqual(done.returncode, UNEXPECTED, done.stdout + done.stderr)

    def command_target(self) -> Path:
        """A target with a compiler of text, and a device that returns its operand instead of negating it."""
        for name, script in (
            (
                "chip-compiler",
                '#!/bin/sh\ngrep -q stablehlo.reverse "$1" && echo "error: no kernel" >&2 && exit 1\ncp "$1" "$2"\n',
            ),
            ("chip-run", "#!/bin/sh\ncp input_0.npy output_0.npy\n"),
        ):
            self.write(name, script).chmod(0o755)
        self.environment = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        return self.write("chip.yaml", CHIP)

    def test_commands_of_stages_fail_in_another_folder_as_here(self) -> None:
        bundle, facts = self.bundle(REVERSE, self.command_target())
        self.assertEqual((facts["status"], facts["stage"]), ("fail", "lower"))
        done = self.reproduce(bundle, f"{self.folder}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("error: no kernel", done.stderr)

    def test_results_of_the_stages_commands_are_compared(self) -> None:
        bundle, facts = self.bundle(SIGN.replace("sign", "negate"), self.command_target())
        self.assertEqual((facts["status"], facts["stage"]), ("fail", "compare"))
        done = self.reproduce(bundle, f"{self.folder}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 wrong", done.stdout)

    def test_a_folder_with_other_files_is_left_alone(self) -> None:
        (self.folder / "finding").mkdir()
        (self.folder / "finding/thesis.txt").write_text("all of it")
        run = self.folder / "run"
        self.opbyop("split", "--quiet", self.write("m.mlir", SIGN), "-o", run)
        self.opbyop("bundle", "x", "--run", run, "-o", self.folder / "finding", code=USAGE)
        self.assertEqual((self.folder / "finding/thesis.txt").read_text(), "all of it")

    def test_an_error_of_reduce_is_that_of_bundle(self) -> None:
        run = self.folder / "run"
        self.opbyop("split", "--quiet", self.write("m.mlir", SIGN), "-o", run)
        done = self.opbyop("bundle", "nosuch", "--run", run, "-o", self.folder / "finding", code=7)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertFalse((self.folder / "finding").exists())


class Iree(FindingTest):
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"

    def test_a_wrong_sum_of_booleans(self) -> None:
        bundle, facts = self.bundle(ADD_I1, "iree")
        self.assertLessEqual(facts["to"]["elements"], 3)
        done = self.reproduce(bundle, self.path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("output 0[0]: got False, expected True", done.stdout)
        report = (bundle / "report.md").read_text()
        for heading in ("What happened?", "Steps to reproduce your issue", "Version information"):
            self.assertIn(heading, report)

    def test_a_wrong_element_of_a_type_that_numpy_lacks(self) -> None:
        bundle, facts = self.bundle(DOT_F8, "iree", "--time-limit=5")
        self.assertEqual(facts["stage"], "compare")
        done = self.reproduce(bundle, self.path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"output 0\[.*\]: got [-\d.]+, expected [-\d.]+\n")

    def test_a_diagnostic_of_the_compiler(self) -> None:
        bundle, facts = self.bundle(REVERSE, "iree")
        self.assertEqual(facts["stage"], "input")
        done = self.reproduce(bundle, self.path)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("failed to legalize operation", done.stderr)

    def test_an_argument_that_is_overwritten(self) -> None:
        bundle, facts = self.bundle(UPDATE, "iree")
        self.assertEqual(facts["stage"], "execute")
        done = self.reproduce(bundle, self.path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"argument 0: was \[.*\], is \[.*\]\n1 wrong")


class Xla(FindingTest):
    def test_a_wrong_power(self) -> None:
        bundle, facts = self.bundle(POWER, "xla", "--policy=sweep")
        self.assertLessEqual(facts["to"]["elements"], 3)
        done = self.reproduce(bundle, f"{Path(sys.executable).parent}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 wrong", done.stdout)
        self.assertIn("### System info", (bundle / "report.md").read_text())


class InterruptTest(unittest.TestCase):
    """Sends Ctrl-C, which reaches both processes in a terminal, while a fake `opbyop reduce` searches."""

    def reduce(self, script: str) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "opbyop"
        program.write_text(f'#!/bin/sh\nfor last; do :; done\n{script}\nkill -INT "$PPID"\nkill -INT $$\n')
        program.chmod(0o755)
        return reduce({"bin": folder.name}, Path(folder.name) / "work", "row")

    def test_the_best_so_far_is_bundled(self) -> None:
        reduced = self.reduce('mkdir -p "$last/reduced"; echo "{}" >"$last/reduced/reduction.json"')
        self.assertTrue((reduced / "reduction.json").exists())

    def test_an_interruption_without_a_result_is_reported(self) -> None:
        with self.assertRaisesRegex(Stop, "interrupted before") as stop:
            self.reduce("")
        self.assertEqual(stop.exception.code, 130)


class RunAgainTest(unittest.TestCase):
    """Uses a fake `opbyop repro` that passes a number of times, then fails."""

    def run_again(self, passes: int) -> dict:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "opbyop"
        records = [json.dumps({"record": "case", "status": status}) for status in ("pass", "fail")]
        program.write_text(
            f"""#!/bin/sh
for last; do :; done
mkdir -p "$last"
echo >>"{folder.name}/ran"
echo '{{"record": "header"}}' >"$last/results.jsonl"
if [ "$(wc -l <"{folder.name}/ran")" -le {passes} ]; then echo '{records[0]}'; else echo '{records[1]}'; fi \
  >>"$last/results.jsonl"
"""
        )
        program.chmod(0o755)
        return run_again({"bin": folder.name}, "row", [], Path(folder.name) / "run")[1]

    def test_a_case_that_fails_sometimes_is_bundled_as_it_failed(self) -> None:
        self.assertEqual(self.run_again(MOST_RUNS - 1)["status"], "fail")

    def test_a_case_that_always_passes_is_no_finding(self) -> None:
        with self.assertRaisesRegex(Stop, "row: what it was reduced to passed") as stop:
            self.run_again(MOST_RUNS)
        self.assertEqual(stop.exception.code, NOTHING)


class OwnFolderTest(unittest.TestCase):
    def test_the_file_of_a_plugin_target_may_be_replaced(self) -> None:
        facts = {"file": "somewhere/pjrt-plugin.yaml"}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "pjrt-plugin.yaml").write_text("schema: opbyop-target/1\n")
            require_own(folder, facts)
            (folder / "thesis.txt").write_text("all of it")
            with self.assertRaises(Stop):
                require_own(folder, facts)
            (folder / "finding.json").write_text("{}")
            require_own(folder, facts)


class TensorTextTest(unittest.TestCase):
    def test_numbers_are_as_short_as_they_can_be(self) -> None:
        for value in (0.1, 3.4028235e38, 1e-45):
            f32 = struct.unpack("<f", struct.pack("<f", value))[0]
            self.assertEqual(float(tensor_text.shortest(f32, "f32")), value)
        self.assertEqual(tensor_text.shortest(-math.inf, "f32"), "-inf")
        self.assertEqual(tensor_text.shortest(True, "i1"), "True")

    def test_elements_of_types_that_python_lacks(self) -> None:
        self.assertEqual(tensor_text.elements(struct.pack("<H", 0x3F80), "bf16"), [1.0])
        self.assertEqual(tensor_text.elements(struct.pack("<2f", 1, -2), "complex<f32>"), [1 - 2j])
        self.assertEqual(tensor_text.elements(b"\x07\x08", "f8E4M3FN"), [0.013671875, 0.015625])
        self.assertEqual(tensor_text.elements(b"\x07\x08", "of_tomorrow"), [b"\x07", b"\x08"])

    def test_an_output_of_another_size_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "signature.json").write_text('{"outputs": [{"dtype": "i8"}]}')
            expected = b"{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }\n"
            (folder / "expected_0.npy").write_bytes(
                b"\x93NUMPY\x01\x00" + struct.pack("<H", len(expected)) + expected + b"\x01\x02\x03"
            )
            self.assertEqual(tensor_text.compare(folder), 1, "none")
            (folder / "got_0.bin").write_bytes(b"\x01\x02")
            self.assertEqual(tensor_text.compare(folder), 1)
            (folder / "got_0.bin").write_bytes(b"\x01\x02\x03")
            self.assertEqual(tensor_text.compare(folder), 0)

    def test_a_difference_within_its_bound_is_none(self) -> None:
        self.assertFalse(tensor_text.differs(1.0, 1.5, 0.5))
        self.assertTrue(tensor_text.differs(1.0, 1.5, 0.4))
        self.assertTrue(tensor_text.differs(math.nan, 1.5, 10))
        self.assertFalse(tensor_text.differs(math.nan, math.nan, 0))
        self.assertTrue(tensor_text.differs(math.inf, 1.0, 3))

    def test_the_sign_of_zero_is_wrong_if_nothing_else_was(self) -> None:
        zeros, bounds = [0.0, 1.0], [0.0, 0.5]
        self.assertEqual(tensor_text.wrong_elements(zeros, [-0.0, 1.0], bounds, [0.0, 1.25]), [0])
        self.assertEqual(tensor_text.wrong_elements(zeros, [-0.0, 1.0], bounds, [0.0, 2.0]), [])
        self.assertEqual(tensor_text.wrong_elements(zeros, [-0.0, 3.0], bounds, []), [1])
        self.assertEqual(tensor_text.wrong_elements([complex(0, -0.0)], [0j], [0.0], [complex(0, -0.0)]), [0])
        self.assertEqual(tensor_text.wrong_elements([0], [0], [0.0], [0]), [])

    def test_indices_are_in_rows(self) -> None:
        self.assertEqual(tensor_text.index_of(7, (2, 5)), [1, 2])


class MinifloatTest(unittest.TestCase):
    """Needs a Python that has ml_dtypes."""

    def test_all_values_are_those_of_ml_dtypes(self) -> None:
        import ml_dtypes
        import numpy as np

        kinds = [kind for kind in dir(ml_dtypes) if re.fullmatch(r"float[468]_e\d+m\d+\w*", kind)]
        self.assertGreater(len(kinds), 10)
        for each in kinds:
            name, kind = "f" + each.removeprefix("float").replace("_", "").upper(), np.dtype(getattr(ml_dtypes, each))
            data = bytes(range({"f4": 16, "f6": 64}.get(name[:2], 256)))
            expected = np.frombuffer(data, kind).astype(np.float64)
            values = np.array(tensor_text.elements(data, name))
            np.testing.assert_array_equal(values, expected, name)
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(values)[numbers], np.signbit(expected)[numbers], name)
