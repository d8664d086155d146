# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop reduce` with failing rows, and with models that fail only in one piece.

python3 -m unittest commands.reduce.reduce_test
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from fixtures.programs import (
    BAD_INPUT,
    BIN,
    NO_INPUT,
    NOTHING,
    ROOT,
    UNEXPECTED,
    USAGE,
    ProgramTest,
    cases,
    faulty_target,
)

DOT = """
func.func @main(%a: tensor<12x16xf32>, %b: tensor<16x12xf32>) -> tensor<12x12xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
      : (tensor<12x16xf32>, tensor<16x12xf32>) -> tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
"""

SIGN = """
func.func @main(%a: tensor<64xbf16>) -> tensor<64xbf16> {
  %0 = stablehlo.sign %a : tensor<64xbf16>
  return %0 : tensor<64xbf16>
}
"""

# Only the model itself gives `sign` a zero; drawn values have none.
CAPTURED = """
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<[1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]> : tensor<8xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<8xf32>
  %2 = stablehlo.sign %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
"""

# Eleven ops; the fake compiler takes each of them alone.
CHAIN = """
func.func private @block(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  %1 = stablehlo.tanh %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  %1 = stablehlo.multiply %0, %b : tensor<8xf32>
  %2 = stablehlo.subtract %1, %a : tensor<8xf32>
  %3 = stablehlo.abs %2 : tensor<8xf32>
  %4 = stablehlo.negate %3 : tensor<8xf32>
  %5 = func.call @block(%4) : (tensor<8xf32>) -> tensor<8xf32>
  %6 = stablehlo.floor %5 : tensor<8xf32>
  %7 = stablehlo.ceil %6 : tensor<8xf32>
  %8 = stablehlo.maximum %7, %a : tensor<8xf32>
  %9 = stablehlo.minimum %8, %b : tensor<8xf32>
  return %9 : tensor<8xf32>
}
"""

# A compiler that crashes on a sine before a tanh.
COMPILER = """
schema: opbyop-target/1
name: stand-in
description: a compiler that two ops together bring down
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: none}
stages:
  - name: lower
    command: ["sh", "COMPILER", "{input}", "{output}"]
"""

# A compiler that has no kernel for an op, and reports at its start that it only compiles.
NO_BOARD = """
schema: opbyop-target/1
name: no-board
worker: ["{bin}/mock_worker", "--target", "--hello=no-device", "--refuse=sign"]
device: {kind: mock, parallel: true}
stages: [{name: parse}, {name: lower}, {name: load}, {name: execute}]
"""

# A compiler that fails on every program after its first error.
LEAKY = """
import re
import sys

sys.path.insert(0, "{root}/device/python")

from opbyop_worker import protocol


class Leaky(protocol.TargetWorker):
    name = "leaky"
    version = "1"
    spoilt = False

    def compile(self, request, stages):
        with stages.stage("lower"):
            size = re.search(r"tensor<([0-9]+)x", request.file.read_text())
            self.spoilt |= size is not None and int(size[1]) >= 7
            if self.spoilt:
                raise protocol.StageError("out of slots")
        return {{}}


sys.exit(protocol.serve(Leaky()))
"""
LEAKY_TARGET = """
schema: opbyop-target/1
name: leaky
worker: [python3, {worker}]
device: {{kind: none}}
stages: [{{name: lower}}]
"""

SCRIPT = """
if grep -q stablehlo.sine "$1" && grep -q stablehlo.tanh "$1"; then
  echo "tanh of sine: operand 3 of 17" >&2
  kill -SEGV $$
fi
cp "$1" "$2"
"""


def ops(text: str) -> list[str]:
    return re.findall(r"(?:stablehlo|chlo)\.(\w+)", text)


