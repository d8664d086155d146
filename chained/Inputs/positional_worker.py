#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A worker of opbyop-worker/1 as its text was before spans had fields with names. It uses nothing of opbyop, writes
spans without names, and ends if a request has a field that the text did not have."""

import json
import os
import shutil
import struct
import sys
import time

FIELDS = {
    "compile": {"save_intermediates", "keep", "after", "until", "verbatim", "artifact"},
    "execute": {"repeat", "spans", "host_clock", "artifact", "next"},
}
OF_EVERY_REQUEST = {"id", "verb", "case", "dir", "file", "op", "inputs", "outputs", "policy", "policy_file", "seed"}
OF_EVERY_REQUEST |= {"input_ranges", "target", "arithmetic"}

replies = int(os.environ["OPBYOP_REPLY_FD"])


def say(**message):
    body = json.dumps(message).encode()
    os.write(replies, struct.pack("<I", len(body)) + body)


def stage(request, name):
    say(id=request["id"], event="stage", stage=name, state="begin", ns=time.monotonic_ns())
    say(id=request["id"], event="stage", stage=name, state="end", status="pass", ms=0.1)


say(event="hello", protocol="opbyop-worker/1", role="target", name="positional", version="positional 1")
while head := sys.stdin.buffer.read(4):
    request = json.loads(sys.stdin.buffer.read(struct.unpack("<I", head)[0]))
    unknown = set(request) - OF_EVERY_REQUEST - FIELDS[request["verb"]]
    if unknown:
        sys.exit(f"fatal error: a request with {', '.join(sorted(unknown))}")
    if request["verb"] == "compile":
        for name in ("parse", "lower"):
            stage(request, name)
        say(id=request["id"], event="done", status="pass", artifact_bytes=16, kept=request.get("keep", False))
        continue
    for name in ("load", "execute"):
        stage(request, name)
    shutil.copyfile(f"{request['dir']}/input_0.npy", f"{request['dir']}/output_0.npy")
    timing = {"n": 3, "min_us": 0.8, "median_us": 0.9, "p95_us": 1, "clock": "device"}
    lines = [
        "transfer_in 0 1000 50 16",
        "load 0 1060 10",
        "repeats 0 1100 2900 0 device 40",
        "execute 1 2000 900 0 device 40",
        "transfer_out 0 4100 50 16",
    ]
    spans = "".join(line + "\n" for line in lines) if request.get("spans") else ""
    say(id=request["id"], event="done", status="pass", artifact_bytes=16, timing=timing, spans=spans, longest_ns=1000)
