# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks that requirements.yaml has an id for every numbered constraint of the specification, and no others."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from fixtures.corpora.folder import corpora

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "generator/suite/stablehlo/requirements.yaml"


def specified() -> dict[str, int]:
    """Maps each op to the highest number of its constraints. The specification must use all numbers up to it."""
    highest = {}
    for section in re.split(r"^### ", corpora("spec/spec.md").read_text(), flags=re.MULTILINE)[1:]:
        if "#### Semantics" not in section:
            continue
        constraints = re.search(r"#### Constraints\n(.*?)(?=\n#### |\Z)", section, re.DOTALL)
        text = constraints[1] if constraints else ""
        numbers = {int(n) for n in re.findall(r"^\s*\* \(C(\d+)\)", text, re.MULTILINE)}
        name = section.split("\n", 1)[0]
        assert numbers == set(range(1, len(numbers) + 1)), f"{name}: {sorted(numbers)}"
        highest[name] = len(numbers)
    return highest


def required() -> dict[str, int]:
    """The same for requirements.yaml, whose form is simple enough to read without a library."""
    found = {}
    for entry in REQUIREMENTS.read_text().split("- ops: [")[1:]:
        count = int(re.search(r"\n  constraints: (\d+)", entry)[1])
        for op in re.split(r",\s*", entry.split("]", 1)[0]):
            found[op] = count
    return found


class SpecificationTest(unittest.TestCase):
    def test_every_numbered_constraint_has_an_id(self) -> None:
        ids = required()
        for op, count in specified().items():
            with self.subTest(op=op):
                self.assertEqual(ids.get(op), count)

    def test_no_other_op_has_numbered_constraints(self) -> None:
        ops = specified()
        for op, count in required().items():
            with self.subTest(op=op):
                self.assertTrue(op in ops or count == 0)
