# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests worker-protocol.schema.json with the examples of the C++ readers' tests, and with the messages that a Python
worker writes and reads."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import jsonschema

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "device/python"))

from opbyop_worker import Request, StageError, Stages, TargetWorker  # noqa: E402
from opbyop_worker.protocol import Fields, read_frame, serve_on  # noqa: E402
from opbyop_worker.spans import Spans, line_of  # noqa: E402

SCHEMA = json.loads((HERE / "worker-protocol.schema.json").read_text())
REQUESTS = [json.loads(line) for line in (HERE / "Inputs/requests.jsonl").read_text().splitlines()]
SPANS = [json.loads(line) for line in (HERE / "Inputs/spans.jsonl").read_text().splitlines()]
EXAMPLES = [json.loads(line) for line in (HERE / "Inputs/messages.jsonl").read_text().splitlines()]


def validator(definition: str) -> jsonschema.protocols.Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})


class Chip(TargetWorker):
    name = "chip"
    version = "chip 1"
    cores = 2

    def compile(self, request: Request, stages: Stages) -> Fields:
        with stages.stage("parse"):
            if request.case == "bad":
                raise StageError("no kernel", "unsupported")
        return {"artifact_bytes": 3, "kept": request.keep, **request.save(b"ELF")}

    def execute(self, request: Request, stages: Stages) -> Fields:
        spans = Spans(request.spans)
        with stages.stage("load"), spans.span("load", 0, 3):
            pass
        timing = {"n": 1, "min_us": 1.0, "median_us": 1.0, "p95_us": 1.0}
        return {"timing": timing, "loaded": request.artifact is not None, **spans.fields()}


def talk(requests: list[Fields]) -> list[Any]:
    reader, writer = os.pipe()
    bodies = [json.dumps(each).encode() for each in requests]
    serve_on(Chip(), io.BytesIO(b"".join(struct.pack("<I", len(body)) + body for body in bodies)), writer)
    os.close(writer)
    messages = []
    with os.fdopen(reader, "rb") as stream:
        while (each := read_frame(stream)) is not None:
            messages.append(json.loads(each))
    return messages


class SchemaTest(unittest.TestCase):
    def test_it_is_a_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_it_tells_the_examples_apart(self) -> None:
        for example in EXAMPLES:
            kind = example["is"]
            with self.subTest(example["what"]):
                valid = validator(kind.split()[-1]).is_valid(example["message"])
                self.assertEqual(valid, not kind.startswith("no "))

    def test_a_request_with_every_field_has_every_property(self) -> None:
        properties = set(SCHEMA["$defs"]["request"]["properties"])
        self.assertEqual(set(EXAMPLES[0]["message"]), properties)

    def test_a_worker_in_python_reads_every_request(self) -> None:
        for example in EXAMPLES:
            if example["is"] == "request":
                request = Request.parse(json.dumps(example["message"]).encode())
                self.assertEqual(request.raw, example["message"])

    def test_the_golden_requests_are_of_the_protocol_and_a_worker_in_python_reads_them(self) -> None:
        for message in REQUESTS:
            with self.subTest(message["verb"]):
                validator("request").validate(message)
                self.assertEqual(Request.parse(json.dumps(message).encode()).raw, message)

    def test_a_worker_in_python_has_the_target_fields_as_values(self) -> None:
        message = EXAMPLES[0]["message"]
        request = Request.parse(json.dumps(message).encode())
        for field in dataclasses.fields(request):
            if field.name in ("keep", "until", "spans", "repeat", "save_intermediates"):
                self.assertEqual(getattr(request, field.name), message[field.name])
        self.assertEqual(str(request.artifact), message["artifact"])

    def test_a_worker_in_python_writes_each_span_as_the_vectors_say(self) -> None:
        written = [vector for vector in SPANS if vector["is"] == "written"]
        self.assertTrue(written)
        for vector in written:
            with self.subTest(vector["line"]):
                span = dict(vector["span"])
                span["nbytes"] = span.pop("bytes", 0)
                self.assertEqual(line_of(**span), vector["line"] + "\n")

    def test_what_a_worker_in_python_says_is_of_the_protocol(self) -> None:
        base = {"file": "case.mlir", "dir": "/nowhere"}
        requests = [
            {"id": 1, "verb": "compile", "case": "good", "keep": True, **base},
            {"id": 2, "verb": "compile", "case": "bad", **base},
            {"id": 3, "verb": "execute", "case": "good", "spans": True, **base},
            {"id": 4, "verb": "dance", **base},
        ]
        with tempfile.TemporaryDirectory() as folder:
            saved = {"case": "good", "artifact": f"{folder}/good.bin", **base}
            requests += [{"id": 5, "verb": "compile", **saved}, {"id": 6, "verb": "execute", **saved}]
            replies = talk(requests)
        ends = [reply["status"] for reply in replies if reply["event"] == "done"]
        self.assertEqual(ends, ["pass", "unsupported", "pass", "unsupported", "pass", "pass"])
        for reply in replies:
            validator("reply").validate(reply)


if __name__ == "__main__":
    unittest.main()
