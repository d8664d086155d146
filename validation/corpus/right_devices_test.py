# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that right devices are not accused: small programs, their right verdict, and its reason.

python3 -m unittest validation.corpus.right_devices_test
"""

from __future__ import annotations

import unittest

from fixtures import collectives
from fixtures.programs import NOTHING_JUDGED, ProgramTest, Record, records

# Rows of a softmax add up to 1: the range of the results is one unit in the last place.
CONSTANT = """
func.func @main(%x: tensor<256x16xf32>) -> tensor<256xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<256x16xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<256x16xf32>, tensor<f32>) -> tensor<256xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<256xf32>) -> tensor<256x16xf32>
  %3 = stablehlo.divide %0, %2 : tensor<256x16xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<256x16xf32>, tensor<f32>) -> tensor<256xf32>
  return %4 : tensor<256xf32>
}
"""
# log(exp(t)) - t is 0 except for rounding.
ZERO = """
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<64xf32>
  %1 = stablehlo.exponential %0 : tensor<64xf32>
  %2 = stablehlo.log %1 : tensor<64xf32>
  %3 = stablehlo.subtract %2, %0 : tensor<64xf32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
"""
# The sine of a large number with an error may be any value from -1 to 1; -inf stays -inf.
MASKED = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<4x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %k = stablehlo.constant dense<1.0e6> : tensor<4x8xf32>
  %0 = stablehlo.exponential %x : tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %k : tensor<4x8xf32>
  %2 = stablehlo.sine %1 : tensor<4x8xf32>
  %3 = stablehlo.compare GT, %x, %z : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %4 = stablehlo.select %3, %2, %i : tensor<4x8xi1>, tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
"""
# The random numbers depend on the implementation.
DROPOUT = """
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %lo = stablehlo.constant dense<0.0> : tensor<f32>
  %hi = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<256> : tensor<1xi64>
  %k = stablehlo.constant dense<0.5> : tensor<256xf32>
  %z = stablehlo.constant dense<0.0> : tensor<256xf32>
  %r = stablehlo.rng %lo, %hi, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<256xf32>
  %c = stablehlo.compare LT, %r, %k : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xi1>
  %0 = stablehlo.select %c, %x, %z : tensor<256xi1>, tensor<256xf32>
  return %0 : tensor<256xf32>
}
"""
BITS = """
func.func @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16xui32>)
  return %0, %1 : tensor<2xui64>, tensor<16xui32>
}
"""
# x / 2 of a small normal number is subnormal.
HALVED = """
func.func @main(%x: tensor<512xbf16>) -> tensor<512xbf16> {
  %0 = stablehlo.logistic %x : tensor<512xbf16>
  %1 = stablehlo.multiply %x, %0 : tensor<512xbf16>
  return %1 : tensor<512xbf16>
}
"""
# 2^-127 is subnormal in f32, in which narrow types are computed.
LEAST = """
func.func @main(%a: tensor<64xf8E8M0FNU>) -> tensor<64xi1> {
  %0 = stablehlo.convert %a : (tensor<64xf8E8M0FNU>) -> tensor<64xi1>
  return %0 : tensor<64xi1>
}
"""
# A stable sort that compares subnormal numbers as zeros.
SORT = """
func.func @main(%a: tensor<64xf32>, %i: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %1 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  return %0#0, %0#1 : tensor<64xf32>, tensor<64xi32>
}
"""
FOUR = """
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<32xf32>) {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<8xf32>) -> tensor<32xf32>
  return %0, %1 : tensor<8xf32>, tensor<32xf32>
}
"""


