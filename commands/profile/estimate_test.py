# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop profile --estimate`: tables of a model from the compiler's estimates, with nothing executed.

python3 -m unittest commands.profile.estimate_test
"""

from __future__ import annotations

import csv
import itertools
import unittest
from pathlib import Path

from fixtures.programs import ROOT, UNEXPECTED, UNSUPPORTED, USAGE, ProgramTest, Record, records

# Two adds of one case, one of them in a function that is called twice, and a negate.
MODEL = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  %1 = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
LOOP = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %c = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %a : tensor<i32>
      stablehlo.return %n : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""
# A target without any device is enough.
TARGET = """schema: opbyop-target/1
name: estimator
worker: ["{bin}/mock_worker", "--target", "--cost=COSTS"]
device: {kind: none}
stages: [{name: parse}, {name: lower}]
"""
TPU = ROOT / ".venv-tpu/lib"


class EstimateTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out"

    def target(self, costs: str) -> Path:
        return self.write("estimator.yaml", TARGET.replace("COSTS", costs))

    def estimate(self, costs: str, *more: object, model: str = MODEL, code: int = 0) -> str:
        """Returns everything that is printed, including errors."""
        file = self.write("model.mlir", model)
        done = self.opbyop(
            "profile", file, "--target", self.target(costs), "--estimate", "-o", self.out, *more, code=code
        )
        return done.stdout + done.stderr

    def trace(self, kind: str) -> list[Record]:
        return [each for each in records(self.out / "optrace.ndjson") if each["record"] == kind]

    def table(self) -> dict[str, Record]:
        self.run_program("optrace", "export", self.out / "optrace.ndjson", "--to=csv", "-o", self.out)
        with (self.out / "operator-hlo.csv").open(newline="") as file:
            return {row["Op Name"]: row for row in csv.DictReader(file)}

    def test_every_call_site_has_the_estimate_of_its_case(self) -> None:
        self.estimate("add=2e-6,negate=5e-7,model=3e-6")
        spans = self.trace("span")
        self.assertEqual(
            [(span["name"].split(".")[0], span["dur_ps"]) for span in spans],
            [("add", 2_000_000), ("add", 2_000_000), ("negate", 500_000), ("add", 2_000_000), ("negate", 500_000)],
        )
        self.assertEqual(len({op["case"] for op in self.trace("op")}), 2)
        self.assertEqual(len(list((self.out / "cases").iterdir())), 3)  # and the model in one piece
        table = self.table()
        self.assertEqual(table["add"]["Occurrences"], "3")
        self.assertAlmostEqual(float(table["add"]["Time %"]), 600 / 7, places=1)

    def test_nothing_but_executions_is_on_the_timeline(self) -> None:
        self.estimate("add=2e-6,negate=5e-7")
        spans = self.trace("span")
        self.assertEqual({(span["section"], span["clock"]) for span in spans}, {("execution", "estimate")})
        for before, after in itertools.pairwise(spans):
            self.assertEqual(after["start_ps"], before["start_ps"] + before["dur_ps"])
        self.assertEqual(self.trace("output_compare"), [])
        self.assertEqual({run["n"] for run in self.trace("op_run")}, {0})
        self.assertIn("0 defects", self.run_program("optrace", "verify", self.out / "optrace.ndjson").stdout)

    def test_every_table_of_times_says_that_they_are_estimates(self) -> None:
        said = self.estimate("add=2e-6,negate=5e-7")
        self.assertIn("by device and core, estimated by the compiler", said)
        self.assertEqual(self.trace("header")[0]["mode"], "estimate")
        self.assertEqual(self.trace("header")[0]["devices"][0]["name"], "estimator, estimated by the compiler")
        self.assertIn("estimated by the compiler", self.trace("warning")[0]["text"])
        self.assertIn("times estimated by the compiler", (self.out / "profile.html").read_text())

    def test_the_model_in_one_piece_is_estimated_too(self) -> None:
        self.estimate("add=2e-6,negate=5e-7,model=3e-6")
        self.assertEqual(self.trace("footer")[0]["whole_model_ps"], 3_000_000)
        self.estimate("add=2e-6,negate=5e-7,model=3e-6", "--no-whole-model")
        self.assertEqual(self.trace("footer")[0]["whole_model_ps"], 0)

    def test_an_op_without_an_estimate_is_unknown_and_not_zero(self) -> None:
        # A compiler that does not know the speed of its device gives no estimate either.
        for costs in ("add=2e-6", "add=2e-6,negate=0", "add=2e-6,negate=-1"):
            with self.subTest(costs):
                said = self.estimate(costs)
                self.assertIn("ops: 3 pass, 2 unknown", said)
                self.assertIn("negate.2: unknown in lower: the compiler gave no estimate of its time", said)
                self.assertEqual([span["name"].split(".")[0] for span in self.trace("span")], ["add"] * 3)
                unknown = [run for run in self.trace("op_run") if run["status"] == ""]
                self.assertEqual([run["op"] for run in unknown], [2, 4])
                self.assertIn("negate.2, negate.4", " ".join(each["text"] for each in self.trace("warning")))
                self.assertNotIn("negate", self.table())

    def test_an_op_that_does_not_compile_is_red_and_has_no_time(self) -> None:
        said = self.estimate('add=2e-6", "--refuse=negate', code=UNEXPECTED)
        self.assertRegex(said, "negate.2: fail in lower: .*has no kernel")
        self.assertIn("ops: 2 fail, 3 pass", said)
        self.assertEqual([span["name"].split(".")[0] for span in self.trace("span")], ["add"] * 3)

    def test_ops_in_loops_count_once(self) -> None:
        said = self.estimate("add=2e-6,compare=1e-6", model=LOOP)
        self.assertIn("2 ops run in loops", said)
        self.assertEqual([span["dur_ps"] for span in self.trace("span")], [1_000_000, 2_000_000])

    def test_a_target_that_estimates_nothing_is_one_sentence(self) -> None:
        said = self.estimate("", code=UNSUPPORTED)
        self.assertIn("target estimator gives no estimate of an op's time", said)
        self.assertFalse((self.out / "optrace.ndjson").exists())

    def test_a_target_that_compiles_nothing_is_one_sentence_with_its_reason(self) -> None:
        model = MODEL.replace("stablehlo.add %a, %a", "stablehlo.negate %a")
        said = self.estimate('negate=2e-6", "--refuse=negate', model=model, code=UNSUPPORTED)
        self.assertIn("compiles none of 1 case, so there is nothing to estimate", said)
        self.assertIn("has no kernel", said)

    def test_options_of_runs_exclude_estimates(self) -> None:
        for flags in (["--iterations=2"], ["--repeat=2"], ["--seed=1"], ["--no-compare"]):
            with self.subTest(flags):
                self.assertIn(flags[0].split("=")[0], self.estimate("add=2e-6", *flags, code=USAGE))

    def test_another_model_of_the_same_name_has_its_own_estimate(self) -> None:
        self.estimate("add=2e-6,negate=5e-7")
        self.estimate("add=2e-6,compare=1e-6", model=LOOP)
        self.assertIn("stablehlo.while", (self.out / "cases/whole_model.mlir").read_text())


@unittest.skipUnless(list(TPU.glob("python3*/site-packages/libtpu/libtpu.so")), "libtpu is not in .venv-tpu")
class TpuTest(ProgramTest):
    def test_a_model_is_estimated_for_a_tpu_that_is_not_here(self) -> None:
        out = self.folder / "out"
        model = ROOT / "fixtures/models/ffnn.mlirbc"
        done = self.opbyop("profile", model, "--target", "tpu-v5e", "--estimate", "-o", out)
        self.assertIn("ops: 10 pass", done.stdout)
        trace = records(out / "optrace.ndjson")
        times = {each["op"]: each["dur_ps"] for each in trace if each["record"] == "span"}
        self.assertEqual(len(times), 10)
        # Each of these ops takes some cycles, and none of them a millisecond.
        self.assertTrue(all(100 < time < 10**9 for time in times.values()), times)
        (footer,) = [each for each in trace if each["record"] == "footer"]
        self.assertGreater(footer["whole_model_ps"], 0)
