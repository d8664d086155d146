# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Performs several scenes at a time, each in a separate process; no process of it outlives the scene."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path

from fixtures.programs import BIN, ROOT
from validation.attack import sandbox, traces
from validation.attack.arena import Arena, NotTried
from validation.attack.attack import BROKEN, NOT_TRIED, Attack, Row, Scene

ENDED = "the attack itself ended early"
FORK = multiprocessing.get_context("fork")

Work = tuple[Scene, list[Attack], int | None]  # with the user who performs it; None: the user who started this


@dataclass
class _Performance:
    scene: Scene
    chosen: list[Attack]
    user: int | None  # None: the user who started the attacks
    tag: str
    folder: Path
    process: multiprocessing.process.BaseProcess
    rows: Connection
    until: float
    names: set[str] = field(default_factory=set)


def _become(user: int, private: bool, folder: Path) -> None:
    """Becomes an ordinary user with a separate folder, who can read this project and its Python."""
    home = folder / "home"
    home.mkdir()
    for path in (folder, home):
        os.chown(path, user, user)
    if private:
        sandbox.make_reachable({folder, ROOT, BIN, Path(sys.prefix), Path(sys.base_prefix)})
    sandbox.become(user, may_mount=private)
    os.environ["HOME"] = str(home)
    for program in (BIN / "conformance", Path(sys.executable)):
        if not os.access(program, os.X_OK):
            raise NotTried(f"another user than its owner may not execute {program}")


def _perform(scene: Scene, chosen: list[Attack], user: int | None, tag: str, folder: Path, rows: Connection) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    sandbox.die_with_parent()
    private = sandbox.isolate()
    if private:
        sandbox.enter_cgroup(tag)
    try:
        if user is not None:
            _become(user, private, folder)
    except (NotTried, OSError) as reason:
        for attack in chosen:
            rows.send(Row(attack.name, attack.promised, NOT_TRIED, str(reason)))
        return
    arena = Arena(folder, private, tag)
    try:
        for row in scene.perform(arena, chosen):
            rows.send(row)
    except Exception:
        rows.send(traceback.format_exc(limit=-3))
    finally:
        arena.close()


def _named(row: Row, user: int | None) -> Row:
    return row if user is None else replace(row, name=f"{row.name} as user")


class Runner:
    """`perform` yields rows as they come. It runs `jobs` scenes at a time, and as many more that only wait.

    The name of an attack that is performed as another user says so.
    """

    def __init__(self, folder: Path, jobs: int, keep: bool) -> None:
        self._folder = folder
        self._jobs = jobs
        self._keep = keep
        self._running: dict[Connection, _Performance] = {}

    def perform(self, work: list[Work]) -> Iterator[Row]:
        todo = list(enumerate(work))
        try:
            while todo or self._running:
                todo = [entry for entry in todo if not self._try_start(*entry)]
                for ready in wait(list(self._running), timeout=1):
                    yield from self._take(ready)
                for performance in list(self._running.values()):
                    if time.monotonic() > performance.until:
                        yield from self._end(performance, f"no end within {performance.scene.limit_s:g} s")
        finally:
            for performance in list(self._running.values()):
                list(self._end(performance, "interrupted"))

    def _try_start(self, number: int, work: Work) -> bool:
        scene = work[0]
        if sum(other.scene.waits == scene.waits for other in self._running.values()) >= self._jobs:
            return False
        self._start(number, *work)
        return True

    def _start(self, number: int, scene: Scene, chosen: list[Attack], user: int | None) -> None:
        folder = self._folder / f"{number:03}-{chosen[0].name}"
        folder.mkdir(parents=True)
        tag = f"{self._folder.name}-{number}-"
        receiver, sender = FORK.Pipe(duplex=False)
        process = FORK.Process(target=_perform, args=(scene, chosen, user, tag, folder, sender))
        process.start()
        sender.close()
        until = time.monotonic() + scene.limit_s
        self._running[receiver] = _Performance(scene, chosen, user, tag, folder, process, receiver, until)

    def _take(self, ready: Connection) -> Iterator[Row]:
        performance = self._running[ready]
        try:
            row = ready.recv()
        except EOFError:
            yield from self._end(performance, ENDED)
            return
        if isinstance(row, str):
            yield from self._end(performance, row.strip().replace("\n", " | "))
            return
        performance.names.add(row.name)
        yield _named(row, performance.user)

    def _end(self, performance: _Performance, why: str) -> Iterator[Row]:
        """Marks all attacks without a row as broken for this reason."""
        del self._running[performance.rows]
        performance.process.join(10 if why == ENDED else 0)
        performance.process.kill()
        performance.process.join()
        traces.kill_all(performance.tag)
        sandbox.end_cgroup(performance.tag)
        if not self._keep:
            shutil.rmtree(performance.folder, ignore_errors=True)
        for attack in performance.chosen:
            if attack.name not in performance.names:
                yield _named(Row(attack.name, attack.promised, BROKEN, why), performance.user)
