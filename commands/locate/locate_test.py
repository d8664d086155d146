# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop locate` with devices that are right except for one fault (validation/fault_injection).

python3 -m unittest commands.locate.locate_test
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

from fixtures.programs import BIN, NOTHING, PARTIAL, UNEXPECTED, USAGE, ProgramTest, faulty_target, records

# A transpose that feeds a product, with other ops between the two and around them.
PAIR = """
module @named {
func.func private @head(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.tanh %x : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
func.func @main(%a: tensor<6x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>) -> tensor<6x4xf32> {
  %0 = func.call @head(%a) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
      : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.add %1, %a : tensor<6x4xf32>
  %3 = stablehlo.transpose %v, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.sine %2 : tensor<6x4xf32>
  %5 = stablehlo.multiply %4, %2 : tensor<6x4xf32>
  %6 = stablehlo.dot_general %5, %3, contracting_dims = [1] x [0]
      : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %7 = stablehlo.subtract %6, %a : tensor<6x4xf32>
  return %7 : tensor<6x4xf32>
}
}
"""

# Layers in a loop, each with its row of the weights.
SCAN = """
func.func @main(%x: tensor<4xf32>, %w: tensor<3x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %y = stablehlo.sine %x : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %zero, %c = %y) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4]
          : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %t = stablehlo.reshape %s : (tensor<1x4xf32>) -> tensor<4xf32>
      %m = stablehlo.multiply %c, %t : tensor<4xf32>
      %n = stablehlo.tanh %m : tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %n : tensor<i32>, tensor<4xf32>
    }
  %z = stablehlo.negate %r#1 : tensor<4xf32>
  return %z : tensor<4xf32>
}
"""

# The same with more layers, and with one whose row is the second only in the sixth trip.
LONG = SCAN.replace("3x4", "8x4").replace("dense<3>", "dense<8>")
LATE = LONG.replace(
    "%s = stablehlo.dynamic_slice %w, %i,",
    "%four = stablehlo.constant dense<4> : tensor<i32>\n"
    "      %k = stablehlo.subtract %i, %four : tensor<i32>\n"
    "      %s = stablehlo.dynamic_slice %w, %k,",
)

# The body of the loop is a function, as JAX writes a scan, and the loop carries what it only reads.
CALLING = """
func.func private @layer(%w: tensor<2x4xf32>, %i: tensor<i32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_slice %w, %i, %zero, sizes = [1, 4]
      : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %t = stablehlo.reshape %s : (tensor<1x4xf32>) -> tensor<4xf32>
  %m = stablehlo.multiply %c, %t : tensor<4xf32>
  %n = stablehlo.tanh %m : tensor<4xf32>
  return %n : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %w: tensor<2x4xf32>, %v: tensor<2x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:4 = stablehlo.while(%wi = %w, %vi = %v, %i = %zero, %c = %x)
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %y = func.call @layer(%wi, %i, %c) : (tensor<2x4xf32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32>
      %z = func.call @layer(%vi, %i, %y) : (tensor<2x4xf32>, tensor<i32>, tensor<4xf32>) -> tensor<4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %wi, %vi, %j, %z : tensor<2x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<4xf32>
    }
  return %r#3 : tensor<4xf32>
}
"""

# The sum of the squares of sine and cosine, less 1, is what rounding leaves.
CANCELLING = """
func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<64xf32>
  %tiny = stablehlo.constant dense<3.0e-7> : tensor<64xf32>
  %0 = stablehlo.tanh %a : tensor<64xf32>
  %1 = stablehlo.sine %0 : tensor<64xf32>
  %2 = stablehlo.cosine %0 : tensor<64xf32>
  %3 = stablehlo.multiply %1, %1 : tensor<64xf32>
  %4 = stablehlo.multiply %2, %2 : tensor<64xf32>
  %5 = stablehlo.add %3, %4 : tensor<64xf32>
  %6 = stablehlo.subtract %5, %one : tensor<64xf32>
  %7 = stablehlo.add %6, %tiny : tensor<64xf32>
  %8 = stablehlo.sqrt %7 : tensor<64xf32>
  %9 = stablehlo.sqrt %8 : tensor<64xf32>
  return %9 : tensor<64xf32>
}
"""

# A compiler without a device.
COMPILER = """
schema: opbyop-target/1
name: stand-in
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: none}
stages:
  - name: lower
    command: ["sh", "SCRIPT", "{input}", "{output}"]
"""


def layered(count: int, wrong: int) -> str:
    """A model of equal layers; only in layer `wrong` is the square a product with the transposed weights."""
    lines = ["func.func @main(%x0: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {"]
    product = "contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>"
    for i in range(1, count + 1):
        lines += [
            f"  %a{i} = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>",
            f"  %b{i} = stablehlo.tanh %x{i - 1} : tensor<8x4xf32>",
            f"  %c{i} = stablehlo.dot_general %b{i}, %a{i}, {product}",
            f"  %d{i} = stablehlo.multiply %x{i - 1}, %x{i - 1} : tensor<8x4xf32>",
            f"  %e{i} = stablehlo.dot_general %d{i}, %{'w' if i == wrong else 'a' + str(i)}, {product}",
            f"  %x{i} = stablehlo.add %c{i}, %e{i} : tensor<8x4xf32>",
        ]
    return "\n".join([*lines, f"  return %x{count} : tensor<8x4xf32>", "}"])


class LocateTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out"

    def locate(self, model: str, target: object, *more: object, code: int = UNEXPECTED) -> str:
        path = self.write("model.mlir", model)
        done = self.opbyop("locate", path, "--target", target, "-o", self.out, *more, code=code)
        # A search of some seconds also writes its progress to stderr.
        return done.stdout or done.stderr

    def faulty(self, fault: str) -> Path:
        return faulty_target(self.folder / f"{fault}.yaml", fault)

    def located(self) -> str:
        """The program of located.mlir."""
        return (self.out / "located.mlir").read_text()

    def reproduces(self, said: str) -> None:
        """The command that the verb prints last ends with a failure."""
        command = said.strip().splitlines()[-1].split()
        done = subprocess.run([BIN / "opbyop", *command[1:]], cwd=self.folder, check=False, capture_output=True)
        self.assertEqual(done.returncode, UNEXPECTED, done.stderr)

    def test_a_fault_of_two_ops_together_is_located(self) -> None:
        said = self.locate(PAIR, self.faulty("fused_transpose"))
        self.assertIn("model model, 8 ops: fail in compare", said)
        self.assertRegex(said, r"window 2 ops, stablehlo.transpose \(.*\) to stablehlo.dot_general \(.*\): fail")
        line = 1 + next(i for i, text in enumerate(PAIR.splitlines()) if "stablehlo.transpose" in text)
        self.assertRegex(said, rf"op stablehlo.transpose \(.*/model.mlir:{line}\): pass")
        self.assertIn("=> no op of it fails alone, and together they are beyond the bound", said)
        self.assertRegex(said, r"the fault disappears if the result of stablehlo.transpose .* is asked for as well")
        self.assertEqual(re.findall(r"stablehlo\.(\w+)", self.located()), ["transpose", "dot_general"])
        self.assertEqual(len(self.located().splitlines()), 5)
        self.assertIn("reduced to 2 ops, 3 elements, 5 lines", said)
        self.reproduces(said)

    def test_a_layer_is_named(self) -> None:
        said = self.locate(layered(4, wrong=3), self.faulty("fused_transpose"))
        self.assertRegex(said, r"layer 2 of 4: 6 ops, .*: pass\n *layer 3 of 4: 6 ops, .*: fail in compare")
        self.assertIn("stablehlo.transpose", self.located())

    def test_an_op_that_is_wrong_in_the_second_trip_is_located(self) -> None:
        said = self.locate(SCAN, self.faulty("slice_at_one"))
        self.assertIn("trips 1: pass", said)
        self.assertRegex(said, r"trip 2 of 3: 5 ops, .*: fail in compare")
        self.assertRegex(said, r"op stablehlo.dynamic_slice \(.*\): fail in compare\n *=> it fails alone")
        self.assertLessEqual(len(self.located().splitlines()), 6)
        self.reproduces(said)

    def test_a_model_that_fails_with_few_trips_of_its_loop_is_searched_with_these(self) -> None:
        said = self.locate(LONG, self.faulty("slice_at_one"))
        self.assertIn("it fails with 3 of the 8 trips of its loop already", said)
        self.assertRegex(said, r"trip 2 of 3: 5 ops, .*: fail in compare")
        self.reproduces(said)

    def test_a_model_that_fails_in_a_late_trip_only_is_searched_with_all(self) -> None:
        said = self.locate(LATE, self.faulty("slice_at_one"))
        self.assertNotIn("already", said)
        self.assertRegex(said, r"trip 6 of 8: 6 ops, .*: fail in compare")

    def test_a_loop_that_is_wrong_although_its_body_is_right_is_located(self) -> None:
        said = self.locate(SCAN, self.faulty("second_trip"), "--time-limit=20")
        self.assertIn("trips each of 3 alone: pass", said)
        self.assertIn("loop from its last trip on: pass", said)
        self.assertIn("loop from its last 2 trips on: fail in compare", said)
        self.assertIn("=> no trip of its body fails alone: the loop itself fails, with 2 trips already", said)
        self.assertIn("stablehlo.while", self.located())

    def test_errors_that_accumulate_are_no_wrong_op(self) -> None:
        said = self.locate(CANCELLING, self.faulty("function_two_ulp"), "--time-limit=30")
        self.assertIn("errors accumulate, in the promised precision as on the device", said)
        self.assertRegex(said, r"from the exact results the promised precision is off by 0?\d.\de-0\d of their size")
        self.assertNotIn("=> it fails alone", said)

    def test_a_call_in_a_loop_is_opened(self) -> None:
        said = self.locate(CALLING, self.faulty("slice_at_one"))
        self.assertRegex(said, r"trip 2 of 2: \d+ ops, .*: fail in compare")
        self.assertRegex(said, r"op stablehlo.dynamic_slice \(.*\): fail in compare")

    def test_a_loop_that_is_wrong_carries_no_more_values_than_show_it(self) -> None:
        self.locate(CALLING, self.faulty("second_trip"), "--time-limit=20")
        loop = next(line for line in self.located().splitlines() if "stablehlo.while" in line)
        self.assertLessEqual(loop.count("%iterArg"), 2)
        self.assertLessEqual(len(self.located().splitlines()), 14, "the syntax of a loop alone has nine")

    def test_ops_that_bring_the_compiler_down_together_are_located(self) -> None:
        script = self.write(
            "compiler.sh",
            'if grep -q stablehlo.tanh "$1" && grep -q stablehlo.sine "$1"; then kill -SEGV $$; fi; cp "$1" "$2"',
        )
        target = self.write("compiler.yaml", COMPILER.replace("SCRIPT", str(script)))
        said = self.locate(PAIR, target)
        self.assertIn("model model, 8 ops: crash in lower", said)
        self.assertIn("=> no op of it fails alone, only together do they", said)
        self.assertEqual(set(re.findall(r"stablehlo\.(\w+)", self.located())), {"tanh", "sine"})

    def test_an_interrupted_search_says_how_to_go_on(self) -> None:
        slow = self.write("compiler.sh", 'sleep 0.5; echo "out of slots" >&2; exit 1')
        target = self.write("compiler.yaml", COMPILER.replace("SCRIPT", str(slow)))
        model = self.write("model.mlir", PAIR)
        command = [BIN / "opbyop", "locate", model, "--target", target, "-o", self.out]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            log = self.out / "locate.jsonl"
            while process.poll() is None and not (log.exists() and len(log.read_text().splitlines()) > 2):
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, PARTIAL, said)
        self.assertIn("the same command goes on from", said)

    def test_a_right_device_has_nothing_to_locate(self) -> None:
        for target in ("host", self.faulty("none")):
            said = self.locate(PAIR, target, "--fresh", code=NOTHING)
            self.assertIn("there is no failure to locate", said)
        self.assertFalse((self.out / "located.mlir").exists())

    def test_a_search_goes_on_where_it_was_interrupted(self) -> None:
        target = self.faulty("fused_transpose")
        said = self.locate(PAIR, target)
        log = self.out / "locate.jsonl"
        whole = log.read_text()
        lines = whole.splitlines(keepends=True)
        # A search that is killed may leave a part of a line.
        log.write_text("".join(lines[:9]) + lines[9][:20])
        self.assertEqual(self.locate(PAIR, target), said)
        programs = [record.get("program") for record in map(json.loads, log.read_text().splitlines()[:9])]
        again = [json.loads(line) for line in log.read_text().splitlines()[10:]]
        self.assertEqual(len(again), len(lines) - 9)
        self.assertFalse({record["program"] for record in again} & set(programs))
        # Nothing is judged again when all is known.
        before = log.read_text()
        self.assertEqual(self.locate(PAIR, target), said)
        self.assertEqual(log.read_text(), before)

    def test_every_step_is_a_record(self) -> None:
        said = self.locate(PAIR, self.faulty("fused_transpose"))
        header, *lines = records(self.out / "locate.jsonl")
        steps = [line for line in lines if "status" in line]
        ways = [line["three_ways"] for line in lines if "status" not in line]
        self.assertEqual(header["facts"]["target"], "faulty")
        judged = re.search(r"(\d+) programs judged", said)
        assert judged
        self.assertEqual(len(steps), int(judged[1]))
        self.assertEqual({step["status"] for step in steps}, {"pass", "fail"})
        self.assertEqual(len(ways), 2, "of the model, and of the two ops together")
        self.assertTrue(all(each["device"] > 1e4 * each["promised"] > 0 for each in ways), ways)
        tree = json.loads((self.out / "locate.json").read_text())["tree"]
        self.assertEqual((tree["kind"], tree["status"]), ("model", "fail"))
        page = (self.out / "locate.html").read_text()
        self.assertRegex(page, r'<span class="red" title="[^"]+">model model, 8 ops: fail in compare</span>')
        self.assertIn("stablehlo.transpose %arg0", page)

    def test_the_steps_of_another_search_are_refused(self) -> None:
        self.locate(PAIR, self.faulty("fused_transpose"))
        said = self.locate(SCAN, self.faulty("slice_at_one"), code=USAGE)
        self.assertIn("has the steps of another search (model, target file, toolchain differ)", said)
        self.locate(SCAN, self.faulty("slice_at_one"), "--fresh")

    def test_a_search_whose_time_is_up_says_how_to_go_on(self) -> None:
        late = """worker: [sh, -c, 'sleep 1.2; exec "$0" "$@"', """
        target = self.faulty("fused_transpose").read_text()
        slow = self.write("slow.yaml", target.replace("worker: [", late))
        said = self.locate(PAIR, slow, "--time-limit=1", code=PARTIAL)
        self.assertIn("the same command goes on from there", said)
