# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The place of one attack: a folder, a tag that all its processes carry, and the state of the machine before and after.

arena = Arena(folder, private=isolate())
program = arena.start("conformance", "--manifest=...")
seen = program.wait(limit_s=60)
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from fixtures.programs import BIN, ROOT
from validation.attack import results, sandbox, traces
from validation.attack.judge import Seen

GRACE_S = 5.0  # after a run's end, until the processes that it started have ended
TICK_S = 0.01


class Broken(Exception):
    """A promise that does not hold; the text says what was seen."""


class NotTried(Exception):
    """An attack that this machine does not allow; the text says why."""


class Arena:
    def __init__(self, folder: Path, private: bool, tag: str = "") -> None:
        self.folder = folder
        self.private = private  # whether /dev/shm is its own, and it may mount
        self.tag = f"{tag}{uuid.uuid4()}"
        self.tmp = self.make("tmp")
        self.markers = self.make("markers")
        self.before = traces.Files.now([self.tmp, Path("/dev/shm")], private)
        self._logs = 0

    def inner(self, name: str) -> Arena:
        """A separate arena within this one."""
        return Arena(self.folder / name, self.private, f"{self.tag}-")

    def make(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def environment(self, added: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPBYOP_", "GTEST_"))}
        own = {
            traces.TAG: self.tag,
            "TMPDIR": str(self.tmp),
            "HOSTILE_MARKERS": str(self.markers),
            "MOCK_MARKERS": str(self.markers),
            "PATH": f"{BIN}:{os.environ.get('PATH', '')}",
        }
        return kept | own | (added or {})

    def start(
        self,
        program: str,
        *arguments: object,
        cwd: Path = ROOT,
        environment: Mapping[str, str] | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> Program:
        """`program` is one of build/bin or found in PATH; `prepare` is called in the new process."""
        self._logs += 1
        argv = [str(BIN / program) if (BIN / program).exists() else program, *map(str, arguments)]
        return Program(self, argv, cwd, self.environment(environment), self.make(f"logs/{self._logs}"), prepare)

    def run(self, program: str, *arguments: object, limit_s: float = 60, **options: object) -> Seen:
        return self.start(program, *arguments, **options).wait(limit_s)

    def expect(self, held: bool, what: str) -> None:
        if not held:
            raise Broken(what)

    def keep_sample(self, name: str, data: bytes) -> Path:
        """Stores a file that is kept after the attack, for debugging."""
        path = ROOT / "out/attack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def close(self) -> None:
        traces.kill_all(self.tag)


class Program:
    """A started program. Its output goes to files, because processes that it leaves behind would keep a pipe open."""

    def __init__(
        self,
        arena: Arena,
        argv: list[str],
        cwd: Path,
        environment: Mapping[str, str],
        logs: Path,
        prepare: Callable[[], None] | None,
    ) -> None:
        self.arena = arena
        self.logs = logs
        self.peak_kb = 0
        with (logs / "out").open("wb") as out, (logs / "err").open("wb") as err:
            self.process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=lambda: _enter(prepare),  # noqa: PLW1509 - no threads here
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def alive(self) -> bool:
        self.peak_kb = max(self.peak_kb, traces.peak_kb(self.pid))
        return self.process.poll() is None

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.process.poll() is None:
            os.kill(self.pid, number)

    def until(self, condition: Callable[[], bool], limit_s: float = 60) -> bool:
        """Waits for the condition; False if the program ended or the time was over first."""
        end = time.monotonic() + limit_s
        while not condition():
            if not self.alive() or time.monotonic() > end:
                return condition()
            time.sleep(TICK_S)
        return True

    def workers(self) -> list[traces.Process]:
        """All processes with the arena's tag, except the program itself."""
        return traces.processes(self.arena.tag, but=[self.pid])

    def wait(self, limit_s: float = 60, out: Path | None = None, settle: bool = True) -> Seen:
        """Waits for its end, and for the end of all that it started. `out` is the folder of its results."""
        end = time.monotonic() + limit_s
        while self.alive() and time.monotonic() < end:
            time.sleep(TICK_S)
        code = self.process.poll()
        if code is None:
            traces.kill_all(self.arena.tag)
            self.process.wait()
        seen = Seen(code, self.text("out"), self.text("err"), self.peak_kb)
        if settle:
            seen.processes = traces.wait_for_end(self.arena.tag, GRACE_S)
            traces.kill_all(self.arena.tag)
            seen.files = self.arena.before.left() if code is not None else []
        if out is not None:
            seen.results = results.read(out / "results.jsonl")
        return seen

    def text(self, name: str) -> str:
        with (self.logs / name).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - (1 << 20)))
            return file.read().decode(errors="replace")


def _enter(prepare: Callable[[], None] | None) -> None:
    sandbox.die_with_parent()
    if prepare is not None:
        prepare()


def limit_files(size: int) -> Callable[[], None]:
    """For `prepare`: limits files to `size` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
