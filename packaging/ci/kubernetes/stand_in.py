# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Replaces kubectl in packaging/ci/recipes_test.py: runs the containers of a Job here, one pod after the other.

    stand_in.py VOLUME create -f - <job.yaml
    stand_in.py VOLUME get job/NAME -o jsonpath=...
    stand_in.py VOLUME logs job/NAME

VOLUME is the folder that containers have as their working folder. The state of each Job is kept in VOLUME/jobs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml


def run_pod(spec: dict[str, Any], volume: Path, index: int, log: Path) -> bool:
    [container] = spec["containers"]
    assert container["workingDir"] == "/work" and spec["restartPolicy"] == "Never"
    of_the_job = {each["name"]: each["value"] for each in container["env"]}
    environment = {**os.environ, **of_the_job, "JOB_COMPLETION_INDEX": str(index)}
    with log.open("a") as out:
        command = container["command"] + container["args"]
        done = subprocess.run(command, cwd=volume, env=environment, stdout=out, stderr=out, check=False)
    return done.returncode == 0


def create(job: dict[str, Any], jobs: Path, volume: Path) -> int:
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    name, spec = job["metadata"]["name"], job["spec"]
    state = jobs / name
    if state.exists():
        print(f'Error from server (AlreadyExists): jobs.batch "{name}" already exists', file=sys.stderr)
        return 1
    pods = 1
    if spec.get("completionMode") == "Indexed":
        pods = spec["completions"]
        assert spec["parallelism"] == pods
    tries = 1 + min(1, spec.get("backoffLimit", spec.get("backoffLimitPerIndex", 0)))
    log, pod = jobs / f"{name}.log", spec["template"]["spec"]
    ended = [any(run_pod(pod, volume, index, log) for _ in range(tries)) for index in range(pods)]
    state.write_text("SuccessCriteriaMet Complete" if all(ended) else "FailureTarget Failed")
    print(f"job.batch/{name} created")
    return 0


def main(volume: Path, verb: str, *arguments: str) -> int:
    jobs = volume / "jobs"
    jobs.mkdir(exist_ok=True)
    if verb == "create":
        return create(yaml.safe_load(sys.stdin), jobs, volume)
    name = arguments[0].removeprefix("job/")
    print((jobs / (name if verb == "get" else f"{name}.log")).read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
