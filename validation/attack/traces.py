# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Traces that a run can leave on a machine: processes, files, shared memory, cgroups.

    before = traces.Files.now([tmp, Path("/dev/shm")], private=True)
    ...
    before.left()             # ["/dev/shm/opbyop-0-x1"]
    traces.processes(tag)     # [Process(pid=7, command="sleep 100")]

A process belongs to a run if the run's tag is in its environment or its command line.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from validation.attack import sandbox

TAG = "OPBYOP_ATTACK_ID"
IPC = ("shm", "sem", "msg")
LOOKS = 3
CLOSED_S = 20


@dataclass(frozen=True)
class Process:
    pid: int
    command: str


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _is_zombie(pid: int) -> bool:
    return b") Z " in _read(Path(f"/proc/{pid}/stat"))


def processes(tag: str, but: Iterable[int] = ()) -> list[Process]:
    """The living processes of `tag`, without the calling process and those in `but`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in {os.getpid(), *but}:
            continue
        command = _read(entry / "cmdline")
        if tag.encode() not in _read(entry / "environ") and tag.encode() not in command:
            continue
        if not _is_zombie(int(entry.name)):
            text = command.replace(b"\0", b" ").decode(errors="replace").strip()
            found.append(Process(int(entry.name), text or _read(entry / "comm").decode().strip()))
    return found


def wait_for_end(tag: str, seconds: float) -> list[Process]:
    """The processes that are still there after at most so many seconds.

    One look is not enough: a process has no environment while it starts another program.
    """
    until = time.monotonic() + seconds
    empty = 0
    while empty < LOOKS:
        left = processes(tag)
        empty = 0 if left else empty + 1
        if left and time.monotonic() > until:
            return left
        time.sleep(0.02)
    return []


def kill(found: Iterable[Process]) -> None:
    for process in found:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def kill_all(tag: str) -> None:
    """Kills them, including those that start others while they die."""
    for _ in range(200):
        kill(processes(tag))
        if not wait_for_end(tag, 0):
            return


def peak_kb(pid: int) -> int:
    """The most memory that a process ever had resident; 0 if it has ended."""
    for line in _read(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1])
    return 0


def _is_held(folder: Path) -> bool:
    """Whether a living run holds the lock of its scratch folder."""
    try:
        with (folder / "lock").open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _ipc() -> set[str]:
    return {
        f"SysV {kind} {line.split()[1].decode()}"
        for kind in IPC
        for line in _read(Path(f"/proc/sysvipc/{kind}")).splitlines()[1:]
    }


def _cgroups() -> set[str]:
    root = sandbox.cgroup_root()
    # Without the cgroups of other attacks, which are named by their tags.
    return {str(path) for path in root.rglob(f"opbyop-{os.getuid()}-*/")} if root is not None else set()


@dataclass(frozen=True)
class Files:
    """The content of some folders, of SysV IPC and of this project's cgroups at a moment.

    `private`: IPC and cgroups are the caller's own, and count.
    """

    folders: tuple[Path, ...]
    private: bool
    names: frozenset[str]

    @staticmethod
    def now(folders: Iterable[Path], private: bool) -> Files:
        folders = tuple(folders)
        return Files(folders, private, frozenset(Files._names(folders, private)))

    @staticmethod
    def _names(folders: Iterable[Path], private: bool) -> set[str]:
        files = {str(path) for folder in folders for path in folder.iterdir()}
        return files | _ipc() | _cgroups() if private else files

    def left(self) -> list[str]:
        """Traces that are new and do not belong to a living run.

        The lock of a folder that a worker has closed cannot be read. In a folder that is not private it may be the
        folder of another attack at this time, which opens and removes it soon.
        """
        closed = time.monotonic() + CLOSED_S
        while True:
            new = self._names(self.folders, self.private) - self.names
            left = sorted(name for name in new if not _is_held(Path(name)))
            if not left or self.private or time.monotonic() > closed:
                return left
            time.sleep(0.5)
