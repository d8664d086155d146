# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that the judge recognizes each kind of broken promise, and the arena each kind of trace.

python3 -m unittest validation.attack.judge_test
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from validation.attack import arena, results, traces
from validation.attack.arena import Arena
from validation.attack.judge import Promise, Seen, judge

HEADER, FOOTER = {"record": "header"}, {"record": "footer"}
PROMISE = Promise(codes={0, 1}, good=["good"], attacked={"bad": {"crash"}}, marked=["bad"])


def case(name: str, status: str, diagnostic: str = "") -> dict[str, Any]:
    return {"record": "case", "case": name, "status": status, "diagnostic": diagnostic}


GOOD, BAD = case("good", "pass"), case("bad", "crash", "died of SIGSEGV")


class JudgeTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def seen(self, *records: dict[str, Any], tail: bytes = b"", code: int | None = 1) -> Seen:
        path = self.folder / "results.jsonl"
        path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records) + tail)
        return Seen(code=code, results=results.read(path))

    def assert_sees(self, seen: Seen, *words: str, promise: Promise = PROMISE) -> None:
        breaches = "; ".join(judge(seen, promise))
        for word in words:
            self.assertIn(word, breaches)

    def test_a_run_that_keeps_its_promises_has_no_breach(self) -> None:
        self.assertEqual(judge(self.seen(HEADER, GOOD, BAD, FOOTER), PROMISE), [])

    def test_a_run_that_judged_nothing_must_not_be_green(self) -> None:
        promise = Promise(codes={0, 1}, attacked={"bad": {"unsupported"}})
        bad = case("bad", "unsupported", "no")
        self.assertEqual(judge(self.seen(HEADER, bad, FOOTER, code=8), promise), [])
        for code in (0, 1):
            self.assert_sees(
                self.seen(HEADER, bad, FOOTER, code=code), f"exit code {code} of a run that judged", promise=promise
            )
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, code=8), "exit code 8, promised 0 or 1")

    def test_a_good_case_that_is_lost(self) -> None:
        self.assert_sees(self.seen(HEADER, BAD, FOOTER), "1 good cases lost: good")

    def test_a_good_case_that_is_not_pass(self) -> None:
        self.assert_sees(
            self.seen(HEADER, case("good", "flaky", "why"), BAD, FOOTER), "the good case good is flaky: why"
        )

    def test_a_good_case_may_be_flaky_if_it_names_the_attacked_case_that_spoiled_it(self) -> None:
        spoiled = [HEADER, {**case("good", "flaky", "why"), "spoiled_by": "bad"}, BAD, FOOTER]
        self.assertEqual(judge(self.seen(*spoiled), replace(PROMISE, spoilers=["bad"])), [])
        self.assert_sees(self.seen(*spoiled), "the good case good is flaky", promise=replace(PROMISE, spoilers=["x"]))

    def test_a_case_that_is_recorded_twice(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, GOOD, BAD, FOOTER), "1 cases recorded twice: good")

    def test_an_attacked_case_that_is_lost(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, FOOTER, code=0), "bad is recorded 0 times")

    def test_an_attacked_case_that_passes(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, case("bad", "pass"), FOOTER, code=0), "bad is pass, promised crash")

    def test_a_status_without_a_reason(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, case("bad", "crash", " "), FOOTER), "bad is crash without a reason")

    def test_a_reason_that_is_too_long(self) -> None:
        seen = self.seen(HEADER, GOOD, case("bad", "crash", "x" * 2_000_000), FOOTER)
        self.assert_sees(seen, "a record has 2000", "has 2000000 characters", "cut without a mark")

    def test_a_long_reason_may_be_cut_with_a_mark(self) -> None:
        self.assertEqual(judge(self.seen(HEADER, GOOD, case("bad", "crash", "x" * 2000 + "…"), FOOTER), PROMISE), [])

    def test_a_line_that_is_no_record(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, tail=b'{"record":"ca{}\n'), "line 5 is no record")

    def test_a_file_that_ends_within_a_line(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, tail=b'{"rec'), "end within a line")

    def test_a_run_without_header_or_footer(self) -> None:
        self.assert_sees(self.seen(GOOD, BAD), "no header", "no footer")

    def test_a_run_without_results(self) -> None:
        self.assert_sees(Seen(code=1), "there is no results.jsonl")

    def test_a_parent_that_died_or_did_not_end(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, code=-11), "the parent died of signal 11")
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, code=None), "the parent did not end")

    def test_an_exit_code_that_was_not_promised(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, code=70), "exit code 70, promised 0 or 1")

    def test_a_green_exit_code_of_a_red_run(self) -> None:
        self.assert_sees(self.seen(HEADER, GOOD, BAD, FOOTER, code=0), "exit code 0 of a run that is red")

    def test_a_parent_that_grew(self) -> None:
        seen = self.seen(HEADER, GOOD, BAD, FOOTER)
        seen.peak_kb = 1 << 20
        self.assert_sees(seen, "the parent grew to 1024 MB")

    def test_a_process_that_is_left(self) -> None:
        seen = self.seen(HEADER, GOOD, BAD, FOOTER)
        seen.processes = [traces.Process(7, "sleep 100")]
        self.assert_sees(seen, "1 processes left: sleep 100")

    def test_a_file_that_is_left(self) -> None:
        seen = self.seen(HEADER, GOOD, BAD, FOOTER)
        seen.files = ["/dev/shm/opbyop-0-x"]
        self.assert_sees(seen, "left behind: /dev/shm/opbyop-0-x")


