# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The worker's side of opbyop-worker/1 (docs/worker-protocol.md) for targets in Python.

    class Mine(TargetWorker):
        name, version = "mine", "mine 1.0"

        def compile(self, request, stages):
            with stages.stage("parse"):
                ...                       # raise StageError("why") to fail the stage
            return {"artifact_bytes": 10}

    if __name__ == "__main__":
        sys.exit(serve(Mine()))

`protocol` and `timing` need only Python; `tensors` needs NumPy and, for
element types that NumPy lacks, ml_dtypes.
"""

from .protocol import Grid, Request, StageError, Stages, TargetWorker, serve

__all__ = ["Grid", "Request", "StageError", "Stages", "TargetWorker", "serve"]
