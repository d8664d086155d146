# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes a manifest of good and attacked cases, and a target for them.

board = Board(arena, [Good(), Attacked("target.execute: second_done")])
seen = board.run("--jobs=2")
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fixtures.programs import BIN, ROOT
from validation.attack.arena import Arena, Program
from validation.attack.judge import Seen

STAGES = ("parse", "lower", "load", "execute")
# An identity in the real reference; hostile and mock workers read the comments.
MODULE = """func.func @main(%arg0: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %0 = stablehlo.transpose %arg0, dims = [0] : (tensor<{n}xf32>) -> tensor<{n}xf32>
  return %0 : tensor<{n}xf32>
}}
"""


@dataclass
class Case:
    id: str
    lines: str = ""  # read by the workers: "target.execute: second_done"
    prefix: str = "// "  # before these lines; the mock's have none
    inputs: int = 1
    elements: int = 4

    def entry(self) -> dict[str, Any]:
        type_ = {"shape": [self.elements], "dtype": "f32"}
        return {
            "id": self.id,
            "op": "stablehlo.transpose",
            "file": f"cases/{self.id}.mlir",
            "hash": hashlib.sha256(self.id.encode()).hexdigest(),
            "inputs": [type_] * self.inputs,
            "outputs": [type_],
            "attributes": {},
            "flops": 0,
            "bytes": 8 * self.elements,
            "origins": [
                {"model": "m", "count": 1, "framework_op": "", "module_path": [], "locations": []},
            ],
        }

    def text(self) -> str:
        return "".join(f"{self.prefix}{line}\n" for line in self.lines.splitlines()) + MODULE.format(n=self.elements)


def manifest(cases: list[dict[str, Any]]) -> str:
    model = '- name: m\n  source: m.mlir\n  sha256: "0"\n  frontend: unknown\n  producer: ""\n  ops: 1\n'
    lines = "".join(f"- {json.dumps(entry, separators=(',', ':'))}\n" for entry in cases)
    return f"schema: opbyop-manifest/1\nmodels:\n{model}cases:\n{lines}"


def hostile(arena: Arena, name: str = "hostile", hello: str = "good") -> Path:
    """Writes a program that starts a hostile worker."""
    module = f"{sys.executable}' -S -B -m validation.attack.hostile"
    path = arena.write(name, f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{module} --hello={hello} \"$@\"\n")
    path.chmod(0o755)
    return path


def target_yaml(
    worker: list[str],
    name: str = "attacked",
    batch: int = 1,
    limits: str = "{timeout_s: 4, memory_mb: 512}",
    device: str = "{kind: mock, parallel: true}",
    stages: tuple[str, ...] = STAGES,
    markers: Path | None = None,  # where workers count what they do once
) -> str:
    writable = f"writable: ['{markers}']\n" if markers is not None else ""
    listed = "".join(f"  - {{name: {stage}}}\n" for stage in stages)
    return (
        f"schema: opbyop-target/1\nname: {name}\nworker: {json.dumps(worker)}\ndevice: {device}\nlimits: {limits}\n"
        f"batch: {batch}\n{writable}stages:\n{listed}"
    )


COUNTS_IN_REFERENCE = re.compile(r"reference\.\w+: \w+ \*|behaviour: flaky\nstage: (inputs|compare)")
MOCK = str(BIN / "mock_worker")
REAL_REFERENCE = str(BIN / "opbyop-worker")


class Board:
    """The folder of one run: its manifest, its target, its results in `out`."""

    def __init__(
        self,
        arena: Arena,
        cases: list[Case],
        name: str = "run",
        target: str | None = None,
        reference: str | None = None,
        target_hello: str = "good",
        reference_hello: str = "good",
        **target_options: Any,
    ) -> None:
        self.arena = arena
        self.folder = arena.make(name)
        self.out = self.folder / "out"
        self.cases = cases
        for case in cases:
            arena.write(f"{name}/cases/{case.id}.mlir", case.text())
        self.manifest = arena.write(f"{name}/manifest.yaml", manifest([case.entry() for case in cases]))
        worker = [str(hostile(arena, f"{name}/target", target_hello))]
        self.target = arena.write(
            f"{name}/target.yaml", target or target_yaml(worker, markers=arena.markers, **target_options)
        )
        self.reference = reference or str(hostile(arena, f"{name}/reference", reference_hello))

    def ids(self) -> list[str]:
        return [case.id for case in self.cases]

    def arguments(self, *flags: object) -> list[object]:
        return [
            f"--manifest={self.manifest}",
            f"--target={self.target}",
            f"--reference-worker={self.reference}",
            "--baseline=none",
            f"--out={self.out}",
            "--progress=plain",
            *flags,
        ]

    def environment(self) -> dict[str, str]:
        """A target's worker counts in a folder that the target declares. The reference's worker may write nowhere;
        if it must count, files are not isolated."""
        counts = any(COUNTS_IN_REFERENCE.search(case.lines) for case in self.cases)
        return {"OPBYOP_ISOLATION": "cgroup"} if counts else {}

    def start(self, *flags: object, **options: Any) -> Program:
        options["environment"] = self.environment() | options.get("environment", {})
        return self.arena.start("conformance", *self.arguments(*flags), **options)

    def run(self, *flags: object, limit_s: float = 60, **options: Any) -> Seen:
        return self.start(*flags, **options).wait(limit_s, out=self.out)


def good_cases(count: int, first: int = 0) -> list[Case]:
    return [Case(f"good_{first + i}") for i in range(count)]
