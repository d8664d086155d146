# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Performs scenes, some at a time, each in a process of its own that nothing of it outlives."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

from validation.attack import sandbox, traces
from validation.attack.arena import Arena
from validation.attack.attack import BROKEN, Attack, Row, Scene

ENDED = "the attack itself ended early"
FORK = multiprocessing.get_context("fork")


@dataclass
class _Performance:
    scene: Scene
    chosen: list[Attack]
    tag: str
    folder: Path
    process: multiprocessing.process.BaseProcess
    rows: Connection
    until: float
    names: set[str] = field(default_factory=set)


def _perform(scene: Scene, chosen: list[Attack], tag: str, folder: Path, rows: Connection) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    sandbox.die_with_parent()
    private = sandbox.isolate()
    if private:
        sandbox.enter_cgroup(tag)
    arena = Arena(folder, private, tag)
    try:
        for row in scene.perform(arena, chosen):
            rows.send(row)
    except Exception:
        rows.send(traceback.format_exc(limit=-3))
    finally:
        arena.close()


class Runner:
    """`perform` yields rows as they come; `jobs` scenes at a time, and as many that wait beside them."""

    def __init__(self, folder: Path, jobs: int, keep: bool) -> None:
        self._folder = folder
        self._jobs = jobs
        self._keep = keep
        self._running: dict[Connection, _Performance] = {}

    def perform(self, work: list[tuple[Scene, list[Attack]]]) -> Iterator[Row]:
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

    def _try_start(self, number: int, scene_and_chosen: tuple[Scene, list[Attack]]) -> bool:
        scene, chosen = scene_and_chosen
        if sum(other.scene.waits == scene.waits for other in self._running.values()) >= self._jobs:
            return False
        self._start(number, scene, chosen)
        return True

    def _start(self, number: int, scene: Scene, chosen: list[Attack]) -> None:
        folder = self._folder / f"{number:03}-{chosen[0].name}"
        folder.mkdir(parents=True)
        tag = f"{self._folder.name}-{number}-"
        receiver, sender = FORK.Pipe(duplex=False)
        process = FORK.Process(target=_perform, args=(scene, chosen, tag, folder, sender))
        process.start()
        sender.close()
        until = time.monotonic() + scene.limit_s
        self._running[receiver] = _Performance(scene, chosen, tag, folder, process, receiver, until)

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
        yield row

    def _end(self, performance: _Performance, why: str) -> Iterator[Row]:
        """All attacks that have no row yet are broken for this reason."""
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
                yield Row(attack.name, attack.promised, BROKEN, why)
