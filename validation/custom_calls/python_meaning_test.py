# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Judges custom calls by functions of Python, right and unfriendly ones, in a run and in `opbyop eval`.

python3 -m unittest validation.custom_calls.python_meaning_test
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fixtures.programs import BAD_INPUT, NO_INPUT, ROOT, ProgramTest, Record, cases

MEANING = """
import os
import sys
import time

import numpy

calls = []  # of this process


def twice(x, attributes):
    assert x.dtype == numpy.float64, x.dtype
    return x * attributes.get("factor", 2)
twice.tolerance = "exact"

def root(x):
    return numpy.sqrt(x)
root.tolerance = {"ulps": 2}

def shares(x):
    return x.argmax(), numpy.round(x * 100).astype("int8")
shares.tolerance = "exact"

def talks(x):
    print("x" * 1000000)
    print("x" * 1000000, file=sys.stderr)
    calls.append(x)
    return 2 * x if len(calls) == 1 else x
talks.tolerance = "exact"

def unfriendly(name, function, seconds=60):
    function.tolerance, function.seconds = "exact", seconds
    MEANINGS["vendor." + name] = function

def raises(x):
    raise ValueError("no such number")

def bounded(x):
    assert ((x >= 0.5) & (x <= 4)).all(), x
    return 2 * x
bounded.tolerance = "exact"
bounded.inputs = {"x": (0.5, 4)}

MEANINGS = {"vendor.twice": twice, "vendor.root": root, "vendor.talks": talks, "vendor.shares": shares}
MEANINGS["vendor.bounded"] = bounded
unfriendly("raises", raises)
unfriendly("shape", lambda x: numpy.zeros((3, 3)))
unfriendly("dtype", lambda x: x > 0)
unfriendly("text", lambda x: "four")
unfriendly("none", lambda x: None)
unfriendly("several", lambda x: (x, x))
unfriendly("operands", lambda x, y: x)
unfriendly("exits", lambda x: sys.exit(0))
unfriendly("leaves", lambda x: os._exit(0))
unfriendly("dies", lambda x: os.kill(os.getpid(), 11))
unfriendly("hangs", lambda x: time.sleep(1000), seconds=1)
unfriendly("forks", lambda x: time.sleep(1000) if os.fork() == 0 else 2 * x)
unfriendly("memory", lambda x: numpy.ones(1 << 36))
unfriendly("writes", lambda x: open("{folder}/written", "w"))
"""

CALLS = ("twice", "root", "talks", "raises", "shape", "dtype", "text", "none", "several", "operands", "exits", "leaves")
CALLS += ("dies", "hangs", "forks", "memory", "writes")

WORKER = """
import sys

import numpy as np
from opbyop_worker import TargetWorker, serve, tensors, timing

class Chip(TargetWorker):
    name = version = "chip"

    def compile(self, request, stages):
        with stages.stage("compile"):
            self.text = request.file.read_text()
        return {"artifact_bytes": 1}

    def execute(self, request, stages):
        with stages.stage("execute"):
            [x] = tensors.read_inputs(request.dir, request.inputs)
            y = np.sqrt(x) if "vendor.root" in self.text else x + x
            for _ in range(int(sys.argv[1])):
                y = np.nextafter(y, np.float32(np.inf))
            runs, figures = timing.repeat(lambda: [y], request.repeat)
            tensors.write_outputs(request.dir, runs, request.outputs)
        return {"timing": figures, "artifact_bytes": 1}

sys.exit(serve(Chip()))
"""

TARGET = """schema: opbyop-target/1
name: chip
worker: ["env", "PYTHONPATH={root}/device/python", "{python}", "{worker}", "{ulps}"]
device: {{kind: chip}}
stages: [{{name: compile}}, {{name: execute}}]
"""


class PythonMeaningTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {"OPBYOP_PYTHON": sys.executable}
        self.meaning = self.write("vendor.py", MEANING.replace("{folder}", str(self.folder)))

    def program(self, call: str, type_: str = "tensor<4xf32>", attributes: str = "") -> str:
        return f"""func.func @main(%x: tensor<4xf32>) -> {type_} {{
  %0 = stablehlo.custom_call @vendor.{call}(%x) {attributes} : (tensor<4xf32>) -> {type_}
  return %0 : {type_}
}}
"""

    def evaluate(self, program: Path, numbers: Sequence[float], code: int = 0) -> str:
        """What `opbyop eval` prints of the program on these numbers."""
        np.save(self.folder / "x.npy", np.float32(numbers))
        done = self.opbyop("eval", program, "--input", self.folder / "x.npy", "--meaning", self.meaning, code=code)
        return done.stdout + done.stderr

    def run_on_chip(self, ulps: int, calls: Sequence[str] = CALLS, policy: str = "domain") -> dict[str, Record]:
        """The record of each call, on a device that is off by this many units in the last place."""
        models, ops, results = (self.folder / f"{kind}-{ulps}-{policy}" for kind in ("models", "ops", "results"))
        models.mkdir()
        for call in calls:
            self.write(f"{models.name}/{call}.mlir", self.program(call))
        self.opbyop("split", "--quiet", models, "-o", ops)
        worker = self.write("chip.py", WORKER)
        target = self.write("chip.yaml", TARGET.format(root=ROOT, python=sys.executable, worker=worker, ulps=ulps))
        options = [f"--target={target}", f"--meaning={self.meaning}", f"--policy={policy}", "--retries=0"]
        self.opbyop("run", ops, *options, "-o", results, code=None)
        found = {}
        for record in cases(results):
            text = (ops / "cases" / f"{record['case']}.mlir").read_text()
            called = re.search(r"@vendor\.(\w+)", text)
            assert called is not None, text
            found[called[1]] = record
        return found

    def test_a_right_device_passes_and_the_record_says_by_what(self) -> None:
        records = self.run_on_chip(0)
        for call, rule in (("twice", "bit for bit"), ("root", "within 2 ulp"), ("talks", "bit for bit")):
            self.assertEqual(records[call]["status"], "pass", records[call])
            said = f"vendor.{call} as vendor.py computes it, {rule}"
            self.assertIn(said, records[call]["comparisons"][0]["rule"])

    def test_an_unfriendly_function_costs_its_own_row(self) -> None:
        records = self.run_on_chip(0)
        reasons = {
            "raises": "ValueError: no such number",
            "shape": "result 0 has shape [3, 3], expected [4]",
            "dtype": "result 0 is an array of bool, expected numbers of kind float",
            "text": "result 0 has shape [], expected [4]",
            "none": "result 0 has shape [], expected [4]",
            "several": "2 results, expected 1",
            "operands": "missing 1 required positional argument",
            "exits": "SystemExit: 0",
            "leaves": "and no result",
            "dies": "ended with SIGSEGV",
            "hangs": "did not end within 1 s",
            "memory": "MemoryError",
            "writes": "/written'",
        }
        for call, reason in reasons.items():
            with self.subTest(call):
                self.assertEqual(records[call]["status"], "inconclusive", records[call])
                self.assertIn(reason, records[call]["diagnostic"])
                self.assertIn("vendor.py", records[call]["diagnostic"])
        self.assertEqual(records["forks"]["status"], "pass", records["forks"])
        self.assertFalse((self.folder / "written").exists())

    def test_a_device_beyond_the_tolerance_fails(self) -> None:
        records = self.run_on_chip(1)
        self.assertEqual(records["twice"]["status"], "fail")
        self.assertEqual(records["root"]["status"], "pass", records["root"].get("diagnostic"))
        self.assertEqual(self.run_on_chip(3)["root"]["status"], "fail")

    def test_no_policy_draws_what_a_function_excludes(self) -> None:
        for policy in ("domain", "sparse", "edge", "sweep"):
            with self.subTest(policy):
                record = self.run_on_chip(0, ["bounded"], policy)["bounded"]
                self.assertEqual(record["status"], "pass", record)

    def test_eval_calls_it_with_the_attributes_of_the_call(self) -> None:
        call = self.write("twice.mlir", self.program("twice", attributes="{mhlo.backend_config = {factor = 3.0}}"))
        self.assertIn("[3, 6, 9, 12]", self.evaluate(call, [1, 2, 3, 4]))

    def test_results_of_integers_keep_their_range(self) -> None:
        text = self.program("shares", "(tensor<i32>, tensor<4xi4>)").replace("%0 = stable", "%0:2 = stable")
        text = text.replace("return %0 : (tensor<i32>, tensor<4xi4>)", "return %0#0, %0#1 : tensor<i32>, tensor<4xi4>")
        call = self.write("shares.mlir", text)
        self.assertIn("[1, 2, -7, 4]", self.evaluate(call, [0.01, 0.02, -0.07, 0.04]))
        wrong = self.evaluate(call, [0.01, 0.02, -0.09, 0.04], BAD_INPUT)
        self.assertIn("result 1 has a number that i4 lacks", wrong)

    def test_a_file_that_is_no_meaning_is_refused_before_anything_runs(self) -> None:
        call = self.write("twice.mlir", self.program("twice"))
        for text, said in (
            ("def twice(x) return x", "broken.py:1: SyntaxError"),
            ("raise KeyError('x')", "broken.py:1: KeyError"),
            ("import nosuchmodule", "No module named 'nosuchmodule'"),
            ("x = 1", "defines nothing"),
            ("MEANINGS = {'a': lambda x: x}", "a has no tolerance"),
            ("def f(x): pass\nf.tolerance = {'ulp': 1}", "f has no tolerance"),
            ("def f(x): pass\nf.tolerance = {'ulps': -1}", "f has no tolerance"),
        ):
            with self.subTest(said):
                broken = self.write("broken.py", text)
                self.assertIn(said, self.opbyop("eval", call, "--meaning", broken, code=BAD_INPUT).stdout)
        self.opbyop("eval", call, "--meaning", self.folder / "absent.py", code=NO_INPUT)
