# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Serves XLA with one fault in each routine of its linear algebra and selection: faulty_xla.py NUMBER, of faults_of().

Everything else is XLA's own, and all of it is with the number -1. A fault changes an output of programs that are one
custom call of LAPACK or ApproxTopK.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from opbyop_worker import Request, Stages, serve
from opbyop_worker.protocol import Fields

ROOT = Path(__file__).resolve().parents[2]

# The results of each routine that are demanded, by their position.
RESULTS = {
    "potrf": {"l": 0, "info": 1},
    "getrf": {"lu": 0, "pivots": 1, "info": 2},
    "geqrf": {"packed": 0, "tau": 1},
    "geqp3": {"packed": 0, "columns": 1, "tau": 2},
    "orgqr": {"q": 0},
    "ungqr": {"q": 0},
    "ormqr": {"x": 0},
    "unmqr": {"x": 0},
    "syevd": {"v": 0, "w": 1, "info": 2},
    "heevd": {"v": 0, "w": 1, "info": 2},
    "gesdd": {"s": 1, "u": 2, "vh": 3, "info": 4},
    "gesvd": {"s": 1, "u": 2, "vh": 3, "info": 4},
    "sgeev": {"w": 0, "wi": 1, "vr": 3, "info": 4},
    "dgeev": {"w": 0, "wi": 1, "vr": 3, "info": 4},
    "zgeev": {"w": 0, "vr": 2, "info": 3},
    "sgees": {"t": 0, "z": 1, "w": 2, "selected": 4, "info": 5},
    "zgees": {"t": 0, "z": 1, "w": 2, "selected": 3, "info": 4},
    "gehrd": {"packed": 0, "tau": 1, "info": 2},
    "sytrd": {"packed": 0, "d": 1, "e": 2, "tau": 3, "info": 4},
    "hetrd": {"packed": 0, "d": 1, "e": 2, "tau": 3, "info": 4},
    "gtsv": {"x": 3, "info": 4},
    "trsm": {"x": 0},
    "ApproxTopK": {"values": 0, "chosen": 1},
}
# The places of wrong elements, where each routine has an element that matters; (0, 0) for the others.
ELEMENT = {"l": (-1, 0), "lu": (-1, 1), "packed": (-1, 0), "q": (-1, 0), "x": (1, 1), "v": (-1, 0), "t": (0, -1)}

Change = Callable[[np.ndarray, str], None]


def wrong_element(array: np.ndarray, result: str) -> None:
    """One element is wrong by 2^-10 of the largest."""
    wrong = np.max(np.abs(array)) * 2.0**-10
    place = ELEMENT.get(result, (0,) * min(array.ndim, 2))
    array[(..., *place)] += wrong
    if result == "packed":  # the other triangle, if that is the one with the reflections
        array[(..., *reversed(place))] += wrong


def negated(array: np.ndarray, _: str) -> None:
    """The signs of one column are flipped, and of nothing else."""
    array[..., 0] *= -1


def exchanged(array: np.ndarray, _: str) -> None:
    """Two values change places, and nothing else does."""
    array[..., [0, -1]] = array[..., [-1, 0]]


def longer(array: np.ndarray, _: str) -> None:
    """One column is longer by a hundredth."""
    array[..., 0] *= 1.01


def raised(array: np.ndarray, _: str) -> None:
    """Integers are one more."""
    array += 1


# The results that each fault changes.
FAULTS: dict[Change, str] = {
    wrong_element: "l lu packed q x v w t u vh s vr z d e tau values",
    negated: "q u vh z x",
    exchanged: "w s values chosen",
    longer: "v u vr z",
    raised: "info pivots columns selected chosen",
}


def faults_of(results: dict[str, int]) -> list[tuple[str, Change]]:
    """The faults of a routine with these results: which result each changes, and how."""
    return [(name, change) for change, names in FAULTS.items() for name in names.split() if name in results]


def xla_worker() -> Any:
    spec = importlib.util.spec_from_file_location("xla_worker", ROOT / "device/xla/worker.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["xla_worker"] = module
    spec.loader.exec_module(module)
    return module.Xla


def results_of(text: str) -> dict[str, int]:
    """The named results of the program's custom call; none if it has another one or none."""
    call = re.search(r"custom_call @lapack_(\w)(\w+?)_ffi", text)
    if call is None:
        return RESULTS["ApproxTopK"] if "custom_call @ApproxTopK" in text else {}
    results = RESULTS.get(call[1] + call[2], RESULTS.get(call[2], {}))
    # The singular values alone: the vectors are scratch.
    if "mode = 78" in text:
        return {name: results[name] for name in ("s", "info")}
    return results


def main(number: int) -> int:
    class FaultyXla(xla_worker()):
        name = "faulty-xla"

        def execute(self, request: Request, stages: Stages) -> Fields:
            done = super().execute(request, stages)
            results = results_of(request.file.read_text())
            faults = faults_of(results)
            if 0 <= number < len(faults):
                result, change = faults[number]
                path = request.dir / f"output_{results[result]}.npy"
                array = np.load(path)
                change(array, result)
                np.save(path, array)
            return done

    return serve(FaultyXla())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
