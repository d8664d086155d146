# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests hostile texts in scripts and in Markdown.

python3 -m unittest commands.bundle.quoting_test
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "commands/bundle"))  # as in the program
import finding_bundle  # noqa: E402 - in the program's folder
import quoting  # noqa: E402

# Each creates the file `ran` if a shell runs it, or is markup if a page shows it.
HOSTILE = (
    "1.0\ntouch ran",
    "1.0\r\ntouch ran\r\n",
    "$(touch ran)`touch ran`",
    "'; touch ran; '",
    '"; touch ran; "',
    "a\\\ntouch ran",
    "```\n\n<script>ran</script>\n\n~~~~",
    "`````` | **b** | [a](http://x) <img src=x onerror=ran> & _c_",
    "# title\n- list\n1. one\n===",
    "--flag=touch ran",
    "\x1b[2J\x00\x7f\u2028touch ran",
    '")\nimport os; os.system("touch ran")\n("',
)


class QuotingTest(unittest.TestCase):
    def test_a_comment_is_one_line(self) -> None:
        for text in HOSTILE:
            self.assertEqual(len(f"# {quoting.comment(text)}".splitlines()), 1, repr(text))

    def test_a_command_has_the_words_that_it_was_given(self) -> None:
        for text in HOSTILE:
            if "\0" not in text:
                self.assertEqual(shlex.split(quoting.command(["a b", text, "c"])), ["a b", text, "c"])

    def test_a_program_may_be_called_like_an_assignment(self) -> None:
        self.assertEqual(quoting.command(["a=b", "c=d"]), "'a=b' c=d")
        self.assertEqual(quoting.command(["if"]), "'if'")

    def test_variables_stand_before_a_command(self) -> None:
        self.assertEqual(quoting.command(["x"], {"A B": "c d", "D": "e"}), "env 'A B=c d' D=e x")

    def test_a_variable_that_no_shell_can_assign_is_not_exported(self) -> None:
        self.assertEqual(quoting.exports({"A": "b c", "X; touch ran": "1"}), "export A='b c'\n")

    def test_a_fence_is_longer_than_any_in_it(self) -> None:
        for text in HOSTILE:
            first, *_, last = quoting.fence(text, "sh").splitlines()
            self.assertEqual(first, last + "sh")
            self.assertNotIn(last, text)

    def test_nothing_in_a_line_of_markdown_is_markup(self) -> None:
        for text in HOSTILE:
            line = quoting.markdown(text)
            self.assertEqual(len(line.splitlines()), 1)
            self.assertNotRegex(line, r"(?<!\\)[`*_<\[|~#]")
            self.assertNotRegex(line, r"^([-+=#]|\d+\.)")


def hostile_finding(folder: Path, text: str, stage: str = "lower") -> Any:
    """A finding whose fields are all `text`."""
    tensor = finding_bundle.Tensor("f32", (1,), b"\0\0\0\0", "input_0.npy")
    (folder / "program.mlir").write_text(f"// {text}\nmodule {{}}\n")
    kept, case = folder / "kept", folder / "case-of"
    for each in (kept, case):
        each.mkdir()
    word = text.replace("\0", "")
    stage_of = {"stage": word, "argv": ["true", word], "environment": {word.replace("=", ""): word}}
    (kept / "stages.json").write_text(json.dumps([stage_of]))
    (kept / "commands.sh").write_text("true\n")
    (folder / "target-file.yaml").write_text("schema: opbyop-target/1\n")
    return finding_bundle.Finding(
        folder=folder,
        target={
            "name": text,
            "file": str(folder / "target-file.yaml"),
            "flags": [word],
            "worker": ["w", f"--device={word}"],
            "environment": {"A": word, word: word},
            "topology": word,
            "plugin": word,
        },
        reduction={
            "row": text,
            "op": text,
            "policy": word.translate({ord("."): None, ord("/"): None}),
            "seed": word,
            "from": {},
            "to": {},
        },
        record={
            "status": text,
            "stage": stage,
            "diagnostic": text,
            "stderr_tail": [text],
            "comparisons": [{"accepted": False, "worst": [{"got": text, "expected": text}]}],
        },
        header={"toolchain": text, "git_sha": text, "properties": {text: text}, "host": {"cpu": text}},
        inputs=[tensor],
        expected=[tensor],
        got=[tensor],
        kept=kept,
        case=case,
        versions=finding_bundle.versions({}, {"toolchain": text, "properties": {text: text}, "host": {"cpu": text}}),
    )


class KitTest(unittest.TestCase):
    """Tests every kit with hostile texts in every field: its script runs nothing of them, and its report shows them
    as text."""

    def kits(self) -> list[ModuleType]:
        places = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("device/*/finding.py"))]
        facts = {"root": str(ROOT), "kind": "", "file": ""}
        return [
            finding_bundle.load_kit({**facts, "finding": place})
            for place in [*places, "commands/bundle/finding_kit.py"]
        ]

    def test_scripts_run_nothing_of_it(self) -> None:
        for kit in self.kits():
            for text in HOSTILE:
                for kept, stage in ((True, "lower"), (False, "lower"), (True, "compare")):
                    with self.subTest(kit=kit.__file__, text=text), tempfile.TemporaryDirectory() as name:
                        folder = Path(name)
                        finding = hostile_finding(folder, text, stage)
                        if not kept:
                            (finding.kept / "stages.json").unlink()
                        kit.write(finding)
                        script = (folder / "reproduce.sh").read_text()
                        parsed = subprocess.run(["sh", "-n", "reproduce.sh"], check=False, cwd=folder)
                        self.assertEqual(parsed.returncode, 0, script)
                        subprocess.run(
                            ["/bin/sh", "reproduce.sh"],
                            cwd=folder,
                            env={"PATH": "/usr/bin:/bin", "PLUGIN": "none"},
                            capture_output=True,
                            check=False,
                        )
                        self.assertFalse((folder / "ran").exists(), script)
                        for path in folder.glob("*.py"):
                            compile(path.read_text(), str(path), "exec")

    def test_reports_show_it_as_text(self) -> None:
        for kit in self.kits():
            for text in HOSTILE:
                with self.subTest(kit=kit.__file__, text=text), tempfile.TemporaryDirectory() as name:
                    fence = ""
                    for line in kit.report(hostile_finding(Path(name), text)).splitlines():
                        mark = line[: len(line) - len(line.lstrip("`"))]
                        if fence:
                            fence = "" if line == fence else fence
                        elif len(mark) >= 3:
                            fence = mark
                        else:
                            self.assertNotRegex(line, r"(?<!\\)<|(?<!\\)\[|^\s*(===|~~~)", text)
                    self.assertEqual(fence, "", "an open block of code")


class CommandsOfStages(unittest.TestCase):
    def test_the_place_of_a_descriptor_is_replaced_in_its_word(self) -> None:
        kit = finding_bundle.load_kit({"root": str(ROOT), "kind": "tenstorrent", "finding": "", "file": ""})
        with tempfile.TemporaryDirectory() as name:
            argv = ["ttmlir-opt", "--p=x=1 system-desc-path=/home/me/it.ttsys", "case.mlir"]
            each = {"stage": "lower", "argv": argv, "environment": {}}
            (Path(name) / "stages.json").write_text(json.dumps([each]))
            commands = kit.commands(SimpleNamespace(kept=Path(name), executes=False))
        self.assertIn("ttmlir-opt '--p=x=1 system-desc-path=ttrt-artifacts/system_desc.ttsys' case.mlir", commands)
        self.assertIn(kit.DESCRIBE, commands)


if __name__ == "__main__":
    unittest.main()
