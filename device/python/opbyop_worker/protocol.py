# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Requests, stage events and replies of a target worker."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import os
import resource
import struct
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

PROTOCOL = "opbyop-worker/1"
REPLY_FD = "OPBYOP_REPLY_FD"
ONLY = "OPBYOP_ONLY"  # the only verb that will be requested; not set: all
MAX_FRAME = 16 << 20
MAX_DIAGNOSTIC = 4096  # characters; the parent cuts longer ones as well

# The files of a profile, in the `dir` of an `execute` that asks for one: a serialized XSpace, and the text of the
# compiled HLO program, if the compiler has one.
PROFILE_FILE = "profile.xspace"
PROGRAM_FILE = "program.hlo"

Fields = dict[str, Any]


class StageError(Exception):
    """Ends the current stage with `status` and the first line of `diagnostic`."""

    def __init__(self, diagnostic: str, status: str = "fail"):
        super().__init__(diagnostic)
        self.diagnostic = diagnostic
        self.status = status


def unsupported(diagnostic: str) -> StageError:
    """The error for a feature that the target itself says it does not support."""
    return StageError(diagnostic, "unsupported")


@dataclasses.dataclass(frozen=True)
class TensorType:
    shape: tuple[int, ...]
    dtype: str

    @staticmethod
    def list_of(raw: Any) -> list[TensorType]:
        return [TensorType(tuple(each["shape"]), each["dtype"]) for each in raw or []]


@dataclasses.dataclass(frozen=True)
class Grid:
    """The processes that run a program at once; process i is partition i % partitions of replica i / partitions."""

    replicas: int = 1
    partitions: int = 1

    @property
    def processes(self) -> int:
        return self.replicas * self.partitions


@dataclasses.dataclass(frozen=True)
class Member:
    """A case of a batch."""

    case: str
    file: Path


@dataclasses.dataclass(frozen=True)
class Request:
    """A request as a value; `raw` is the message, with the reference worker's fields and those of newer parents."""

    id: int
    verb: str
    case: str
    file: Path
    dir: Path
    save_intermediates: bool
    keep: bool  # for compile: the artifact is kept for any later execute
    until: str  # the last stage to run; empty: all
    spans: bool
    profile: bool  # write what the device's profiler records of one execution (PROFILE_FILE, PROGRAM_FILE)
    repeat: Fields  # min, max, budget_ms, warmup, relative_error
    inputs: list[TensorType]
    outputs: list[TensorType]  # of one process; the files in `dir` are those of all processes, in their order
    grid: Grid
    shardings: dict[str, list[str]]  # of `inputs` and `outputs`; not empty: those and the files are whole tensors
    partitioner: str  # of sharded cases, that the target's file names: gspmd or shardy; empty: the worker's own
    members: list[Member]
    artifact: Path | None  # compile: the file to write; execute: the file to load
    raw: Fields

    @staticmethod
    def parse(text: bytes) -> Request:
        raw = json.loads(text)
        return Request(
            id=raw["id"],
            verb=raw["verb"],
            case=raw.get("case", ""),
            file=Path(raw.get("file", "")),
            dir=Path(raw.get("dir", "")),
            save_intermediates=bool(raw.get("save_intermediates", False)),
            keep=bool(raw.get("keep", False)),
            until=raw.get("until", ""),
            spans=bool(raw.get("spans", False)),
            profile=bool(raw.get("profile", False)),
            repeat=raw.get("repeat", {}),
            inputs=TensorType.list_of(raw.get("inputs")),
            outputs=TensorType.list_of(raw.get("outputs")),
            grid=Grid(**raw["grid"]) if raw.get("grid") else Grid(),
            shardings=raw.get("shardings") or {},
            partitioner=raw.get("partitioner", ""),
            members=[Member(each["case"], Path(each["file"])) for each in raw.get("members", [])],
            artifact=Path(raw["artifact"]) if raw.get("artifact") else None,
            raw=raw,
        )

    def save(self, artifact: bytes) -> Fields:
        """For `compile`: writes the artifact if the request names a file; returns the fields that `done` then has."""
        if self.artifact is None:
            return {}
        self.artifact.write_bytes(artifact)
        return {"saved": True}


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end of input."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack("<I", head)
    if length > MAX_FRAME:
        raise ValueError(f"a message of {length} bytes is announced, at most {MAX_FRAME} are allowed")
    body = stream.read(length)
    return body if len(body) == length else None


def write_frame(fd: int, message: Fields) -> None:
    body = json.dumps(message, separators=(",", ":")).encode()
    view = memoryview(struct.pack("<I", len(body)) + body)
    while view:
        view = view[os.write(fd, view) :]


def first_line(text: str) -> str:
    stripped = text.strip()
    return stripped.splitlines()[0][:MAX_DIAGNOSTIC] if stripped else ""


