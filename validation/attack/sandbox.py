# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Gives the calling process its own namespaces, so that what an attack leaves in /dev/shm, in SysV IPC and as cgroups
is separate.

If the kernel or the user's rights do not allow this, attacks share /dev/shm with the machine, and those that need their
own file system are not tried.
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

ORDINARY_USER = 54321  # owns nothing on the machine


def die_with_parent() -> None:
    _LIBC.prctl(_DIE_WITH_PARENT, _KILL, 0, 0, 0)


def _unshare(flags: int) -> bool:
    return _LIBC.unshare(flags) == 0


def _mount(source: str, target: Path, kind: str, flags: int, data: str = "") -> bool:
    return _LIBC.mount(source.encode(), str(target).encode(), kind.encode(), flags, data.encode()) == 0


def _enter_new_users() -> bool:
    """Enters a user namespace in which this process is the same user, with the right to mount.

    It does not become root there, because the modes of files do not apply to root.
    """
    user, group = os.getuid(), os.getgid()
    if not _unshare(_NEW_USERS | _NEW_MOUNTS | _NEW_IPC):
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _keep_only_mounting()
    return True


def _keep_only_mounting() -> None:
    """Drops all rights of root except that to mount. Processes that it starts have none, unless it is root itself."""
    rights = struct.pack("6I", _MAY_MOUNT, _MAY_MOUNT, 0, 0, 0, 0)
    _LIBC.capset(struct.pack("Ii", _CAPABILITY_VERSION, 0), rights)


def isolate() -> bool:
    """True if this process and its children now have their own /dev/shm and may mount."""
    if not _unshare(_NEW_MOUNTS | _NEW_IPC) and not _enter_new_users():
        return False
    return _mount("none", Path("/"), "none", _RECURSIVE | _PRIVATE) and mount_tmpfs(Path("/dev/shm"), 1 << 30)


def mount_tmpfs(folder: Path, size: int) -> bool:
    """False if the kernel does not allow it."""
    return _mount("tmpfs", folder, "tmpfs", 0, f"size={size}")


def make_reachable(paths: Iterable[Path]) -> None:
    """Makes these folders reachable for all users, only in the mounts of this process.

    If a folder above them is closed to other users, this process sees only these folders in it from now on.
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
    """Makes this process an ordinary user who may mount if root may.

    Processes that it starts may not mount.
    """
    if may_mount:
        _LIBC.prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if may_mount:
        _keep_only_mounting()
    _LIBC.prctl(_SET_DUMPABLE, 1, 0, 0, 0)
    die_with_parent()  # the change of the user has cancelled the earlier call


def cgroup_root() -> Path | None:
    """The mount point of version 2 of cgroups."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        own, kind = line.split(" - ", 1)
        if kind.startswith("cgroup2 ") and own.split()[3] == "/":
            return Path(own.split()[4])
    return None


def enter_cgroup(name: str) -> bool:
    """Moves this process into a cgroup that is the root for it and its children from now on."""
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
    """Ends all processes in the cgroup of an attack and removes it."""
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