class ReduceTest(ProgramTest):
    def split(self, text: str) -> Path:
        run = self.folder / "run"
        self.opbyop("split", "--quiet", self.write("m.mlir", text), "-o", run)
        return run

    def reduce(self, row: str, target: Path | str, *more: object, code: int | None = 0) -> subprocess.CompletedProcess:
        return self.opbyop(
            "reduce", row, "--run", self.folder / "run", "--target", target, "-o", self.folder / "out", *more, code=code
        )

    def row(self) -> str:
        """The id of the only case."""
        [case] = (self.folder / "run/cases").glob("*.mlir")
        return case.stem

    def reduced(self) -> tuple[str, dict]:
        [case] = (self.folder / "out/reduced/cases").glob("*.mlir")
        return case.read_text(), json.loads((self.folder / "out/reduced/reduction.json").read_text())

    def stand_in(self) -> Path:
        script = self.write("compiler.sh", SCRIPT)
        return self.write("stand-in.yaml", COMPILER.replace("COMPILER", str(script)))

    def test_an_error_of_a_compiler_whose_worker_has_no_device_here(self) -> None:
        self.split(SIGN)
        self.reduce(self.row(), self.write("no-board.yaml", NO_BOARD))
        _, facts = self.reduced()
        self.assertEqual((facts["status"], facts["stage"], facts["complete"]), ("fail", "lower", True))

    def test_a_lost_term_is_shown_by_one_product(self) -> None:
        self.split(DOT)
        target = faulty_target(self.folder / "faulty.yaml", "dot_drops_last_term")
        done = self.reduce(self.row(), target)
        text, facts = self.reduced()
        self.assertIn("(tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>", text)
        self.assertNotIn("precision", text)
        self.assertTrue(facts["complete"])
        self.assertEqual((facts["status"], facts["stage"]), ("fail", "compare"))
        self.assertIn(text.strip(), done.stdout, "it is printed")

    def test_the_reduced_row_fails_again_by_its_own_command(self) -> None:
        self.split(SIGN)
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.reduce(self.row(), target, "--policy=edge")
        text, facts = self.reduced()
        self.assertIn("tensor<1xf32>", text, "one element, of the simplest type")
        self.assertTrue(facts["inputs_fixed"])
        repro = facts["repro"].split()[1:]
        self.opbyop(*repro, "-o", self.folder / "again", code=UNEXPECTED)
        [record] = cases(self.folder / "again")
        self.assertEqual((record["status"], record["stage"]), ("fail", "compare"))

    def test_a_model_that_crashes_is_reduced_to_the_ops_that_crash(self) -> None:
        self.split(CHAIN)
        self.reduce("m", self.stand_in())
        text, facts = self.reduced()
        self.assertEqual(ops(text), ["sine", "tanh"], text)
        self.assertEqual(facts["to"]["ops"], 2)
        self.assertIn("tensor<1xf32>", text)
        self.assertEqual((facts["status"], facts["stage"]), ("crash", "lower"))

    def test_a_failure_caused_by_earlier_programs_is_not_accepted(self) -> None:
        self.split(SIGN)
        worker = self.write("leaky.py", LEAKY.format(root=ROOT))
        done = self.reduce(self.row(), self.write("leaky.yaml", LEAKY_TARGET.format(worker=worker)))
        text, facts = self.reduced()
        self.assertRegex(text, r"tensor<[7-9]x", "half of it is none")
        self.assertTrue(facts["fresh"])
        self.assertIn("workers of its own", done.stdout)
        self.opbyop(*facts["repro"].split()[1:], "-o", self.folder / "again", code=UNEXPECTED)

    def captured_sign(self) -> str:
        """The row whose operands are captured."""
        run = self.split(CAPTURED)
        self.opbyop("capture", self.folder / "m.mlir", "-o", run)
        return next(path.stem for path in (run / "cases").glob("sign*.mlir"))

    def test_a_row_that_fails_on_captured_operands_only_is_reduced_on_them(self) -> None:
        row = self.captured_sign()
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.reduce(row, target, "--policy=domain", code=NOTHING)
        self.reduce(row, target, "--policy=domain,captured")
        text, facts = self.reduced()
        self.assertIn("tensor<1xf32>", text)
        self.assertTrue(facts["inputs_fixed"])
        repro = facts["repro"].split()[1:]
        self.opbyop(*repro, "-o", self.folder / "again", code=UNEXPECTED)
        self.assertTrue((self.folder / "out/original/captured/index.json").exists(), "the full program has them too")

    def test_an_op_that_is_wrong_only_in_a_chained_run_is_reduced_on_its_operands_there(self) -> None:
        run = self.split(CAPTURED)
        row = next(path.stem for path in (run / "cases").glob("sign*.mlir"))
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.opbyop("run", run, "--mode=chained", "--target", target, code=UNEXPECTED)
        self.reduce(row, target, "--policy=domain", code=NOTHING)
        self.reduce(row, target, "--chained")
        text, facts = self.reduced()
        self.assertEqual(ops(text), ["sign"])
        self.assertIn("tensor<1xf32>", text)
        self.assertEqual((facts["status"], facts["stage"], facts["policy"]), ("fail", "compare", "captured"))
        self.opbyop(*facts["repro"].split()[1:], "-o", self.folder / "again", code=UNEXPECTED)

    def test_an_op_that_was_right_in_the_chained_run_is_not_reduced(self) -> None:
        run = self.split(CAPTURED)
        row = next(path.stem for path in (run / "cases").glob("multiply*.mlir"))
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.opbyop("run", run, "--mode=chained", "--target", target, code=UNEXPECTED)
        self.assertIn("no operands with which it failed", self.reduce(row, target, "--chained", code=NOTHING).stderr)
        self.assertIn("is a model", self.reduce("m", target, "--chained", code=USAGE).stderr)

    def test_a_model_that_is_wrong_is_reduced_to_the_ops_that_cause_it(self) -> None:
        self.split(CAPTURED)
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.reduce("m", target)
        text, facts = self.reduced()
        self.assertLessEqual(set(ops(text)), {"constant", "multiply", "sign"}, text)
        self.assertIn("sign", ops(text))
        self.assertEqual((facts["status"], facts["stage"]), ("fail", "compare"))
        self.assertTrue(facts["complete"])

    def test_captured_operands_that_are_damaged_are_refused(self) -> None:
        row = self.captured_sign()
        for file in (self.folder / "run/captured").glob("*.zst"):
            file.write_bytes(b"nothing")
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        self.reduce(row, target, "--policy=captured", code=BAD_INPUT)

    def test_a_row_that_passes_is_not_reduced(self) -> None:
        self.split(SIGN)
        done = self.reduce(self.row(), "host", code=NOTHING)
        self.assertIn("no failure to reduce", done.stderr)
        self.assertFalse((self.folder / "out/reduced").exists())

    def test_an_unknown_row_is_named(self) -> None:
        self.split(SIGN)
        self.assertIn("no row `nosuch`", self.reduce("nosuch", "host", code=NOTHING).stderr)
        self.assertIn("nosuch", self.reduce(self.row(), "nosuch", code=USAGE).stderr)
        self.opbyop("reduce", "x", "--run", self.folder / "absent", code=NO_INPUT)

    def test_a_folder_with_other_files_is_left_alone(self) -> None:
        self.split(SIGN)
        target = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        (self.folder / "out/reduced").mkdir(parents=True)
        precious = self.folder / "out/reduced/thesis.txt"
        precious.write_text("all of it")
        self.reduce(self.row(), target, "--policy=edge", code=USAGE)
        self.assertEqual(precious.read_text(), "all of it")

    def test_time_limit_and_interruption_leave_the_best_so_far(self) -> None:
        self.split(CHAIN)
        slow = self.write("slow.sh", "sleep 0.3\n" + SCRIPT)
        target = self.write("slow.yaml", COMPILER.replace("COMPILER", str(slow)))
        self.assertIn("not finished", self.reduce("m", target, "--time-limit=1").stdout)
        text, facts = self.reduced()
        self.assertFalse(facts["complete"])
        self.assertTrue({"sine", "tanh"} <= set(ops(text)))

        command = [BIN / "opbyop", "reduce", "m", "--run", self.folder / "run", "--target", target]
        out = self.folder / "interrupted"
        with subprocess.Popen(
            [*map(str, command), "-o", out], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            while not (out / "reduced/reduction.json").exists() and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("not finished", said)
        self.assertEqual(json.loads((out / "reduced/reduction.json").read_text())["status"], "crash")
        self.assertEqual([name for name in os.listdir(out) if name.endswith(".new")], [])
