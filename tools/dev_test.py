"""Every command that `./dev help` lists is one that `./dev` knows, and the other way round.

python3 -m unittest tools.dev_test
"""

from __future__ import annotations

import re
import subprocess
import unittest

from fixtures.programs import ROOT, USAGE


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *arguments], capture_output=True, text=True, check=False)


def listed() -> set[str]:
    """The first word of each line, or several: `./dev format | lint`."""
    heads = re.findall(r"^\./dev ([a-z-]+(?: \| [a-z-]+)*)", dev("help").stdout, re.M)
    return {name for head in heads for name in head.split(" | ")}


class DevTest(unittest.TestCase):
    def test_commands_in_help_are_known_and_described(self) -> None:
        self.assertGreater(len(listed()), 10)
        for name in listed():
            with self.subTest(name):
                done = dev("help", name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"^\./dev (.* \| )?{name}\b")

    def test_known_commands_are_in_help_and_call_a_function(self) -> None:
        text = (ROOT / "dev").read_text()
        [table] = re.findall(r"^readonly -A COMMANDS=\((.*?)^\)", text, re.S | re.M)
        commands = dict(re.findall(r"\[([a-z-]+)\]=(\w+)", table))
        self.assertEqual(set(commands), listed())
        for function in commands.values():
            self.assertRegex(text, rf"(?m)^{function}\(\) {{")

    def test_an_unknown_command_is_a_usage_error(self) -> None:
        for arguments in (["nosuch"], ["help", "nosuch"]):
            done = dev(*arguments)
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual(done.stderr, "unknown command nosuch: try './dev help'\n")
