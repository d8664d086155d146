# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Texts of 15 MB in fields for a word."""

from __future__ import annotations

from collections.abc import Callable

from validation.attack.hostile import frames
from validation.attack.hostile.misbehaviour import DIED, TARGET, misbehaviour, too_long
from validation.attack.hostile.worker import Request, Worker, first_stage, idle


def long_text(name: str, *ends: str, act: Callable[[Worker, Request], None]) -> None:
    act.__name__ = name
    misbehaviour(*ends, places=TARGET, marked=True)(act)


def long_reason(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    worker.end(request, first_stage(request), status="fail", diagnostic="short")
    worker.done(request, status="fail", diagnostic=too_long())


def long_reason_of_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    worker.end(request, first_stage(request), status="fail", diagnostic=too_long())
    worker.done(request, status="fail")


def long_stage_name(worker: Worker, request: Request) -> None:
    worker.begin(request, too_long())
    worker.end(request, too_long())
    worker.good(request)


def death_in_a_long_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, too_long())
    raise SystemExit(3)


def long_event(worker: Worker, request: Request) -> None:
    frames.send({"id": request["id"], "event": too_long()})
    idle()


def long_status(worker: Worker, request: Request) -> None:
    worker.done(request, status=too_long())


long_text("long_reason", "fail", "crash", act=long_reason)
long_text("long_reason_of_stage", "fail", "crash", act=long_reason_of_stage)
long_text("long_stage_name", *DIED, act=long_stage_name)
long_text("death_in_a_long_stage", *DIED, act=death_in_a_long_stage)
long_text("long_event", "crash", act=long_event)
long_text("long_status", "crash", act=long_status)