def forget_peak() -> None:
    """Resets the peak of this process's memory, so that a reply says what its request needed."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def peak_rss_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Stages:
    """Reports the stages of one request as they happen."""

    def __init__(self, fd: int, request_id: int):
        self._fd = fd
        self._id = request_id

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Starts the stage `name`, and ends it as passed or with the error that the body raises."""
        begin = time.perf_counter()
        self._event(name, state="begin", ns=time.monotonic_ns())
        try:
            yield
        except Exception as error:
            failure = error if isinstance(error, StageError) else _internal(error)
            # The log keeps the whole text, the record its first line.
            print(failure.diagnostic, file=sys.stderr, flush=True)
            self._end(name, begin, failure.status, failure.diagnostic)
            raise failure from error
        self._end(name, begin, "pass", "")

    def _end(self, name: str, begin: float, status: str, diagnostic: str) -> None:
        ms = (time.perf_counter() - begin) * 1e3
        fields: Fields = {"state": "end", "status": status, "ms": ms}
        if diagnostic:
            fields["diagnostic"] = first_line(diagnostic)
        self._event(name, **fields)

    def _event(self, name: str, **fields: Any) -> None:
        write_frame(self._fd, {"id": self._id, "event": "stage", "stage": name, **fields})


def _internal(error: Exception) -> StageError:
    traceback.print_exception(error)
    return StageError(f"{type(error).__name__}: {first_line(str(error))}")


def will_be_asked(verb: str) -> bool:
    """False if the worker was started for another verb alone; it then requires only the packages of that verb."""
    return os.environ.get(ONLY) in (None, "", verb)


class TargetWorker:
    """The base class of a target's worker; each verb returns the fields of its `done` message."""

    name = ""
    version = ""
    cores = 0  # processor cores of this machine that an execution uses; 0: it runs elsewhere
    properties: dict[str, str] = {}  # further properties of the toolchain and the device  # noqa: RUF012
    compile_only = ""  # why it compiles but cannot execute here: "no Vulkan device"; empty: it can

    devices = 1  # the most processes of one program that it runs, or compiles for, at once

    shardings = False  # it divides the tensors of a sharded case among its devices

    releases = False  # each case gets a `release` request, so that a crash in it is blamed on that case
    ahead = False  # an `execute` says which one comes next (`raw["next"]`), so that it can be started in the meantime

    profiles = False  # an `execute` may ask for what the device's profiler records of one execution

    def compile(self, request: Request, stages: Stages) -> Fields:
        raise NotImplementedError

    def execute(self, request: Request, stages: Stages) -> Fields:
        raise NotImplementedError

    def compile_batch(self, request: Request, stages: Stages) -> Fields:
        raise StageError(f"{self.name} compiles no batches", "unsupported")

    def release(self, request: Request, stages: Stages) -> Fields:
        """Releases the result of the last `compile`, unless it is kept."""
        raise NotImplementedError


VERBS = ("compile", "execute", "compile_batch", "release")


def handle(worker: TargetWorker, request: Request, fd: int) -> None:
    """Serves one request and writes its `done` message."""
    done: Fields = {"status": "pass"}
    forget_peak()
    try:
        if request.verb not in VERBS:
            raise unsupported(f"a target worker knows the verbs {', '.join(VERBS)}, not '{request.verb}'")
        done.update(getattr(worker, request.verb)(request, Stages(fd, request.id)))
    except StageError as error:
        done.update(status=error.status, diagnostic=first_line(error.diagnostic))
    except Exception as error:  # outside of any stage
        done.update(status="fail", diagnostic=_internal(error).diagnostic)
    done.update(id=request.id, event="done", peak_rss_kb=peak_rss_kb())
    write_frame(fd, done)


def serve_on(worker: TargetWorker, requests: BinaryIO, fd: int) -> None:
    """Says hello, then serves until the end of `requests`."""
    hello: Fields = {"event": "hello", "protocol": PROTOCOL, "role": "target"}
    hello.update(name=worker.name, version=worker.version)
    if worker.cores:
        hello["cores"] = worker.cores
    if worker.properties:
        hello["properties"] = worker.properties
    if worker.compile_only:
        hello["compile_only"] = first_line(worker.compile_only)
    if worker.devices != 1:
        hello["devices"] = worker.devices
    if worker.shardings:
        hello["shardings"] = True
    if worker.releases:
        hello["releases"] = True
    if worker.ahead:
        hello["ahead"] = True
    if worker.profiles:
        hello["profiles"] = True
    gc.freeze()  # the packages that the worker imported stay, and need not be searched for garbage again
    write_frame(fd, hello)
    while (frame := read_frame(requests)) is not None:
        handle(worker, Request.parse(frame), fd)


def take_pipes() -> tuple[BinaryIO, int]:
    """The request stream and the reply descriptor, hidden from libraries and child processes."""
    try:
        reply_fd = int(os.environ.pop(REPLY_FD))
        os.set_inheritable(reply_fd, False)
    except (KeyError, ValueError, OSError):
        sys.exit(
            "this program is a worker: it is started by the conformance harness, which names an open descriptor "
            f"for replies in the environment variable {REPLY_FD}"
        )
    requests = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return requests, reply_fd


def serve(worker: TargetWorker) -> int:
    """main() of a worker. It returns when its parent has exited."""
    requests, reply_fd = take_pipes()
    with contextlib.suppress(BrokenPipeError):
        serve_on(worker, requests, reply_fd)
    return 0
