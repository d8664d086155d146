# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Devices that leave something other than their output, or touch files of others."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from validation.attack.hostile.misbehaviour import misbehaviour
from validation.attack.hostile.worker import Request, Worker, npy

EXECUTE = ("target.execute",)


def output(name: str, make: Callable[[Path], object], *ends: str) -> None:
    """Defines a device that calls `make` instead of writing its output."""

    def act(worker: Worker, request: Request) -> None:
        work = worker.work

        def instead(request: Request) -> dict[str, object]:
            fields = work(request)
            path = Path(request["dir"]) / "output_0.npy"
            path.unlink(missing_ok=True)
            make(path)
            return fields

        worker.work = instead
        worker.good(request)
        worker.work = work

    act.__name__ = name
    misbehaviour(*(ends or ("fail",)), places=EXECUTE, real=True)(act)


def sparse(path: Path) -> None:
    path.write_bytes(npy([1 << 38], b""))
    os.truncate(path, 1 << 40)


output("no_output", lambda path: None)
output("wrong_output", lambda path: path.write_bytes(npy([4], b"\x41" * 16)))
output("output_is_a_fifo", os.mkfifo)
output("output_links_to_a_file", lambda path: path.symlink_to("/etc/passwd"))
output("output_links_to_its_input", lambda path: path.symlink_to("input_0.npy"))
output("output_links_to_zeros", lambda path: path.symlink_to("/dev/zero"))
output("output_links_to_itself", lambda path: path.symlink_to(path.name))
output(
    "output_is_a_device", lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5)), "fail", "crash"
)  # Landlock denies it
output("output_is_a_folder", lambda path: path.mkdir())
output("output_is_a_terabyte", sparse)
output("output_is_empty", lambda path: path.write_bytes(b""))
output("output_is_cut", lambda path: path.write_bytes(npy([4], b"\x41" * 7)))
output("output_has_a_long_header", lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\xff\xff{"))
output("output_is_of_endless_shape", lambda path: path.write_bytes(npy([1 << 62, 1 << 62], b"\x41" * 16)))
output("output_is_of_negative_shape", lambda path: path.write_bytes(npy([-4], b"\x41" * 16)))
output("output_is_in_fortran_order", lambda path: path.write_bytes(npy([4], b"\x41" * 16, order="True")))
output("output_is_of_objects", lambda path: path.write_bytes(npy([4], b"\x80\x04N." * 8, descr="|O")))
output("output_cannot_be_read", lambda path: path.touch(mode=0))


def others(request: Request) -> list[Path]:
    """The folders of the cases that run at this moment, except its own case's."""
    own = Path(request["dir"])
    roots = {own.parent, *Path("/dev/shm").glob("opbyop-*"), *Path(os.environ["TMPDIR"]).glob("opbyop-*")}
    return [Path(entry) for root in roots for entry in entries(root) if entry != str(own)]


def entries(root: Path) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(root) if entry.is_dir()]
    except OSError:
        return []


def again_and_again() -> Iterator[int]:
    """Repeats for half a second, during which other cases go through all of their stages."""
    for number in range(50):
        yield number
        time.sleep(0.01)


@misbehaviour("pass", "fail", "crash", places=())
def deletes_the_folders_of_others(worker: Worker, request: Request) -> None:
    for _ in again_and_again():
        for folder in others(request):
            shutil.rmtree(folder, ignore_errors=True)
    worker.good(request)


@misbehaviour("pass", "fail", "crash", places=())
def writes_to_the_folders_of_others(worker: Worker, request: Request) -> None:
    for _ in again_and_again():
        for folder in others(request):
            for name in ("input_0.npy", "output_0.npy"):
                with contextlib.suppress(OSError):
                    (folder / name).write_bytes(npy([4], b"\x42" * 16))
    worker.good(request)


@misbehaviour("pass", "fail", "crash", places=())
def deletes_the_results(worker: Worker, request: Request) -> None:
    folder = Path(request["file"]).parents[1]
    for path in folder.glob("out/results*.jsonl"):
        with contextlib.suppress(OSError):
            path.unlink()
    worker.good(request)


@misbehaviour("pass", "fail", "crash", places=())
def changes_the_cases(worker: Worker, request: Request) -> None:
    for path in Path(request["file"]).parent.iterdir():
        with contextlib.suppress(OSError):
            path.write_text("target.execute: fails\ntarget.compile: fails\n")
    worker.good(request)


@misbehaviour("flaky", "crash", "fail", places=())
def refuses_the_output(worker: Worker, request: Request) -> None:
    comparison = worker.comparison(Path(request["dir"])) | {"accepted": False, "mismatches": 4, "bound_ratio": 9.0}
    for stage in ("compare",):
        worker.begin(request, stage)
        worker.end(request, stage)
    worker.done(request, comparisons=[comparison])


@misbehaviour("mistrusted", "inconclusive", "fail", "crash", places=())
def calls_it_constant(worker: Worker, request: Request) -> None:
    """An accepted comparison of a constant makes the parent itself read the output."""
    accepted = {"accepted": True, "constant": True, "mismatches": 0, "bound_ratio": 0}
    comparison = worker.comparison(Path(request["dir"])) | accepted
    worker.begin(request, "compare")
    worker.end(request, "compare")
    worker.done(request, comparisons=[comparison])
