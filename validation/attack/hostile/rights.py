# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Workers that use rights which every user has over their own files and processes: changing modes, setting limits.

Workers that only try something report in their answer what was possible.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from validation.attack.hostile.misbehaviour import misbehaviour
from validation.attack.hostile.worker import STAGES, Request, Worker, first_stage, idle

MEGABYTE = 1 << 20
REFUSED = {errno.EPERM, errno.EACCES, errno.EROFS, errno.ESRCH, errno.ENOENT, errno.ENOSYS, errno.EOPNOTSUPP}
_LIBC = ctypes.CDLL(None, use_errno=True)
_SET_FLAGS, _IMMUTABLE = 0x40086602, 0x10
_IOPRIO_SET, _PIDFD_GETFD, _PTRACE_SEIZE, _PTRACE_DETACH, _IDLE = 251, 438, 0x4206, 17, 3 << 13


def slot_of(request: Request) -> Path:
    return Path(request["dir"]).parent


def temporary() -> Path:
    return Path(os.environ["TMPDIR"])


def roots(request: Request) -> list[Path]:
    """The scratch folders of this run, in memory and on the disk."""
    return [slot_of(request).parent, temporary().parents[1]]


def passing(act: Callable[[Worker, Request], None], name: str) -> None:
    """Defines a worker that does this first, and then its work: no other case may be affected."""

    def acts(worker: Worker, request: Request) -> None:
        with contextlib.suppress(OSError):
            act(worker, request)
        worker.good(request)

    acts.__name__ = name
    misbehaviour("pass", "fail", "crash", places=())(acts)


# --- modes

MODES = {"closed": 0, "without_writing": 0o555, "without_entering": 0o644}


def closes(name: str, paths: Callable[[Request], list[Path]]) -> None:
    for word, mode in MODES.items():

        def close(worker: Worker, request: Request, mode: int = mode) -> None:
            for path in paths(request):
                with contextlib.suppress(OSError):
                    path.chmod(mode)

        passing(close, f"makes_{name}_{word}")


closes("its_slot", lambda request: [slot_of(request), temporary().parent])
closes("its_temporary_folder", lambda request: [temporary()])
closes("its_case", lambda request: [Path(request["dir"])])
closes("the_scratch", roots)
closes("other_slots", lambda request: [slot for root in roots(request) for slot in root.glob("slot-*")])
closes("the_cases", lambda request: [*map(Path, worker_files(request)), *(p.parent for p in worker_files(request))])


def worker_files(request: Request) -> list[Path]:
    """The case files that a request names."""
    named = [request.get("file", ""), *(member["file"] for member in request.get("members", []))]
    return [Path(name) for name in named if name]


def close_the_results(worker: Worker, request: Request) -> None:
    for file in worker_files(request):
        for path in (*file.parents[1].glob("out/*"), file.parents[1] / "out", file.parents[1] / "target"):
            with contextlib.suppress(OSError):
                path.chmod(0)


passing(close_the_results, "makes_the_results_closed")


def close_all_that_is_made(worker: Worker, request: Request) -> None:
    """Sets a default access list that denies everybody every right to new files in these folders."""
    nobody = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", who, 0, 0xFFFFFFFF) for who in (1, 4, 32))
    for folder in (slot_of(request), temporary().parent, temporary()):
        with contextlib.suppress(OSError):
            os.setxattr(folder, "system.posix_acl_default", nobody)


passing(close_all_that_is_made, "closes_all_that_is_made")


def leave_a_cache(worker: Worker, request: Request) -> None:
    """Leaves a folder whose content cannot be removed before its modes are changed, as build caches do."""
    module = Path(request["dir"]) / "cache/module"
    module.mkdir(parents=True)
    (module / "large").write_bytes(bytes(4 * MEGABYTE))
    (module / "large").chmod(0o444)
    for folder, mode in ((module, 0o555), (module.parent, 0)):
        folder.chmod(mode)


passing(leave_a_cache, "leaves_a_cache")


@misbehaviour("timeout", places=(), waits=True)
def closes_all_and_waits(worker: Worker, request: Request) -> None:
    leave_a_cache(worker, request)
    for path in (*(root / "lock" for root in roots(request)), slot_of(request), temporary().parent, *roots(request)):
        with contextlib.suppress(OSError):
            path.chmod(0)
    worker.begin(request, first_stage(request))
    idle()


def make_immutable(worker: Worker, request: Request) -> None:
    path = Path(request["dir"]) / "for_ever"
    path.touch()
    for target in (path, slot_of(request), temporary()):
        fd = os.open(target, os.O_RDONLY)
        with contextlib.suppress(OSError):
            fcntl.ioctl(fd, _SET_FLAGS, struct.pack("L", _IMMUTABLE))
        os.close(fd)


passing(make_immutable, "makes_immutable")

# --- files in the slot's folder


def replace_its_temporary_folder(worker: Worker, request: Request) -> None:
    path = temporary()
    for entry in path.iterdir():
        entry.unlink()
    path.rmdir()
    path.write_text("a file in its place")


passing(replace_its_temporary_folder, "replaces_its_temporary_folder")


def occupy_the_next_folders(worker: Worker, request: Request) -> None:
    """The name of a case's folder consists of a number and the case."""
    slot = slot_of(request)
    first = int(Path(request["dir"]).name.split("-")[0])
    for number in range(first + 1, first + 40):
        for case in range(40):
            (slot / f"{number}-good_{case}").touch()


