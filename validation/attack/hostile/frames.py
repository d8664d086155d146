# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The pipes of `opbyop-worker/1` as raw bytes, so that a worker can break every rule."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

Message = dict[str, Any]

REPLIES = int(os.environ.get("OPBYOP_REPLY_FD", "3"))
MAX_FRAME = 16 << 20


def write(data: bytes) -> None:
    """Writes all of `data`; if the parent has ended, this process ends."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(REPLIES, view) :]
        except OSError:
            os._exit(0)


def frame(content: bytes) -> bytes:
    return struct.pack("<I", len(content) & 0xFFFFFFFF) + content


def send(message: Any) -> None:
    write(frame(json.dumps(message).encode()))


def read_exactly(size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            return None
        data += piece
    return data


def read_request() -> Message | None:
    """Returns None at the end of the requests."""
    prefix = read_exactly(4)
    if prefix is None:
        return None
    content = read_exactly(struct.unpack("<I", prefix)[0])
    return None if content is None else json.loads(content)
