# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Bytes that are no message, and messages in pieces."""

from __future__ import annotations

import time

from validation.attack.hostile import frames
from validation.attack.hostile.misbehaviour import DEEP, DIED, misbehaviour
from validation.attack.hostile.worker import Request, Worker, idle


def raw(name: str, data: bytes, *ends: str, waits: bool = False) -> None:
    def act(worker: Worker, request: Request) -> None:
        frames.write(data)
        idle()

    act.__name__ = name
    misbehaviour(*(ends or ("crash",)), waits=waits)(act)


raw("deep_frame", frames.frame(DEEP))
raw("empty_frame", frames.frame(b""))
raw("not_json", frames.frame(b"hello"))
raw("not_utf8", frames.frame(b'{"event":"done","status":"\xff\xfe"}'))
raw("two_messages_in_a_frame", frames.frame(b'{"event":"done"}{"event":"done"}'))
raw("a_list", frames.frame(b'[{"event":"done"}]'))
raw("a_number", frames.frame(b"7"))
raw("null_frame", frames.frame(b"null"))
raw("cut_json", frames.frame(b'{"event":"do'))
raw("nothing_but_zeros", bytes(4096))
raw("largest_length", b"\xff\xff\xff\xff")
raw("sign_bit_length", b"\x00\x00\x00\x80")
raw("one_over_the_limit", (frames.MAX_FRAME + 1).to_bytes(4, "little"))
raw("half_a_prefix", b"\x40\x00", *DIED, waits=True)
raw("half_a_frame", b'\x40\x00\x00\x00{"id":', *DIED, waits=True)


@misbehaviour("crash")
def oversized_frame(worker: Worker, request: Request) -> None:
    frames.write(frames.frame(b" " * (64 << 20)))
    idle()


@misbehaviour(*DIED, waits=True)
def a_byte_now_and_then(worker: Worker, request: Request) -> None:
    frames.write((1 << 20).to_bytes(4, "little"))
    while True:
        frames.write(b" ")
        time.sleep(0.1)


@misbehaviour("pass")
def byte_by_byte(worker: Worker, request: Request) -> None:
    original, pieces = frames.write, []
    frames.write = pieces.append
    worker.good(request)
    frames.write = original
    for byte in b"".join(pieces):
        frames.write(bytes([byte]))
