# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""./dev attack: attacks the harness from outside and prints a table of the attacks, the promises, and what was seen.

python3 -m validation.attack [--short] [--only GLOB]... [--as WHOM] [--seed N] [--list] [--keep DIR] [--jobs N]

The exit code is 0 if every promise held. An attack that this machine does not allow is `not tried`, which is no
success. If it is started by root, it performs the attacks as root, and those for which the kernel has other rules as an
ordinary user too.
"""

from __future__ import annotations

import argparse
import compileall
import fnmatch
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from validation.attack import sandbox, seed
from validation.attack.attack import BROKEN, NOT_TRIED, OK, SCENES, Attack, Row, Scene
from validation.attack.runner import Runner, Work
from validation.attack.scenes import load

WIDTHS = (52, 58)
# Kinds of attacks with the same outcome for every user: their input is read, counted or judged in the same way.
ALIKE = frozenset({"mock", "greeting", "requests", "verdict", "device", "exit", "resume"}) | frozenset(
    {"manifest", "target", "baseline", "flag", "text", "artifact"}
)


def choose(scenes: list[Scene], short: bool, only: list[str]) -> list[tuple[Scene, list[Attack]]]:
    """Each scene with those of its attacks that were chosen."""

    def is_wanted(attack: Attack) -> bool:
        is_named = not only or any(fnmatch.fnmatchcase(attack.name, glob) for glob in only)
        return is_named and (attack.short or not short)

    chosen = [(scene, [attack for attack in scene.attacks if is_wanted(attack)]) for scene in scenes]
    return [(scene, attacks) for scene, attacks in chosen if attacks]


def differs(attack: Attack) -> bool:
    """Whether the attack meets other rules as an ordinary user: rules for files and processes, or missing cgroups."""
    kind = attack.name.split(".")[0]
    return kind not in ALIKE and (kind != "hostile" or attack.name.endswith(".alone"))


def with_users(chosen: list[tuple[Scene, list[Attack]]], whom: str, short: bool) -> list[Work]:
    """Each attack with the user who performs it."""
    work: list[Work] = [(scene, attacks, None) for scene, attacks in chosen] if whom != "user" else []
    if whom == "root":
        return work
    for scene, attacks in chosen:
        other = [attack for attack in attacks if whom == "user" or (attack.short_by_user if short else differs(attack))]
        if other:
            work.append((scene, other, sandbox.ORDINARY_USER))
    return work


def line(name: str, promised: str, seen: str) -> str:
    return f"{name:<{WIDTHS[0]}} | {promised:<{WIDTHS[1]}} | {seen}"


def show(row: Row) -> None:
    promised = row.promised if len(row.promised) <= WIDTHS[1] else row.promised[: WIDTHS[1] - 1] + "…"
    seen = row.seen if row.verdict == BROKEN else row.seen[:120]
    readable = "".join(letter if letter.isprintable() else "?" for letter in " ".join(seen.split()))
    print(line(row.name, promised, f"{row.verdict}: {readable}"), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev attack", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a few of every kind: what ctest runs")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="attacks whose name matches")
    parser.add_argument("--as", dest="whom", choices=("root", "user", "both"), help="by whom (default: both, by root)")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3)), help="of the random kills")
    parser.add_argument("--list", action="store_true", help="names and promises, nothing is attacked")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave every run's folder there")
    parser.add_argument("--jobs", type=int, default=2, help="attacks at a time (default: 2)")
    arguments = parser.parse_args()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # runs all `finally` blocks
    seed.value = arguments.seed
    load()
    chosen = choose(SCENES, arguments.short, arguments.only)
    if not chosen:
        print(f"no attack is called {' or '.join(arguments.only)}: --list has the names", file=sys.stderr)
        return 7
    if arguments.list:
        for _, attacks in chosen:
            for attack in attacks:
                print(f"{attack.name:<{WIDTHS[0]}} | {attack.promised}")
        return 0
    if os.geteuid() != 0 and arguments.whom in ("root", "both"):
        print(f"--as {arguments.whom} needs root: an ordinary user performs the attacks as itself", file=sys.stderr)
        return 2
    work: list[Work] = [(scene, attacks, None) for scene, attacks in chosen]
    if os.geteuid() == 0:
        work = with_users(chosen, arguments.whom or "both", arguments.short)
    begin = time.monotonic()
    performers = {sandbox.ORDINARY_USER if user else os.geteuid() for _, _, user in work}
    print(f"seed {seed.value}, as user {' and '.join(map(str, sorted(performers)))}")
    print(line("attack", "promised", "seen"), flush=True)
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="opbyop-attack-", dir=arguments.keep))
    folder.chmod(0o711)  # for the folders of another user in it
    # Some thousand hostile workers start, as users who may not write here; each would compile these modules again.
    compileall.compile_dir(Path(__file__).parent / "hostile", quiet=2)
    counts: Counter[str] = Counter()
    try:
        for row in Runner(folder, arguments.jobs, arguments.keep is not None).perform(work):
            counts[row.verdict] += 1
            show(row)
    finally:
        if arguments.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    seconds = time.monotonic() - begin
    print(
        f"{counts[OK]} ok, {counts[BROKEN]} BROKEN, {counts[NOT_TRIED]} not tried in {seconds:.0f} s, seed {seed.value}"
    )
    return 1 if counts[BROKEN] else 0


if __name__ == "__main__":
    sys.exit(main())
