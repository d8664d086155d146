# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Workers whose case passes, but which leave a process or a changed worker that affects later cases."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from validation.attack.hostile import frames
from validation.attack.hostile.deaths import KEEPS_LIVING_S, in_first_stage, leave
from validation.attack.hostile.misbehaviour import misbehaviour
from validation.attack.hostile.worker import STAGES, Request, Worker

SOON_S = 0.03  # after the answer, which has been written by then


def steal() -> None:
    """Takes all requests of the worker from now on."""
    while os.read(0, 4096):
        pass


def talk() -> None:
    time.sleep(SOON_S)
    frames.write(b"\x08\x00\x00\x00garbage!" * 3)


def signal_worker(number: signal.Signals) -> Callable[[int], None]:
    def act(worker: int) -> None:
        time.sleep(SOON_S)
        os.kill(worker, number)

    return act


def spin() -> None:
    until = time.monotonic() + KEEPS_LIVING_S
    while time.monotonic() < until:
        pass


def eat() -> None:
    time.sleep(SOON_S)
    eaten = []
    for _ in range(64):
        eaten.append(b"x" * (64 << 20))
        time.sleep(0.005)


def leaves_one_that(name: str, act: Callable[[], None], new_session: bool) -> None:
    def leave_it(worker: Worker, request: Request) -> None:
        leave(new_session=new_session, act=act)
        worker.good(request)

    leave_it.__name__ = f"leaves_{'a_daemon' if new_session else 'a_child'}_that_{name}"
    misbehaviour("pass", "crash")(leave_it)


for word, what in {"steals_requests": steal, "talks": talk, "spins": spin, "eats_memory": eat}.items():
    leaves_one_that(word, what, new_session=False)
    leaves_one_that(word, what, new_session=True)


def leaves_one_that_sends(number: signal.Signals) -> None:
    def leave_it(worker: Worker, request: Request) -> None:
        own = os.getpid()
        leave(new_session=True, act=lambda: signal_worker(number)(own))
        worker.good(request)

    leave_it.__name__ = f"leaves_a_daemon_that_sends_{number.name.lower()}"
    misbehaviour("pass", "crash")(leave_it)


for each in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):
    leaves_one_that_sends(each)

# --- effects that cannot be seen in the list of processes


@misbehaviour("pass", places=())
def spoils(worker: Worker, request: Request) -> None:
    worker.spoiled = True
    worker.good(request)


@misbehaviour("pass", places=())
def dies_if_spoiled(worker: Worker, request: Request) -> None:
    if worker.spoiled:
        in_first_stage(worker, request)
        os.kill(os.getpid(), signal.SIGSEGV)
    worker.good(request)


@misbehaviour("pass", places=())
def is_wrong_if_spoiled(worker: Worker, request: Request) -> None:
    for stage in STAGES[request["verb"]]:
        worker.begin(request, stage)
        worker.end(request, stage)
    fields = worker.work(request)
    if worker.spoiled:
        output = Path(request["dir"]) / "output_0.npy"
        output.write_bytes(output.read_bytes()[:-1] + b"\x7f")
    worker.done(request, **fields)


@misbehaviour("pass", places=())
def changes_its_directory(worker: Worker, request: Request) -> None:
    os.chdir("/proc/self")
    worker.good(request)


@misbehaviour("pass", places=())
def needs_its_directory(worker: Worker, request: Request) -> None:
    if Path.cwd().name.isdigit():
        in_first_stage(worker, request)
        os._exit(1)
    worker.good(request)


@misbehaviour("crash", places=())
def is_rebuilt(worker: Worker, request: Request) -> None:
    """The compiler is rebuilt while the worker runs, and the worker dies: the next worker is another version."""
    (Path(os.environ["HOSTILE_MARKERS"]) / "version").write_text("2.0")
    in_first_stage(worker, request)
    os.kill(os.getpid(), signal.SIGSEGV)


@misbehaviour("pass", places=())
def installs_another_tool(worker: Worker, request: Request) -> None:
    (Path(os.environ["HOSTILE_MARKERS"]) / "version").write_text("2.0")
    worker.good(request)
