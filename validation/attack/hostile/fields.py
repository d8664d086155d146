# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Messages whose fields have other types, other values or excessive nesting."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from validation.attack.hostile import frames
from validation.attack.hostile.misbehaviour import DEEP, REFERENCE, TARGET, misbehaviour, too_long
from validation.attack.hostile.worker import STAGES, Request, Worker, first_stage


def done_with(name: str, *ends: str, places: tuple[str, ...] = TARGET + REFERENCE, **fields: Any) -> None:
    def act(worker: Worker, request: Request) -> None:
        for stage in STAGES[request["verb"]]:
            worker.begin(request, stage)
            worker.end(request, stage)
        worker.done(request, **(worker.work(request) | fields))

    act.__name__ = name
    misbehaviour(*ends, places=places)(act)


for word in ("great", "", "PASS"):
    done_with(f"status_{word or 'empty'}", "crash", status=word)
for word in ("missing", "flaky", "expected_fail", "unexpected_pass"):  # judgements that a worker must not make
    done_with(f"says_{word}", "crash", "fail", status=word, diagnostic="so it says")
for word in ("crash", "timeout", "out_of_memory"):  # statuses of a tool that the worker ran
    done_with(f"says_{word}", "crash", "fail", word, status=word, diagnostic="so it says", places=TARGET)
for name, value in {"list": [], "null": None, "number": 5, "map": {}}.items():
    done_with(f"status_is_{name}", "crash", status=value)
    done_with(f"event_is_{name}", "crash", event=value)
for name, value in {"float": 7.5, "text": "7", "huge": 2**70, "true": True, "null": None, "negative": -1}.items():
    done_with(f"id_is_{name}", "crash", id=value)
done_with("fails", "fail", status="fail", diagnostic="no kernel", places=TARGET)
done_with("fails_without_reason", "fail", status="fail", diagnostic="", places=TARGET)
done_with("fails_with_a_list", "fail", "crash", status="fail", diagnostic=["a", "b"], places=TARGET)
done_with("unsupported_without_reason", "unsupported", "crash", status="unsupported", places=("target.compile",))
done_with("control_characters", "fail", status="fail", diagnostic="a\x00b\x1b[31m\r\n\u2028\u202ec\x07", places=TARGET)
done_with("lone_surrogate", "fail", "crash", status="fail", diagnostic="\ud800", places=TARGET)
for name, value in {"endless": 1e308, "negative": -1, "text": "much", "null": None, "list": []}.items():
    done_with(f"rss_{name}", "pass", "crash", peak_rss_kb=value)
    done_with(f"artifact_bytes_{name}", "pass", "crash", artifact_bytes=value, places=TARGET)
for name, value in {"text": "soon", "list": [1], "huge": {"n": 1e300, "min_us": 1e308}, "none": {}}.items():
    done_with(f"timing_{name}", "pass", "crash", timing=value, places=("target.execute",))
ONLY_COMPARE = ("reference.compare",)
for name, value in {"map": {}, "text": "fine", "null": None, "none": [], "list": [[]], "number": [1]}.items():
    done_with(f"comparisons_{name}", "fail", "crash", comparisons=value, places=ONLY_COMPARE)
done_with("many_comparisons", "fail", "crash", comparisons=[{"output": 0}] * 100_000, places=ONLY_COMPARE)


def done_raw(name: str, *ends: str, field: Callable[[], bytes], places: tuple[str, ...] = TARGET + REFERENCE) -> None:
    """Defines a `done` with text that Python's JSON would not write."""

    def act(worker: Worker, request: Request) -> None:
        for stage in STAGES[request["verb"]]:
            worker.begin(request, stage)
            worker.end(request, stage)
        fields = {"id": request["id"], "event": "done", "status": "pass"} | worker.work(request)
        frames.write(frames.frame(json.dumps(fields).encode()[:-1] + b"," + field() + b"}"))

    act.__name__ = name
    misbehaviour(*ends, places=places)(act)


done_raw("deep_field", "pass", "crash", field=lambda: b'"x":' + DEEP)
done_raw("deep_comparisons", "fail", "crash", field=lambda: b'"comparisons":' + DEEP, places=ONLY_COMPARE)
done_raw("deep_timing", "pass", "crash", field=lambda: b'"timing":' + DEEP, places=("target.execute",))
done_raw("not_a_number", "pass", "crash", field=lambda: b'"peak_rss_kb":NaN')
done_raw("beyond_a_double", "pass", "crash", field=lambda: b'"peak_rss_kb":1e999')
done_raw("doubled_keys", "pass", "crash", field=lambda: b'"id":-5,"event":"stage"')
done_raw("long_unknown_field", "pass", "crash", field=lambda: b'"x":"' + too_long().encode() + b'"')


def stage_with(name: str, *ends: str, **fields: Any) -> None:
    def act(worker: Worker, request: Request) -> None:
        worker.begin(request, first_stage(request))
        worker.end(request, first_stage(request), **fields)
        worker.good(request)

    act.__name__ = name
    misbehaviour(*ends)(act)


for name, value in {"number": 5, "list": [], "null": None}.items():
    stage_with(f"stage_is_{name}", "crash", stage=value)
    stage_with(f"state_is_{name}", "crash", state=value)
    stage_with(f"stage_status_is_{name}", "crash", status=value)
