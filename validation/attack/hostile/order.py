# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Replies that are repeated, too early, without end or in the wrong order."""

from __future__ import annotations

import itertools
import time

from validation.attack.hostile.misbehaviour import DIED, misbehaviour
from validation.attack.hostile.worker import STAGES, Request, Worker, first_stage, idle


@misbehaviour("pass", "crash", late=True)
def second_done(worker: Worker, request: Request) -> None:
    worker.good(request)
    worker.done(request)


@misbehaviour("pass", "crash", late=True)
def late_second_done(worker: Worker, request: Request) -> None:
    worker.good(request)
    time.sleep(0.05)
    worker.done(request)


@misbehaviour("pass", "crash", late=True)
def hello_again(worker: Worker, request: Request) -> None:
    worker.good(request)
    worker.hello()


@misbehaviour("crash")
def hello_for_an_answer(worker: Worker, request: Request) -> None:
    worker.hello()


@misbehaviour("fail", "crash")
def done_without_stages(worker: Worker, request: Request) -> None:
    worker.done(request)


@misbehaviour("crash")
def done_within_a_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    worker.done(request)


@misbehaviour("crash")
def end_without_begin(worker: Worker, request: Request) -> None:
    worker.end(request, first_stage(request))
    worker.good(request)


@misbehaviour(*DIED)
def nested_begin(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    worker.good(request)


@misbehaviour("crash")
def crossed_end(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    worker.end(request, "other")
    worker.good(request)


@misbehaviour(*DIED)
def undeclared_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, "nosuch")
    worker.end(request, "nosuch")
    worker.good(request)


@misbehaviour(*DIED, waits=True)
def endless_stages(worker: Worker, request: Request) -> None:
    while True:
        worker.begin(request, first_stage(request))
        worker.end(request, first_stage(request))


@misbehaviour(*DIED, waits=True)
def endless_begins(worker: Worker, request: Request) -> None:
    while True:
        worker.begin(request, first_stage(request))


@misbehaviour(*DIED, waits=True)
def slow_stages_without_end(worker: Worker, request: Request) -> None:
    while True:
        worker.begin(request, first_stage(request))
        time.sleep(0.2)
        worker.end(request, first_stage(request))


@misbehaviour(*DIED, waits=True)
def ever_new_stages(worker: Worker, request: Request) -> None:
    for number in itertools.count():
        worker.begin(request, f"{number}" + "s" * 1000)
        worker.end(request, f"{number}" + "s" * 1000)


@misbehaviour("timeout", waits=True)
def no_answer(worker: Worker, request: Request) -> None:
    idle()


@misbehaviour("timeout", waits=True)
def no_end_of_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))
    idle()


@misbehaviour("timeout", waits=True)
def no_done(worker: Worker, request: Request) -> None:
    for stage in STAGES[request["verb"]]:
        worker.begin(request, stage)
        worker.end(request, stage)
    idle()
