# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Namespaces of its own for the calling process: what an attack leaves in /dev/shm, in SysV IPC and as cgroups is then
its own.

Where the kernel or the user's rights do not allow them, attacks share /dev/shm with the machine, and those that need a
file system of their own are not tried.
"""

from __future__ import annotations

import ctypes
import os
import struct
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _NEW_CGROUPS, _NEW_USERS, _NEW_IPC = 0x00020000, 0x02000000, 0x10000000, 0x08000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 1 << 18
_DIE_WITH_PARENT, _KILL = 1, 9
_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION = 444, 1
_SET_DUMPABLE, _KEEP_CAPABILITIES, _CAPABILITY_VERSION, _MAY_MOUNT = 4, 8, 0x20080522, 1 << 21

ORDINARY_USER = 54321  # whom nothing on the machine belongs to


def die_with_parent() -> None:
    _LIBC.prctl(_DIE_WITH_PARENT, _KILL, 0, 0, 0)


def _unshare(flags: int) -> bool:
    return _LIBC.unshare(flags) == 0


def _mount(source: str, target: Path, kind: str, flags: int, data: str = "") -> bool:
    return _LIBC.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) == 0


def _enter_new_users() -> bool:
    """As the same user, with the right to mount: as root of the new users it would be held to no mode of a file."""
    user, group = os.getuid(), os.getgid()
    if not _unshare(_NEW_USERS | _NEW_MOUNTS | _NEW_IPC):
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _keep_only_mounting()
    return True


def _keep_only_mounting() -> None:
    """Of all rights of root; what this process starts has none, unless it is root itself."""
    rights = struct.pack("6I", _MAY_MOUNT, _MAY_MOUNT, 0, 0, 0, 0)
    _LIBC.capset(struct.pack("Ii", _CAPABILITY_VERSION, 0), rights)


def isolate() -> bool:
    """True where this process and its children now have a /dev/shm of their own and it may mount."""
    if not _unshare(_NEW_MOUNTS | _NEW_IPC) and not _enter_new_users():
        return False
    return _mount("none", Path("/"), "none", _RECURSIVE | _PRIVATE) and mount_tmpfs(Path("/dev/shm"), 1 << 30)


def mount_tmpfs(folder: Path, size: int) -> bool:
    """False where the kernel does not allow it."""
    return _mount("tmpfs", folder, "tmpfs", 0, f"size={size}")


def let_in(paths: Iterable[Path]) -> None:
    """Makes these folders reachable for all users, in the mounts of this process alone.

    In a folder above them that is closed to others there is nothing else for this process from now on.
    """
    below: dict[Path, set[Path]] = defaultdict(set)
    for path in paths:
        closed = next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)
        if closed is not None:
            below[closed].add(path)
    for closed, folders in below.items():
        opened = [(path, os.open(path, os.O_PATH | os.O_DIRECTORY)) for path in sorted(folders)]
        if not _mount("tmpfs", closed, "tmpfs", 0, "mode=755"):
            raise OSError(f"nothing can be mounted on {closed}")
        for path, fd in opened:
            path.mkdir(parents=True, exist_ok=True)
            _mount(f"/proc/self/fd/{fd}", path, "none", _BIND | _RECURSIVE)
            os.close(fd)


def become(user: int, may_mount: bool) -> None:
    """From now on this process is an ordinary user, who may do one thing more than others: mount, where root may.

    What it starts may not.
    """
    if may_mount:
        _LIBC.prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if may_mount:
        _keep_only_mounting()
    _LIBC.prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    die_with_parent()  # the change of the user took that back


def cgroup_root() -> Path | None:
    """Where version 2 of cgroups is mounted."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        own, kind = line.split(" - ", 1)
        if kind.startswith("cgroup2 ") and own.split()[3] == "/":
            return Path(own.split()[4])
    return None


def enter_cgroup(name: str) -> bool:
    """Moves this process into a cgroup that is the root of all that it and its children see from now on."""
    root = cgroup_root()
    if root is None:
        return False
    try:
        (root / name).mkdir()
        (root / name / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        return False
    return _unshare(_NEW_CGROUPS) and _mount("none", root, "cgroup2", 0)


def end_cgroup(name: str) -> None:
    """Ends all that is left in the cgroup of an attack and removes it."""
    root = cgroup_root()
    if root is None or not (root / name).is_dir():
        return
    for _ in range(100):
        (root / name / "cgroup.kill").write_text("1")
        try:
            for path in sorted((root / name).rglob("*/"), reverse=True):
                path.rmdir()
            (root / name).rmdir()
        except OSError:
            time.sleep(0.02)
        else:
            return


def has_landlock() -> bool:
    return _LIBC.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION) > 0
