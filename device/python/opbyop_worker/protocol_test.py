# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the protocol with a parent on pipes, and timing with a fixed clock."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from opbyop_worker import Request, StageError, Stages, TargetWorker, timing
from opbyop_worker.protocol import ONLY, Fields, read_frame, serve_on, unsupported, will_be_asked, write_frame
from opbyop_worker.spans import Spans


def frame(message: Fields) -> bytes:
    body = json.dumps(message).encode()
    return struct.pack("<I", len(body)) + body


class Echo(TargetWorker):
    name = "echo"
    version = "echo 1"

    def compile(self, request: Request, stages: Stages) -> Fields:
        with stages.stage("parse"):
            pass
        with stages.stage("lower"):
            if request.case == "large":
                bytearray(256 << 20)
            if request.case == "bad":
                raise StageError("no kernel\nnote: second line")
            if request.case == "cannot":
                raise unsupported("no such type")
            if request.case == "bug":
                raise KeyError("x")
        return {"artifact_bytes": 3, **request.save(b"ELF")}


def talk(worker: TargetWorker, requests: list[Fields]) -> list[Any]:
    reader, writer = os.pipe()
    serve_on(worker, io.BytesIO(b"".join(frame(each) for each in requests)), writer)
    os.close(writer)
    messages = []
    with os.fdopen(reader, "rb") as stream:
        while (each := read_frame(stream)) is not None:
            messages.append(json.loads(each))
    return messages


def compile_request(case: str) -> Fields:
    return {"id": 7, "verb": "compile", "case": case, "file": "case.mlir", "dir": "/nowhere"}