passing(occupy_the_next_folders, "occupies_the_next_folders")


def leave_megabytes_beside(worker: Worker, request: Request) -> None:
    (slot_of(request) / f"large_{Path(request['dir']).name}").write_bytes(bytes(64 * MEGABYTE))


passing(leave_megabytes_beside, "leaves_megabytes_beside")


def write_megabytes(worker: Worker, request: Request) -> None:
    """Writes more than the case was known to need: a small memory has no room for two such cases."""
    for number in range(12):
        (Path(request["dir"]) / f"large_{number}").write_bytes(bytes(8 * MEGABYTE))


passing(write_megabytes, "writes_megabytes")


@misbehaviour("out_of_memory", places=())
def hides_megabytes(worker: Worker, request: Request) -> None:
    """Writes into a folder that nobody may read."""
    worker.begin(request, first_stage(request))
    folder = Path(request["dir"]) / "hidden"
    folder.mkdir()
    with (folder / "large").open("wb") as file:
        folder.chmod(0)
        for _ in range(256):
            file.write(bytes(MEGABYTE))
        file.flush()
        idle()


@misbehaviour("pass", places=())
def uses_its_temporary_folder(worker: Worker, request: Request) -> None:
    path = temporary() / "used"
    path.write_text("x")
    path.unlink()
    worker.good(request)


# --- other processes


def numbers_in(path: Path) -> list[int]:
    try:
        return [int(word) for word in path.read_text().split()]
    except OSError:
        return []


def parent_of(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("PPid:"))


def below(pid: int, but: int) -> Iterator[int]:
    if pid == but:
        return
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in numbers_in(task / "children"):
            yield from below(child, but)


def others() -> list[int]:
    """The run, its supervisors and the workers of other slots; the run is first, this worker's own supervisor last."""
    supervisor = os.getppid()
    return [*below(parent_of(supervisor), supervisor), supervisor]


def checked(result: int) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def write_memory(pid: int) -> None:
    class Piece(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    bytes_ = ctypes.create_string_buffer(b"x")
    own, theirs = Piece(ctypes.addressof(bytes_), 1), Piece(4096, 1)
    checked(_LIBC.process_vm_writev(pid, ctypes.byref(own), 1, ctypes.byref(theirs), 1, 0))


def trace(pid: int) -> None:
    checked(_LIBC.syscall(ctypes.c_long(101), _PTRACE_SEIZE, pid, None, None))
    _LIBC.syscall(ctypes.c_long(101), _PTRACE_DETACH, pid, None, None)


def take_a_descriptor(pid: int) -> None:
    checked(_LIBC.syscall(_PIDFD_GETFD, os.pidfd_open(pid), 1, 0))


# None of these does harm; they only test whether the right exists.
TRIES: dict[str, Callable[[int], object]] = {
    "limits": lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)),
    "priority": lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 0),
    "priority_of_group": lambda pid: os.setpriority(os.PRIO_PGRP, os.getpgid(pid), 0),
    "io_priority": lambda pid: checked(_LIBC.syscall(_IOPRIO_SET, 1, pid, _IDLE)),
    "processors": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(0)),
    "scheduler": lambda pid: os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0)),
    "oom_score": lambda pid: Path(f"/proc/{pid}/oom_score_adj").write_text("1000"),
    "oom_score_of_thread": lambda pid: Path(f"/proc/{pid}/task/{pid}/oom_score_adj").write_text("1000"),
    "memory": write_memory,
    "memory_file": lambda pid: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR)),
    "trace": trace,
    "descriptor": take_a_descriptor,
    "signal": lambda pid: os.kill(pid, 0),
    "signal_by_folder": lambda pid: signal.pidfd_send_signal(os.open(f"/proc/{pid}", os.O_RDONLY), 0),
}


def reached(act: Callable[[int], object]) -> list[str]:
    """Processes of others to which this can be done."""
    found = []
    for pid in others():
        try:
            act(pid)
            found.append(str(pid))
        except OSError as error:
            if error.errno not in REFUSED:
                found.append(f"{pid} ({error.strerror})")
    return found


def tries(name: str, act: Callable[[int], object]) -> None:
    def attempt(worker: Worker, request: Request) -> None:
        found = reached(act)
        if not found:
            worker.good(request)
            return
        worker.begin(request, first_stage(request))
        worker.end(request, STAGES[request["verb"]][0], status="fail", diagnostic=f"could set {name} of {found}")
        worker.done(request, status="fail", diagnostic=f"could set {name} of {', '.join(found)}")

    attempt.__name__ = f"tries_{name}_of_others"
    misbehaviour("pass", places=())(attempt)


for each, what in TRIES.items():
    tries(each, what)


def limit_others(worker: Worker, request: Request) -> None:
    """Does harm: the others can then neither write nor open a file."""
    for pid in others():
        for limit, value in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, 3), (resource.RLIMIT_AS, MEGABYTE)):
            with contextlib.suppress(OSError):
                resource.prlimit(pid, limit, (value, value))


passing(limit_others, "limits_others")


def stop_others(worker: Worker, request: Request) -> None:
    for pid in others():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGSTOP)


passing(stop_others, "stops_others")
