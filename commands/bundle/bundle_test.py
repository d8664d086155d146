# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests bundles on the command line: compiled on one machine, and executed on another that has only the device.

python3 -m unittest commands.bundle.bundle_test
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from fixtures.programs import BAD_INPUT, BIN, NO_INPUT, NOTHING_JUDGED, USAGE, ProgramTest, cases, records

# Identities, so that a device that copies its input is right.
MODEL = """func.func @main(%a: tensor<4xf32>, %b: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.reshape %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x3xf32>
}
"""
CHIP = """schema: opbyop-target/1
name: chip
worker: ["{bin}/opbyop-worker", "--target={file}"]
version: [chip-compiler, --version]
device: {kind: command}
stages:
  - {name: lower, command: [chip-compiler, "{input}", "{output}"], produces: case.chip}
  - {name: load}
  - {name: execute, command: [sh, "{target_dir}/device/run.sh", "{input}", "{dir}"]}
"""
COMPILER = """#!/bin/sh
[ "$1" = --version ] && echo chip-compiler 3 && exit
grep -q reshape "$1" && echo "error: no kernel for reshape" >&2 && exit 1
cp "$1" "$2"
"""
DEVICE = """case $1 in *.chip) ;; *) echo "error: $1 is no .chip" >&2; exit 1 ;; esac
grep -q module "$1" && cp "$2/input_0.npy" "$2/output_0.npy"
"""


class BundleTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.here = self.folder / "compile machine"
        (self.here / "targets/device").mkdir(parents=True)
        (self.here / "bin").mkdir()
        self.target = self.here / "targets/chip.yaml"
        self.target.write_text(CHIP)
        (self.target.parent / "device/run.sh").write_text(DEVICE)
        compiler = self.here / "bin/chip-compiler"
        compiler.write_text(COMPILER)
        compiler.chmod(0o755)
        self.environment = {"PATH": f"{self.here / 'bin'}:{os.environ['PATH']}"}
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", self.here / "run")

    def compile(self, *more: object, code: int = 1) -> Path:
        """Compiles on the machine with the compiler; afterwards the compiler is removed and the bundle is moved."""
        done = self.opbyop("run", self.here / "run", "--target", self.target, "--until=compile", *more, code=code)
        self.assertIn("bundle-chip --from load", done.stdout)
        there = self.folder / "bundle"
        shutil.move(self.here / "run/bundle-chip", there)
        shutil.rmtree(self.here)
        self.environment = None
        return there

    def test_a_command_target_needs_no_compiler_to_execute(self) -> None:
        bundle = self.compile()
        self.opbyop("run", bundle, "--from=load", code=1)
        ends = {record["case"].split("_")[0]: record for record in cases(bundle)}
        self.assertEqual(ends["transpose"]["status"], "pass", ends["transpose"])
        self.assertEqual(
            [stage["name"] for stage in ends["transpose"]["stages"]], ["lower", "load", "execute", "compare"]
        )
        self.assertEqual((ends["reshape"]["status"], ends["reshape"]["stage"]), ("fail", "lower"))
        self.assertEqual(ends["reshape"]["diagnostic"], "error: no kernel for reshape")
        header = records(bundle / "results.jsonl")[0]
        self.assertEqual(header["toolchain"], "chip-compiler 3")
        self.assertIn("cpu", header["compiled"])
        self.assertIn("| compiled | on ", (bundle / "summary.md").read_text())

    def test_the_commands_of_its_records_repeat_the_device_alone(self) -> None:
        bundle = self.compile()
        self.opbyop("run", bundle, "--from=load", code=1)
        [passed] = [record for record in cases(bundle) if record["status"] == "pass"]
        words = passed["repro"].replace("'", "").split()
        self.assertEqual(words[0], str(BIN / "opbyop"))
        words[words.index("-o") + 1] = str(self.folder / "repro")
        kept = [f"--keep={self.folder / 'repro'}" if word.startswith("--keep=") else word for word in words]
        self.opbyop(*kept[1:])
        self.assertEqual(len(cases(self.folder / "repro")), 1)
        self.assertTrue((self.folder / "repro" / passed["case"] / "artifact.chip").is_file())

    def test_results_go_elsewhere_if_the_bundle_is_read_only(self) -> None:
        bundle = self.compile()
        for path in (*bundle.rglob("*"), bundle):
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            self.opbyop("run", bundle, "--from=load", "-o", self.folder / "results", code=1)
        finally:
            for path in (bundle, *bundle.rglob("*")):
                path.chmod(0o755)
        self.assertEqual(len(cases(self.folder / "results")), 2)

    def test_a_single_row_is_compiled_and_executed(self) -> None:
        bundle = self.compile("--", "--gtest_filter=*transpose*", code=0)
        self.opbyop("run", bundle, "--from=load", "--min-pass=100%")
        self.assertEqual(len(cases(bundle)), 1)

    def test_what_is_no_bundle_says_how_to_make_one(self) -> None:
        done = self.opbyop("run", self.here / "run", "--from=load", code=NO_INPUT)
        self.assertIn("--until compile", done.stderr)
        bundle = self.compile()
        self.assertIn("is a bundle: --from load executes it", self.opbyop("run", bundle, code=USAGE).stderr)
        self.assertIn(
            "leave --target out", self.opbyop("run", bundle, "--from=load", "--target=host", code=USAGE).stderr
        )

    def test_stages_that_cannot_end_a_bundle_are_refused(self) -> None:
        for arguments in (
            ("--until=execute",),
            ("--until=load",),
            ("--until=nosuch",),
            ("--mode=chained", "--until=lower"),
        ):
            self.opbyop("run", self.here / "run", "--target", self.target, *arguments, code=USAGE)
        self.assertFalse((self.here / "run/bundle-chip").exists())

    def test_artifacts_that_are_exchanged_are_refused(self) -> None:
        bundle = self.compile()
        [artifact] = (bundle / "artifacts").iterdir()
        artifact.write_text("module {}")
        done = self.opbyop("run", bundle, "--from=load", code=BAD_INPUT)
        self.assertIn("is not what was compiled", done.stderr)
        self.assertFalse((bundle / "results.jsonl").exists())


class HostBundleTest(ProgramTest):
    def test_object_code_for_another_processor_is_unsupported_with_that_reason(self) -> None:
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", self.folder / "run")
        bundle = self.folder / "bundle"
        self.opbyop("run", self.folder / "run", "--until=compile", "-o", bundle)
        # The record of a CPU with another name.
        results = bundle / "compile/results.jsonl"
        text = results.read_text()
        cpu = records(results)[0]["toolchain"].rsplit(", ", 1)[1]
        for record in records(results):
            if record["record"] != "case":
                continue
            artifact = bundle / "artifacts" / record["case"]
            code = artifact.read_bytes()
            self.assertIn(cpu.encode(), code)
            artifact.write_bytes(code.replace(cpu.encode() + b"\0", b"x" * len(cpu) + b"\0"))
            text = text.replace(record["artifact_sha256"], sha256(artifact))
        results.write_text(text)
        self.opbyop("run", bundle, "--from=load", code=NOTHING_JUDGED)
        for record in cases(bundle):
            self.assertEqual((record["status"], record["stage"]), ("unsupported", "load"))
            self.assertIn("this machine is", record["diagnostic"])
            self.assertIn("compile it here", record["diagnostic"])


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
