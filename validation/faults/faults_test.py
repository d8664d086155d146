# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `faults` on a small model: wrong products are red, right ones are not, and a second call has nothing left to
do.

python3 -m unittest validation.faults.faults_test
"""

import json

from fixtures.programs import ProgramTest

MODEL = """
func.func @main(%a: tensor<8x2048xf32>, %b: tensor<2048x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x2048xf32>, tensor<2048x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.maximum %0, %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
"""


class FaultsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        self.opbyop("split", "--quiet", self.write("m.mlir", MODEL), "-o", self.run_folder)

    def faults(self, *arguments, code):
        done = self.run_program("faults", self.run_folder, *arguments, code=code)
        lines = (self.run_folder / "faults.jsonl").read_text().splitlines()
        return done.stdout, [json.loads(line) for line in lines]

    def test_narrow_factors_of_a_long_product_are_red(self):
        text, lines = self.faults("--fault=dot_tf32", "--case=dot*", code=0)
        [line] = lines
        self.assertIn(line["faults"]["dot_tf32"][1], ("fail", "imprecise"))
        self.assertIn("1 faults on 1 cases", text)

    def test_another_order_of_the_sum_is_not(self):
        text, [line] = self.faults("--fault=sum_reversed", "--case=dot*", code=0)
        self.assertEqual(line["faults"]["sum_reversed"][1], "pass")
        self.assertIn("| sum_reversed |", text)

    def test_faults_with_findings_are_not_run_again(self):
        self.faults("--fault=dot_tf32", code=0)
        _, lines = self.faults("--fault=dot_tf32", code=0)
        self.assertEqual(len(lines), 2)

    def test_only_a_fault_that_was_not_run_is_run(self):
        self.faults("--fault=dot_tf32", "--case=dot*", code=0)
        text, lines = self.faults("--fault=dot_tf32*", "--case=dot*", code=0)
        self.assertEqual([line["tried"] for line in lines], [["dot_tf32"], ["dot_tf32_truncated"]])
        self.assertIn("2 faults on 1 cases", text)

    def test_a_fault_in_one_op_of_a_pair_is_red(self):
        model = self.write("m.mlir", MODEL)
        self.opbyop("split", "--quiet", "--granularity", "window:2", model, "-o", self.run_folder)
        text, [line] = self.faults("--pairs", "--fault=zero_result@*", code=0)
        self.assertIn("2 faults on 1 cases", text)
        self.assertEqual(
            {fault: found[1] for fault, found in line["faults"].items()},
            {"zero_result@0": "fail", "zero_result@1": "fail"},
        )

    def test_a_fault_of_several_devices_is_red_where_it_changes_the_result(self):
        self.opbyop("suite", "stablehlo", "--mesh", "2x4", "--op", "*all_reduce", "-o", self.run_folder)
        # An exchange of two members changes nothing where all are in one group and the sum is exact.
        _, lines = self.faults("--mesh", "--fault=mesh_permuted_groups", "--case=all_reduce_3x5_f*", code=0)
        found = [line["faults"] for line in lines if "faults" in line]
        self.assertTrue(found)
        self.assertEqual({fault["mesh_permuted_groups"][1] for fault in found}, {"fail"})

    def test_a_race_is_tried_where_it_would_be_red_at_each_execution(self):
        self.opbyop("suite", "stablehlo", "--mesh", "2x4", "--op", "*all_gather", "-o", self.run_folder)
        text, lines = self.faults("--mesh", "--fault=mesh_r*", code=0)
        self.assertEqual(len(lines), 9)
        for line in lines:
            self.assertEqual(line["faults"]["mesh_reads_too_early"][1], "fail")
            self.assertIn("mesh_race", line["faults"])
        self.assertRegex(text, r"\| mesh_race \| [^|]*\| 9 \| 9 \|")

    def test_an_unknown_fault_is_named(self):
        done = self.run_program("faults", self.run_folder, "--fault=nosuch", code=2)
        self.assertIn("no fault 'nosuch'", done.stderr)

    def test_an_unknown_policy_is_named(self):
        done = self.run_program("faults", self.run_folder, "--policy=nosuch", code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nosuch", done.stderr)