class RightDevices(ProgramTest):
    target = ""
    # How a collective_broadcast ends, and a maximum between processes. XLA's CPU client has no broadcast, and its
    # maximum drops NaN.
    broadcast = "pass"
    maximum = "pass"

    def verdicts(self, text: str, *flags: str, code: int = 0) -> dict[str, tuple[str, str]]:
        """Status and reason by op."""
        run = self.folder / "run"
        self.opbyop("split", self.write("program.mlir", text), "-o", run)
        self.opbyop("run", run, "--target", self.target, *flags, code=code)
        results = run / ("whole/results.jsonl" if "--mode=whole" in flags else "results.jsonl")
        ended = [record for record in records(results) if record["record"] == "case"]
        return {self.op_of(record): (record["status"], record.get("diagnostic") or "") for record in ended}

    @staticmethod
    def op_of(record: Record) -> str:
        return str(record["case"]).split("_8_")[0]

    def whole(self, text: str, code: int = 0) -> str:
        [(status, _)] = self.verdicts(text, "--mode=whole", code=code).values()
        return status


class BetweenProcesses:
    """Tests for targets with eight devices."""

    def test_an_op_between_four_processes_and_its_neighbor(self: RightDevices) -> None:
        verdicts = self.verdicts(FOUR)
        self.assertEqual(verdicts["tanh"][0], "pass")
        self.assertEqual(verdicts["all_gather"][0], "pass")

    def collectives(self: RightDevices, text: str) -> dict[str, str]:
        """Status by case, without the cases that pass."""
        run = self.folder / "run"
        self.opbyop("split", self.write("collectives.mlir", text), "-o", run)
        self.opbyop("run", run, "--target", self.target, code=None)
        ended = [record for record in records(run / "results.jsonl") if record["record"] == "case"]
        self.assertGreater(len(ended), 4)
        return {record["case"]: record["status"] for record in ended if record["status"] != "pass"}

    def test_every_collective_between_eight_processes(self: RightDevices) -> None:
        for case, status in self.collectives(collectives.program()).items():
            program = (self.folder / f"run/cases/{case}.mlir").read_text()
            if case.startswith("replica_id"):  # there is one replica
                self.assertEqual(status, "inconclusive", case)
            elif "stablehlo.maximum" in program:
                self.assertEqual(status, self.maximum, case)
            else:
                self.assertEqual((case.split("_4x6")[0], status), ("collective_broadcast", self.broadcast), case)

    def test_collectives_between_two_replicas_of_four_partitions(self: RightDevices) -> None:
        self.assertEqual(self.collectives(collectives.REPLICAS), {})


class OfAnyTarget:
    """Tests for host and for a compiler of another project."""

    def test_an_output_that_is_constant_except_for_rounding(self: RightDevices) -> None:
        self.assertEqual(self.whole(CONSTANT), "pass")

    def test_an_output_that_is_zero_except_for_rounding(self: RightDevices) -> None:
        self.assertEqual(self.whole(ZERO), "pass")

    def test_infinities_in_an_output(self: RightDevices) -> None:
        self.assertEqual(self.whole(MASKED), "pass")

    def test_results_of_random_numbers(self: RightDevices) -> None:
        self.assertEqual(self.whole(DROPOUT, code=NOTHING_JUDGED), "inconclusive")

    def test_bits_of_the_implementation(self: RightDevices) -> None:
        self.assertEqual(self.whole(BITS, code=NOTHING_JUDGED), "inconclusive")

    def test_subnormal_numbers_in_a_whole_model(self: RightDevices) -> None:
        self.assertEqual(self.whole(HALVED), "pass")

    def test_the_least_number_of_a_narrow_type(self: RightDevices) -> None:
        self.assertEqual({status for status, _ in self.verdicts(LEAST).values()}, {"pass"})

    def test_a_sort_of_subnormal_numbers(self: RightDevices) -> None:
        self.assertEqual({status for status, _ in self.verdicts(SORT).values()}, {"pass"})


class Host(OfAnyTarget, BetweenProcesses, RightDevices):
    target = "host"


class Xla(OfAnyTarget, BetweenProcesses, RightDevices):
    target = "xla"
    broadcast = "unsupported"
    maximum = "fail"


class XlaPlugin(BetweenProcesses, RightDevices):
    target = "xla-cpu-pjrt"
    broadcast = "unsupported"
    maximum = "fail"


if __name__ == "__main__":
    unittest.main()
