# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Turns the cases of a suite into programs of the differential run.

    cases = suite_instances(pathlib.Path("out/suite"), worker=pathlib.Path("build/bin/opbyop-worker"))

Uses the reference's own inputs, so that the evaluators' answers are those that a run of the suite expects.
"""

import argparse
import json
import pathlib
import re
import tempfile
from collections.abc import Iterator

import numpy as np

from validation.oracle.differential_draw import NUMPY, Instance, tensor
from validation.oracle.differential_reference import Reference

EVERY = slice(None)


def suite_instances(
    folder: pathlib.Path, worker: pathlib.Path, policy: str = "domain", part: slice = EVERY
) -> Iterator[Instance | str]:
    """Each case of `part` with its inputs under the policy, or the reason why no evaluator can run it: "ID: why"."""
    scratch = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        reference = Reference(worker, pathlib.Path(place))
        for case in cases_of((folder / "manifest.yaml").read_text())[part]:
            foreign = [v["dtype"] for v in case["inputs"] + case["outputs"] if v["dtype"] not in NUMPY]
            if foreign:
                yield f"{case['id']}: no array has elements of {foreign[0]}"
                continue
            why = reference.make_inputs(folder / case["file"], policy)
            if why:
                yield f"{case['id']}: no inputs: {why}"
                continue
            inputs = tuple(_read(reference.folder / f"input_{i}.npy", v) for i, v in enumerate(case["inputs"]))
            yield instance_of(case, (folder / case["file"]).read_text(), inputs, policy)
        reference.close()


def part_of(text: str) -> slice:
    """Reads K/N as the K-th of N parts, each of which has cases of every op: 1/8 is every eighth case, from the
    first on."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text} is not K/N with K from 1 to N")
    return slice(int(part) - 1, None, int(parts))


def cases_of(manifest: str) -> list[dict]:
    """Reads the cases from a manifest's text, one JSON object a line: a Python with jaxlib need not have YAML."""
    return [json.loads(line.removeprefix("- ")) for line in manifest.splitlines() if line.startswith('- {"id":')]


def instance_of(case: dict, text: str, inputs: tuple[np.ndarray, ...], policy: str) -> Instance:
    body = functions_of(text)
    return Instance(
        id=case["id"],
        op=case["op"].removeprefix("stablehlo."),
        text=body,
        inputs=inputs,
        input_types=tuple(tensor(v["dtype"], v["shape"]) for v in case["inputs"]),
        results=tuple((v["dtype"], tuple(v["shape"])) for v in case["outputs"]),
        notes={
            "style": "edge" if policy == "edge" else "plain",
            "total": "TOTALORDER" in body or ("SIGNED" in body and "FLOAT" not in body),
            # Operands of a case are random: an initial value need not be the identity.
            "monoid": False,
        },
    )


def functions_of(text: str) -> str:
    """The functions of a case's module with names that start with `main`, like those of an instance."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("module"))
    body = "\n".join(lines[first + 1 : len(lines) - lines[::-1].index("}") - 1])
    names = re.findall(r"func\.func (?:private )?@([\w.$-]+)", body)
    for name in names:
        if name != "main":
            body = re.sub(rf"@{re.escape(name)}(?![\w.$-])", f"@main_{name}", body)
    return body + "\n"


def _read(path: pathlib.Path, value: dict) -> np.ndarray:
    return np.load(path).view(NUMPY[value["dtype"]]).reshape(value["shape"])
