# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the whole harness on a device with one fault: exactly the cases with wrong results must fail.

python3 -m unittest validation.fault_injection.conformance_test
"""

from fixtures.programs import ProgramTest, cases, faulty_target

MODEL = """
func.func @main(%a: tensor<12x12xf32>, %b: tensor<12x12xf32>) -> tensor<12x12xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
  %1 = stablehlo.exponential %0 : tensor<12x12xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
  %3 = stablehlo.add %2, %a : tensor<12x12xf32>
  return %3 : tensor<12x12xf32>
}
"""


class FaultyDeviceTest(ProgramTest):
    def failures(self, fault):
        """The case records that are not `pass`, by op, of a run on a device with this fault."""
        manifest = self.folder / "run/manifest.yaml"
        results = self.folder / "results"
        target = faulty_target(self.folder / "faulty.yaml", fault)
        self.opbyop("split", "--quiet", self.write("m.mlir", MODEL), "-o", manifest.parent)
        done = self.run_program(
            "conformance", f"--manifest={manifest}", f"--target={target}", f"--out={results}", code=None
        )
        records = cases(results)
        self.assertEqual(len(records), 4, done.stdout + done.stderr)
        failed = {record["case"].rsplit("_", 3)[0]: record for record in records if record["status"] != "pass"}
        self.assertEqual(done.returncode, 1 if failed else 0, done.stdout + done.stderr)
        return failed

    def assert_only(self, op, failed):
        self.assertEqual(list(failed), [op])
        self.assertEqual((failed[op]["status"], failed[op]["stage"]), ("fail", "compare"))
        self.assertIn("beyond their bound", failed[op]["diagnostic"])

    def test_a_right_device_passes(self):
        self.assertEqual(self.failures("none"), {})

    def test_rounding_that_the_bounds_allow_passes(self):
        self.assertEqual(self.failures("function_two_ulp"), {})

    def test_a_lost_term_fails_the_product_only(self):
        self.assert_only("dot_general", self.failures("dot_drops_last_term"))

    def test_factors_cut_to_tf32_fail_the_product_only(self):
        self.assert_only("dot_general", self.failures("dot_tf32"))

    def test_a_wrong_permutation_fails_the_transposition_only(self):
        self.assert_only("transpose", self.failures("transpose_ignored"))
