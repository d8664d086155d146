# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The reference worker for the differential run.

reference = Reference(pathlib.Path("build/bin/opbyop-worker"), folder)
reference.load(instance)
reference.judge(instance, "xla", answer)["status"]  # "pass"
"""

import pathlib
from collections.abc import Sequence

import numpy as np

from fixtures.reference_worker import ReferenceWorker
from validation.oracle.differential_draw import NUMPY, Instance

# As manifests/targets/xla.yaml declares it.
FLUSHES_SUBNORMALS = frozenset({"xla"})


class Reference:
    """`opbyop-worker --reference`, which judges answers like those of a device."""

    def __init__(self, worker: pathlib.Path, folder: pathlib.Path):
        self.folder = folder
        self._worker = ReferenceWorker(worker)

    def load(self, instance: Instance) -> None:
        self._file = self.folder / f"{instance.id.replace('/', '_')}.mlir"
        self._file.write_text(instance.text)
        for i, data in enumerate(instance.inputs):
            save(self.folder / f"input_{i}.npy", data)

    def unload(self) -> None:
        self._file.unlink()

    def make_inputs(self, file: pathlib.Path, policy: str) -> str:
        """Writes the reference's inputs of a case to `folder`; returns why there are none, or an empty text."""
        reply = self._ask({"verb": "inputs", "case": file.stem, "file": str(file.resolve()), "policy": policy})
        return "" if reply["status"] == "pass" else reply["diagnostic"] or reply["status"]

    def judge(self, instance: Instance, oracle: str, answer: Sequence[np.ndarray], keep: bool = False) -> dict:
        """Returns the `done` message; with `keep`, expected values and bounds are written too."""
        for i, data in enumerate(answer):
            save(self.folder / f"output_{i}.npy", data)
        return self._ask(
            {
                "verb": "compare",
                "case": self._file.stem,
                "file": str(self._file),
                # Special values in sums prevent any statement about rounding.
                "policy": "edge" if instance.notes["style"] == "edge" else "domain",
                "flushes_subnormals": oracle in FLUSHES_SUBNORMALS,
                "save_intermediates": keep,
            }
        )

    def _ask(self, request: dict) -> dict:
        return self._worker.ask(**request, dir=str(self.folder))

    def expected(self, i: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
        """The values and bounds of output i that `judge` kept."""
        values = np.load(self.folder / f"expected_{i}.npy")
        return values.view(NUMPY[dtype]), np.load(self.folder / f"bound_{i}.npy")

    def close(self) -> None:
        self._worker.close()


def save(path: pathlib.Path, data: np.ndarray) -> None:
    """Saves a .npy with elements of raw bytes: NumPy has no name for most dtypes."""
    np.save(path, np.ascontiguousarray(data).reshape(data.shape).view(f"V{data.itemsize}"))
