# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Executes a bundle of IREE with a Python that has the runtime but not the compiler.

.venv-iree/bin/python -m unittest device.iree.bundle_test
"""

from __future__ import annotations

import sys

from fixtures.programs import ProgramTest, cases, records

MODEL = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.tanh %0 : tensor<4x2xf32>
  %2 = stablehlo.custom_call @nobody(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
"""
# Makes an import fail as it does after `pip uninstall iree-base-compiler`.
WITHOUT_COMPILER = """import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "iree.compiler" or name.startswith("iree.compiler."):
            raise ModuleNotFoundError(f"No module named '{name}'")


sys.meta_path.insert(0, Absent())
"""


class BundleTest(ProgramTest):
    def test_the_runtime_alone_executes_what_was_compiled_elsewhere(self) -> None:
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", self.folder / "run")
        target = ("--target", "iree", "--", "--baseline=none")
        self.opbyop("run", self.folder / "run", *target)
        whole = {record["case"]: record for record in cases(self.folder / "run")}
        bundle = self.folder / "bundle"
        self.opbyop("run", self.folder / "run", "--until=compile", "-o", bundle, *target)

        (self.folder / "without").mkdir()
        (self.folder / "without/sitecustomize.py").write_text(WITHOUT_COMPILER)
        python = self.write(
            "python", f'#!/bin/sh\nPYTHONPATH="{self.folder}/without:$PYTHONPATH" exec {sys.executable} "$@"\n'
        )
        python.chmod(0o755)
        self.environment = {"OPBYOP_PYTHON": str(python)}
        self.opbyop("run", bundle, "--from=load")
        header = records(bundle / "results.jsonl")[0]
        self.assertIn("iree-base-compiler", header["compiled"]["toolchain"])
        self.assertNotIn("iree-base-compiler", header["host"]["runtime"])
        self.assertIn("iree-base-runtime", header["host"]["runtime"])
        executed = {record["case"]: record for record in cases(bundle)}
        self.assertEqual(sorted(executed), sorted(whole))
        for case, record in executed.items():
            for key in ("status", "stage", "diagnostic", "seed"):
                self.assertEqual(record.get(key), whole[case].get(key), (case, key))
            self.assertEqual(
                [each["name"] for each in record["stages"]], [each["name"] for each in whole[case]["stages"]]
            )
        self.assertEqual({record["status"] for record in executed.values()}, {"pass", "unsupported"})
