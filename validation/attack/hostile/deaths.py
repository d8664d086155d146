# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Workers that die, stop, close their pipes or leave other processes behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable

from validation.attack.hostile import frames
from validation.attack.hostile.misbehaviour import TARGET, misbehaviour
from validation.attack.hostile.worker import Request, Worker, first_stage

KEEPS_LIVING_S = 120  # no process outlives a test run by much more


def in_first_stage(worker: Worker, request: Request) -> None:
    worker.begin(request, first_stage(request))


def dies_of(name: str, act: Callable[[], None]) -> None:
    def die(worker: Worker, request: Request) -> None:
        in_first_stage(worker, request)
        act()

    die.__name__ = name
    misbehaviour("crash")(die)


def raise_default(number: int) -> None:
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    time.sleep(KEEPS_LIVING_S)


dies_of("exits_with_0", lambda: os._exit(0))
dies_of("exits_with_255", lambda: os._exit(255))
for word in ("SEGV", "ABRT", "BUS", "FPE", "ILL", "TERM", "PIPE", "TRAP"):
    dies_of(f"dies_of_sig{word.lower()}", lambda number=signal.Signals[f"SIG{word}"]: raise_default(number))
dies_of("kills_itself", lambda: os.kill(os.getpid(), signal.SIGKILL))
dies_of("kills_its_group", lambda: os.killpg(0, signal.SIGKILL))


@misbehaviour("crash")
def exits_before_any_stage(worker: Worker, request: Request) -> None:
    os._exit(3)


@misbehaviour("pass", "crash")
def exits_after_its_answer(worker: Worker, request: Request) -> None:
    worker.good(request)
    os._exit(0)


@misbehaviour("pass", "crash", late=True)
def dies_soon_after_its_answer(worker: Worker, request: Request) -> None:
    worker.good(request)
    time.sleep(0.03)
    os.kill(os.getpid(), signal.SIGSEGV)


@misbehaviour("pass", places=())
def slow(worker: Worker, request: Request) -> None:
    time.sleep(0.4)
    worker.good(request)


@misbehaviour("crash", "timeout", waits=True)
def stops_itself(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    os.kill(os.getpid(), signal.SIGSTOP)


@misbehaviour("timeout", waits=True)
def deaf(worker: Worker, request: Request) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    in_first_stage(worker, request)
    time.sleep(KEEPS_LIVING_S)


@misbehaviour("pass", "crash")
def closes_its_requests(worker: Worker, request: Request) -> None:
    os.close(0)
    worker.good(request)
    time.sleep(KEEPS_LIVING_S)


@misbehaviour("crash", "timeout")
def closes_its_replies(worker: Worker, request: Request) -> None:
    os.close(frames.REPLIES)
    time.sleep(KEEPS_LIVING_S)


@misbehaviour("pass")
def closes_its_log(worker: Worker, request: Request) -> None:
    os.closerange(1, 3)  # already closed if a case has several sets of inputs
    worker.good(request)


# --- processes left behind


def leave(new_session: bool, times: int = 1, act: Callable[[], None] = lambda: None) -> None:
    for _ in range(times):
        if os.fork() == 0:
            if new_session:
                os.setsid()
                if os.fork():
                    os._exit(0)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            act()
            time.sleep(KEEPS_LIVING_S)
            os._exit(0)


@misbehaviour("pass")
def leaves_a_child(worker: Worker, request: Request) -> None:
    leave(new_session=False)
    worker.good(request)


@misbehaviour("pass")
def leaves_a_daemon(worker: Worker, request: Request) -> None:
    leave(new_session=True)
    worker.good(request)


@misbehaviour("crash")
def leaves_a_daemon_and_dies(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    leave(new_session=True)
    os.kill(os.getpid(), signal.SIGSEGV)


@misbehaviour("crash", "out_of_memory")
def leaves_thirty_daemons_and_dies(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    leave(new_session=True, times=30)
    os._exit(1)


@misbehaviour("crash")
def leaves_a_stopped_daemon_and_dies(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    leave(new_session=True, act=lambda: os.kill(os.getpid(), signal.SIGSTOP))
    os._exit(1)


@misbehaviour("crash")
def leaves_a_daemon_without_environment(worker: Worker, request: Request) -> None:
    tag = os.environ["OPBYOP_ATTACK_ID"]
    in_first_stage(worker, request)
    program = "import time; time.sleep(120)"
    leave(new_session=True, act=lambda: os.execve(sys.executable, [sys.executable, "-S", "-c", program, tag], {}))
    os._exit(1)


@misbehaviour("crash", "pass")
def leaves_one_that_forks_without_end(worker: Worker, request: Request) -> None:
    """Each generation starts the next and ends, so the id to kill changes at every moment."""

    def generations() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if os.fork():
                os._exit(0)
            time.sleep(0.002)
        os._exit(0)

    leave(new_session=True, act=generations)
    worker.good(request)


@misbehaviour("pass", "crash", late=True)
def leaves_a_child_that_answers(worker: Worker, request: Request) -> None:
    def answer() -> None:
        for _ in range(20):
            time.sleep(0.02)
            worker.done(request)

    leave(new_session=True, act=answer)
    worker.good(request)


@misbehaviour("crash", "timeout")
def dies_while_a_child_holds_its_pipes(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    leave(new_session=False)
    os._exit(1)


# --- logs


@misbehaviour("pass")
def floods_its_log(worker: Worker, request: Request) -> None:
    line = b"y" * 65535 + b"\n"
    with contextlib.suppress(OSError):  # a case of the same batch may have closed it
        for _ in range(3000):
            os.write(1, line)
    worker.good(request)


@misbehaviour("crash", places=TARGET)
def dies_after_a_line_without_end(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    for _ in range(800):
        os.write(2, b"z" * 65536)
    os._exit(1)


@misbehaviour("crash", places=TARGET)
def dies_after_binary_log(worker: Worker, request: Request) -> None:
    in_first_stage(worker, request)
    os.write(2, bytes(range(256)) * 64 + b"\nerror: \xff\xfe\x00\x1b]0;title\x07\n")
    os._exit(1)