class ArenaTest(unittest.TestCase):
    """Tests how the arena sees a program that leaves something behind."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.arena = Arena(Path(folder.name), private=False)
        # These processes and files stay until they are removed, so longer waits would show the same.
        for module, limit in ((arena, "GRACE_S"), (traces, "CLOSED_S")):
            patch = mock.patch.object(module, limit, 0.5)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.arena.close)

    def run_sh(self, script: str, limit_s: float = 20) -> Seen:
        return self.arena.start("sh", "-c", script).wait(limit_s)

    def test_a_clean_program_leaves_nothing(self) -> None:
        seen = self.run_sh("exit 3")
        self.assertEqual((seen.code, seen.processes, seen.files), (3, [], []))

    def test_a_child_in_a_session_of_its_own_is_seen_and_ended(self) -> None:
        seen = self.run_sh("setsid sleep 500 & exit 0")
        self.assertEqual([process.command for process in seen.processes], ["sleep 500"])
        self.assertEqual(traces.processes(self.arena.tag), [])

    def test_a_child_with_the_tag_in_its_command_line_alone_is_seen(self) -> None:
        seen = self.run_sh(f"env -i sh -c 'sleep 500; true' {self.arena.tag} & exit 0")
        self.assertEqual(len(seen.processes), 1)

    def test_a_process_of_another_arena_is_not_seen(self) -> None:
        with subprocess.Popen(["sleep", "500"], env={traces.TAG: "another"}) as other:
            self.assertEqual(self.run_sh("true").processes, [])
            other.kill()

    def test_a_zombie_is_no_process(self) -> None:
        pid = os.fork()
        if pid == 0:
            os.execve("/bin/sh", ["sh", "-c", "exit 0"], {traces.TAG: self.arena.tag})
        time.sleep(0.2)
        self.assertEqual(traces.processes(self.arena.tag), [])
        os.waitpid(pid, 0)

    def test_a_file_in_the_temporary_folder_is_seen(self) -> None:
        seen = self.run_sh("mkdir $TMPDIR/opbyop-0-left")
        self.assertEqual([Path(name).name for name in seen.files], ["opbyop-0-left"])

    def test_a_scratch_folder_whose_owner_lives_is_no_trace(self) -> None:
        script = "mkdir $TMPDIR/x; exec 9>$TMPDIR/x/lock; flock 9; touch $TMPDIR/ready; exec sleep 500"
        with subprocess.Popen(["sh", "-c", script], env={**os.environ, "TMPDIR": str(self.arena.tmp)}) as owner:
            while not (self.arena.tmp / "ready").exists():
                time.sleep(0.01)
            (self.arena.tmp / "ready").unlink()
            self.assertEqual(self.arena.before.left(), [])
            owner.kill()
        self.assertEqual([Path(name).name for name in self.arena.before.left()], ["x"])

    def test_a_program_that_does_not_end_is_ended(self) -> None:
        self.assertIsNone(self.run_sh("sleep 500", limit_s=0.3).code)
        self.assertEqual(traces.processes(self.arena.tag), [])

    def test_a_signal_is_the_code(self) -> None:
        self.assertEqual(self.run_sh("kill -SEGV $$").code, -signal.SIGSEGV)

    def test_the_peak_of_a_program_is_its_own(self) -> None:
        script = "import time; held = bytearray(200 << 20); time.sleep(0.3)"
        seen = self.arena.start("python3", "-S", "-c", script).wait(20)
        self.assertGreater(seen.peak_kb, 200 << 10)


if __name__ == "__main__":
    unittest.main()