class ProtocolTest(unittest.TestCase):
    def test_an_artifact_is_saved_where_the_request_says(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            artifact = Path(folder) / "good.bin"
            done = talk(Echo(), [{**compile_request("good"), "artifact": str(artifact)}])[-1]
            self.assertIs(done["saved"], True)
            self.assertEqual(artifact.read_bytes(), b"ELF")
        self.assertNotIn("saved", talk(Echo(), [compile_request("good")])[-1])

    def test_a_worker_gets_the_only_verb_that_will_be_requested(self) -> None:
        for only, asked in (("", True), ("compile", True), ("execute", False)):
            with unittest.mock.patch.dict(os.environ, {ONLY: only}):
                self.assertEqual(will_be_asked("compile"), asked)

    def test_hello_comes_first(self) -> None:
        hello = talk(Echo(), [])[0]
        self.assertEqual(hello["protocol"], "opbyop-worker/1")
        self.assertEqual((hello["event"], hello["role"], hello["name"]), ("hello", "target", "echo"))
        self.assertNotIn("cores", hello)

    def test_a_worker_on_the_machines_processor_says_how_many_cores(self) -> None:
        worker = Echo()
        worker.cores = 2
        self.assertEqual(talk(worker, [])[0]["cores"], 2)

    def test_a_worker_without_its_device_says_so(self) -> None:
        self.assertNotIn("compile_only", talk(Echo(), [])[0])
        worker = Echo()
        worker.compile_only = "no device\nsecond line"
        self.assertEqual(talk(worker, [])[0]["compile_only"], "no device")

    def test_stages_are_reported_around_their_work(self) -> None:
        _, *events, done = talk(Echo(), [compile_request("good")])
        self.assertEqual(
            [(e["stage"], e["state"]) for e in events],
            [("parse", "begin"), ("parse", "end"), ("lower", "begin"), ("lower", "end")],
        )
        self.assertEqual((done["id"], done["status"], done["artifact_bytes"]), (7, "pass", 3))
        self.assertGreater(done["peak_rss_kb"], 0)

    def test_the_peak_of_memory_is_that_of_the_request(self) -> None:
        _, *messages = talk(Echo(), [compile_request("large"), compile_request("good")])
        large, small = (each["peak_rss_kb"] for each in messages if each["event"] == "done")
        self.assertLess(small, large - (200 << 10))

    def test_a_failed_stage_ends_the_request_with_the_first_line(self) -> None:
        _, *events, done = talk(Echo(), [compile_request("bad")])
        self.assertEqual((events[-1]["status"], events[-1]["diagnostic"]), ("fail", "no kernel"))
        self.assertEqual((done["status"], done["diagnostic"]), ("fail", "no kernel"))

    def test_unsupported_differs_from_failure(self) -> None:
        self.assertEqual(talk(Echo(), [compile_request("cannot")])[-1]["status"], "unsupported")

    def test_an_exception_of_the_worker_fails_the_stage_and_not_the_worker(self) -> None:
        messages = talk(Echo(), [compile_request("bug"), compile_request("good")])
        self.assertEqual([m["status"] for m in messages if m["event"] == "done"], ["fail", "pass"])

    def test_unknown_verb_is_unsupported(self) -> None:
        done = talk(Echo(), [{"id": 1, "verb": "dance"}])[-1]
        self.assertEqual(done["status"], "unsupported")

    def test_a_cut_message_is_the_end_of_input(self) -> None:
        self.assertIsNone(read_frame(io.BytesIO(b"\x09\0\0\0{}")))
        self.assertIsNone(read_frame(io.BytesIO(b"\x09\0")))

    def test_a_message_beyond_the_limit_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            read_frame(io.BytesIO(b"\xff\xff\xff\xff"))

    def test_a_message_goes_through_a_pipe(self) -> None:
        reader, writer = os.pipe()
        write_frame(writer, {"text": "ä"})
        with os.fdopen(reader, "rb") as stream:
            self.assertEqual(json.loads(read_frame(stream) or b""), {"text": "ä"})
        os.close(writer)

    def test_signature_and_members_are_values(self) -> None:
        text = json.dumps(
            {
                "id": 1,
                "verb": "compile_batch",
                "inputs": [{"shape": [2, 3], "dtype": "bf16"}],
                "members": [{"case": "a", "file": "a.mlir"}],
            }
        )
        request = Request.parse(text.encode())
        self.assertEqual((request.inputs[0].shape, request.inputs[0].dtype), ((2, 3), "bf16"))
        self.assertEqual((request.members[0].case, request.members[0].file), ("a", Path("a.mlir")))

    def test_a_worker_without_a_parent_says_so(self) -> None:
        code = "from opbyop_worker import TargetWorker, serve; serve(TargetWorker())"
        environment = {k: v for k, v in os.environ.items() if k != "OPBYOP_REPLY_FD"}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=False, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("OPBYOP_REPLY_FD", done.stderr)


class TimingTest(unittest.TestCase):
    def test_figures(self) -> None:
        figures = timing.summarize([4.0, 1.0, 3.0, 2.0])
        self.assertEqual(figures, {"n": 4, "min_us": 1.0, "median_us": 2.5, "p95_us": 4.0})

    def test_runs_until_the_most_or_the_budget(self) -> None:
        calls: list[int] = []

        def run() -> int:
            calls.append(0)
            return len(calls)

        results, figures = timing.repeat(run, {"min": 1, "max": 5, "budget_ms": 60000})
        self.assertEqual((results, figures["n"]), ([1, 5], 4))
        self.assertNotIn("first_call", figures)
        _, figures = timing.repeat(run, {"min": 2, "max": 5, "budget_ms": 0})
        self.assertEqual(figures["n"], 2)

    def test_the_first_run_is_not_timed_and_does_not_use_the_budget(self) -> None:
        waits = iter([0.05, 0, 0])
        results, figures = timing.repeat(lambda: time.sleep(next(waits)), {"min": 1, "max": 3, "budget_ms": 40})
        self.assertEqual((len(results), figures["n"]), (2, 2))
        self.assertLess(figures["p95_us"], 50e3)

    def test_a_first_run_of_more_than_a_second_is_the_only_one(self) -> None:
        with unittest.mock.patch.object(timing, "LONG_FIRST_US", 1e3):
            _, figures = timing.repeat(lambda: time.sleep(0.002), {"min": 3, "max": 5, "budget_ms": 60000})
        self.assertEqual((figures["n"], figures["first_call"]), (1, True))

    def test_warm_up_is_not_timed(self) -> None:
        calls: list[int] = []
        results, figures = timing.repeat(lambda: calls.append(0) or len(calls), {"min": 2, "max": 2, "warmup": 3})
        self.assertEqual((len(calls), results, figures["n"]), (5, [4, 5], 2))

    def test_one_run_has_one_result(self) -> None:
        results, figures = timing.repeat(lambda: 7, {"min": 1, "max": 1})
        self.assertEqual((results, figures["first_call"]), ([7], True))

    def test_the_error_of_the_median_is_computed_from_the_order(self) -> None:
        self.assertEqual(timing.median_relative_error([1.0] * 5), float("inf"))
        self.assertEqual(timing.median_relative_error([10.0] * 99 + [1e6]), 0)
        self.assertEqual(timing.median_relative_error([9.0, 10.0, 10.0, 10.0, 10.0, 11.0]), 0.1)

    def test_the_median_of_the_timed_runs_is_a_span(self) -> None:
        spans = Spans()
        _, figures = timing.repeat(lambda: None, {"min": 3, "max": 3, "warmup": 1}, spans)
        fields = spans.fields()
        repeats, execute = (line.split() for line in fields["spans"].splitlines())
        self.assertEqual([repeats[0], execute[0]], ["repeats", "execute"])
        self.assertAlmostEqual(int(execute[3]) / 1e3, figures["median_us"])
        self.assertGreaterEqual(fields["longest_ns"] / 1e3, figures["p95_us"])


class SpansTest(unittest.TestCase):
    def test_a_span_is_on_the_shared_clock(self) -> None:
        spans = Spans()
        before = time.monotonic_ns()
        with spans.span("transfer_in", 1, 64):
            pass
        kind, *numbers = spans.fields()["spans"].split()
        self.assertEqual(numbers.pop(), "bytes=64")
        index, start, duration = map(int, numbers)
        self.assertEqual((kind, index), ("transfer_in", 1))
        self.assertGreaterEqual(start, before)
        self.assertLessEqual(start + duration, time.monotonic_ns())

    def test_of_an_even_number_of_runs_the_shorter_middle_one_is_reported(self) -> None:
        spans = Spans()
        for start, end in ((100, 130), (200, 250), (300, 320), (400, 440)):
            spans.add_run(start, end)
        fields = spans.fields()
        self.assertEqual(fields["spans"], "repeats 0 100 340\nexecute 0 100 30\n")
        self.assertEqual(fields["longest_ns"], 50)

    def test_without_a_request_there_are_no_spans(self) -> None:
        spans = Spans(False)
        with spans.span("load"):
            pass
        self.assertEqual(spans.fields(), {})


if __name__ == "__main__":
    unittest.main()
