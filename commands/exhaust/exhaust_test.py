# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop exhaust` from the command line: every bit pattern, and an interrupted run that is resumed.

python3 -m unittest commands.exhaust.exhaust_test
"""

from __future__ import annotations

import unittest

from fixtures.programs import UNEXPECTED, USAGE, ProgramTest, cases, faulty_target, records


class ExhaustTest(ProgramTest):
    def exhaust(self, *arguments, code=0):
        return self.opbyop("exhaust", "-q", *arguments, "-o", self.folder / "run", code=code)

    def test_every_value_of_a_narrow_type(self):
        done = self.exhaust("tanh", "convert:i8", "--type=f16,f8E4M3FN")
        self.assertEqual(len(done.stdout.splitlines()), 1 + 4 + 1, done.stdout)
        judged = {case["case"].split("_")[0]: case for case in cases(self.folder / "run") if "f16" in case["case"]}
        self.assertEqual(judged["tanh"]["status"], "pass")
        self.assertEqual(judged["tanh"]["comparisons"][0]["elements"], 65536)
        # NaN, the infinities, and values that i8 cannot hold.
        self.assertEqual(judged["convert"]["comparisons"][0]["elements"], 65536 - 20494)

    def test_parts_of_f32_add_up(self):
        self.exhaust("sqrt", "--part=1/1024")
        self.exhaust("sqrt", "--part=2/1024")
        self.assertEqual(len(records(self.folder / "run/chunks.jsonl")), 1 + 4 + 4)
        self.exhaust("sqrt", "--part=1/512")
        self.assertEqual(len(records(self.folder / "run/chunks.jsonl")), 1 + 8, "nothing was left to run")
        (case,) = cases(self.folder / "run")
        self.assertEqual(case["status"], "pass")
        self.assertEqual(case["comparisons"][0]["elements"], 8 << 20)
        self.assertIn("8,388,608 of 4,294,967,296 values", case["comparisons"][0]["rule"])

    def test_a_wrong_device_is_found_by_the_bit_pattern_and_the_command_shows_it_again(self):
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        done = self.exhaust("sign", f"--target={target}", "--type=bf16", code=UNEXPECTED)
        self.assertIn("0x0000 (0): got 1, expected 0", done.stdout)
        (case,) = cases(self.folder / "run")
        self.assertEqual((case["status"], case["stage"]), ("fail", "compare"))
        self.assertIn("first 0x0000", case["diagnostic"])
        self.assertIn("--at 0x0", case["repro"])

    def test_only_the_chunk_with_a_value(self):
        self.exhaust("negate", "--at=0x3f800000", "--chunk=65536")
        self.assertEqual(records(self.folder / "run/chunks.jsonl")[1]["chunk"], 0x3F80)

    def test_a_run_is_reported(self):
        self.exhaust("is_finite", "--type=bf16")
        self.opbyop("report", self.folder / "run", "-o", self.folder / "report")
        self.assertIn(r"is\_finite\_bf16", (self.folder / "report/summary.md").read_text())

    def test_a_function_that_cannot_be_run_has_a_reason(self):
        for arguments, words in [
            (["tanhh"], "`tanhh` is no function of one f32"),
            (["tanh", "--type=f64"], "2^64 values"),
            (["tanh", "--type=f33"], "not a type of one number"),
            (["tanh", "--part=3/2"], "`3/2` is not a part"),
            (["tanh", "--at=1.5"], "not a bit pattern"),
            (["tanh", "--type=f16", "--at=0x10000"], "no bit pattern of a f16"),
            (["tanh", "--chunk=5000"], "no power of two"),
            (["tanh", "--chunk=1"], "--chunk"),
            (["tanh", "--target=hostt"], "hostt"),
        ]:
            done = self.exhaust(*arguments, code=USAGE)
            self.assertIn(words, done.stderr, arguments)

    def test_the_functions_of_a_type_are_listed(self):
        listed = self.opbyop("exhaust", "--list", "--type=ui8").stdout.splitlines()
        self.assertIn("stablehlo.popcnt --type ui8", listed)
        self.assertNotIn("stablehlo.tanh --type ui8", listed)


if __name__ == "__main__":
    unittest.main()
