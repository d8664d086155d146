# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Attacks on a result cache in a folder that others may write to."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from pathlib import Path

from validation.attack.arena import Arena, Broken, NotTried
from validation.attack.attack import attack
from validation.attack.board import MOCK, Board, Case, target_yaml
from validation.attack.judge import Promise
from validation.attack.scenes.check import check

NOT_BELIEVED = "what others put into a cache is not taken for a result"
OTHER_USER = 12345


def packs(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.pack"))


def poison(cache: Path) -> tuple[Path, bytes]:
    """Removes the only pack. Returns its path, and a forged pack in which the red case passed."""
    [pack] = packs(cache)
    text = pack.read_bytes()
    forged = text.replace(b'"status":"imprecise"', b'"status":"pass"').replace(b'"status":"fail"', b'"status":"pass"')
    forged = forged.replace(b'"accepted":false', b'"accepted":true')
    if forged == text:
        raise Broken("the pack has no red record: this attack proves nothing")
    pack.unlink()
    return pack, forged


def give_to_other_user(path: Path) -> None:
    try:
        os.chown(path, OTHER_USER, OTHER_USER)
    except OSError as why:
        raise NotTried(f"no file can be given to another user: {why}") from why


def under_the_old_name(cache: Path) -> None:
    pack, forged = poison(cache)
    (pack.parent / f"{hashlib.sha256(forged).hexdigest()}.pack").write_bytes(forged)


def under_the_same_name(cache: Path) -> None:
    pack, forged = poison(cache)
    pack.write_bytes(forged)


def through_a_link(cache: Path) -> None:
    pack, forged = poison(cache)
    (cache / "elsewhere").write_bytes(forged)
    pack.symlink_to(cache / "elsewhere")


def of_another_user(cache: Path) -> None:
    pack, forged = poison(cache)
    pack.write_bytes(forged)
    give_to_other_user(pack)


def with_another_key(cache: Path) -> None:
    pack, forged = poison(cache)
    key = pack.parent.parent / "key"
    key.unlink()
    key.write_text("0123456789abcdef0123456789abcdef")
    key.chmod(0o600)
    give_to_other_user(key)
    name = hmac.new(key.read_bytes(), forged, hashlib.sha256).hexdigest()
    (pack.parent / f"{name}.pack").write_bytes(forged)


def in_a_folder_of_another_user(cache: Path) -> None:
    pack, forged = poison(cache)
    pack.write_bytes(forged)
    give_to_other_user(pack.parent)


def forges(how: Callable[[Path], None]) -> None:
    @attack(f"cache.forged_{how.__name__}", NOT_BELIEVED, short=how is under_the_old_name)
    def act(arena: Arena) -> str:
        cache = arena.make("cache")
        wrong = Case("wrong_0", "behaviour: wrong_result\nstage: execute", prefix="")
        board = Board(
            arena,
            [Case("good_0", prefix=""), wrong],
            target=_mock_target(arena),
            reference=MOCK,
        )
        first = board.run(f"--cache={cache}", limit_s=60)
        arena.expect(first.results.ends().get("wrong_0") == "fail", f"the case did not fail: {first.results.ends()}")
        how(cache)
        seen = board.run(f"--cache={cache}", "--fresh", limit_s=60)
        arena.expect("cache" in seen.stdout + seen.stderr, "it does not say that the cache cannot be used")
        return check(seen, Promise(good=["good_0"], attacked={"wrong_0": ("fail",)}, codes={1}))


def _mock_target(arena: Arena) -> str:
    return target_yaml([MOCK, "--target"], "mock", stages=("parse", "lower", "load", "execute"), markers=arena.markers)


for each in (
    under_the_old_name,
    under_the_same_name,
    through_a_link,
    of_another_user,
    with_another_key,
    in_a_folder_of_another_user,
):
    forges(each)


@attack("cache.written_through_a_link", "no file of others is written")
def written_through_a_link(arena: Arena) -> str:
    cache, victim = arena.make("cache"), arena.make("victim")
    (cache / "opbyop-cache-2").symlink_to(victim)
    board = Board(arena, [Case("good_0", prefix="")], target=_mock_target(arena), reference=MOCK)
    seen = board.run(f"--cache={cache}", limit_s=60)
    arena.expect(not list(victim.iterdir()), f"written through the link: {list(victim.iterdir())}")
    arena.expect("is a link" in seen.stdout + seen.stderr, "it does not say why the cache is not used")
    return check(seen, Promise(good=["good_0"], codes={0}))
