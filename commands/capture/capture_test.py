# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop capture`, which stores a model's own intermediates as the inputs of its cases.

python3 -m unittest commands.capture.capture_test
"""

from __future__ import annotations

import json
import shutil

from fixtures.programs import PARTIAL, UNEXPECTED, ProgramTest, cases, faulty_target

MODEL = """
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8xf32>
  %1 = stablehlo.multiply %0, %a : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
"""


# In the model, the operand of `negate` has infinities of both signs and a NaN among numbers.
SPECIAL_MODEL = """
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<[1.0, 0x7F800000, 1.0, 0xFF800000, 1.0, 0x7FC00000, 1.0, 1.0]> : tensor<8xf32>
  %1 = stablehlo.exponential %a : tensor<8xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8xf32>
  %3 = stablehlo.negate %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
"""


# Without the flags of the split, the program has none of its cases: the shapes are dynamic, both constants are folded,
# and the composite is one op.
SPLIT_MODEL = """
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.composite "my.twice" %a {decomposition = @twice} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  %1 = stablehlo.tanh %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""
SPLIT_FLAGS = ["--entry=f", "--shape=0=8", "--composites=inline", "--fold-limit=0", "--keep-constants"]


class CaptureTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.split = self.folder / "run"
        self.split_model(MODEL)

    def split_model(self, text, *flags):
        self.model = self.write("m.mlir", text)
        shutil.rmtree(self.split, ignore_errors=True)
        self.opbyop("split", self.model, "-o", self.split, *flags)

    def capture(self, *arguments):
        return self.opbyop("capture", self.model, "-o", self.split, *arguments)

    def operands(self):
        """The files of the operands by op name."""
        index = json.loads((self.split / "captured/index.json").read_text())["cases"]
        return {case.split("_")[0]: names for case, names in index.items()}

    def conformance(self, *arguments, policy="captured", code=0):
        return self.run_program(
            "conformance",
            f"--manifest={self.split / 'manifest.yaml'}",
            f"--policy={policy}",
            f"--out={self.folder / 'results'}",
            *arguments,
            code=code,
        )

    def records(self):
        return cases(self.folder / "results")

    def test_an_operand_is_the_result_of_the_op_before_it(self):
        self.capture()
        operands = self.operands()
        argument = operands["add"][0]
        self.assertEqual(operands["add"], [argument])
        self.assertEqual(operands["multiply"][1], argument)
        self.assertEqual(len({argument, operands["multiply"][0], operands["negate"][0]}), 3)

    def test_the_program_is_that_of_the_split(self):
        self.split_model(SPLIT_MODEL, *SPLIT_FLAGS)
        self.capture()
        self.assertEqual(set(self.operands()), {"add", "tanh"})

    def test_all_models_of_the_split_are_captured_if_none_is_named(self):
        self.opbyop("capture", "-o", self.split)
        self.assertEqual(len(self.operands()), 3)

    def test_a_model_that_changed_or_is_not_of_the_split_is_named(self):
        done = self.opbyop("capture", self.write("other.mlir", MODEL), "-o", self.split, code=PARTIAL)
        self.assertIn("`other` is no model of", done.stderr)
        self.write("m.mlir", MODEL + "// later\n")
        done = self.opbyop("capture", self.model, "-o", self.split, code=PARTIAL)
        self.assertIn("has changed since it was split", done.stderr)

    def test_flags_of_the_split_are_for_manifests_without_them(self):
        self.assertIn("ignored", self.capture("--fold-limit=0").stderr)
        manifest = self.split / "manifest.yaml"
        lines = manifest.read_text().splitlines(keepends=True)
        manifest.write_text("".join(line for line in lines if not line.startswith("  split:")))
        self.assertEqual(self.capture("--fold-limit=65536").stderr, "")

    def test_equal_tensors_are_one_file(self):
        self.capture()
        self.assertEqual(len(list((self.split / "captured").glob("*.zst"))), 3)

    def test_the_same_seed_captures_the_same_and_another_does_not(self):
        self.capture()
        first = self.operands()
        shutil.rmtree(self.split / "captured")
        self.capture()
        self.assertEqual(self.operands(), first)
        shutil.rmtree(self.split / "captured")
        self.capture("--seed=7")
        self.assertNotEqual(self.operands(), first)

    def test_cases_above_the_limit_are_left_out_and_counted(self):
        done = self.capture("--tensor-limit=0.00001")
        self.assertIn("operands of 0 cases captured, 3 above the limits", done.stdout)
        self.assertEqual(self.operands(), {})

    def test_cases_run_on_the_captured_operands(self):
        self.capture()
        self.conformance()
        self.assertEqual([record["status"] for record in self.records()], ["pass"] * 3)

    def test_a_changed_capture_is_refused_by_its_checksum(self):
        self.capture()
        files = self.operands()["multiply"]
        store = self.split / "captured"
        shutil.copyfile(store / f"{files[1]}.zst", store / f"{files[0]}.zst")
        self.conformance()
        others = {record["case"].split("_")[0]: record for record in self.records() if record["status"] != "pass"}
        self.assertEqual(list(others), ["multiply"])
        self.assertEqual(others["multiply"]["status"], "skipped")
        self.assertIn("checksum", others["multiply"]["diagnostic"])

    def test_nan_and_infinities_of_the_model_are_captured_and_judged(self):
        self.split_model(SPECIAL_MODEL)
        self.capture()
        self.conformance()
        self.assertEqual({record["status"] for record in self.records()}, {"pass"})
        negate = ("--gtest_filter=*negate*", "--fresh")
        for fault in ("nan_becomes_zero", "infinity_becomes_max_finite", "sign_of_infinity_lost"):
            with self.subTest(fault):
                target = faulty_target(self.folder / "faulty.yaml", fault)
                self.conformance(f"--target={target}", *negate, policy="domain")
                self.conformance(f"--target={target}", *negate, code=UNEXPECTED)
                self.assertIn("beyond their bound", self.records()[-1]["diagnostic"])
