# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests packaging/ci/slurm on a real Slurm: one slurmctld and two slurmd on this machine, started and stopped by the
test.

PYTHONPATH=packaging python3 -m unittest ci.slurm_test        # needs root, and `apt-get install slurm-wlm munge`
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from fixtures.programs import BIN, ROOT, cases, records, run

# Identities, so that a device that copies its input is right.
MODEL = """func.func @main(%a: tensor<4xf32>, %b: tensor<2x3xf32>)
    -> (tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.reshape %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.transpose %b, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
"""
# A compiler that copies, and a slow device. Each records the node's name.
TARGET = """schema: opbyop-target/1
name: chip
worker: ["{{bin}}/opbyop-worker", "--target={{file}}"]
device: {{kind: command}}
stages:
  - {{name: lower, command: [sh, "{folder}/lower.sh", "{{input}}", "{{output}}"], produces: case.chip}}
  - {{name: load}}
  - {{name: execute, timeout_s: 60, command: [sh, "{folder}/execute.sh", "{{dir}}"]}}
"""
LOWER = """grep -q reshape "$1" && [ -e {folder}/broken ] && echo "error: no kernel" >&2 && exit 1
cp "$1" "$2"
"""
EXECUTE = """sleep 1
cp "$1/input_0.npy" "$1/output_0.npy"
"""
CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MpiDefault=none
SlurmdTimeout=6
KillWait=1
MinJobAge=3600
NodeName=cpu1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=device1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=cpu Nodes=cpu1 Default=YES State=UP
PartitionName=device Nodes=device1 State=UP
"""
PATIENCE_S = 240


def missing() -> str:
    if os.geteuid() != 0:
        return "a cluster of its own is started as root"
    absent = [tool for tool in ("slurmctld", "slurmd", "sbatch", "scontrol", "munged") if not shutil.which(tool)]
    return f"{', '.join(absent)}: not installed; apt-get install slurm-wlm munge" if absent else ""


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Cluster:
    """Its daemons run in the foreground, and end with the process that started them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        (folder / "state").mkdir()
        conf = CONF.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(3))
        (folder / "slurm.conf").write_text(conf)
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        munge = ["--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}"]
        files = [f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed"]
        self.start("munged", "munged", *munge, *files)
        self.wait("munged has its socket", (folder / "munge.socket").exists)
        self.start("slurmctld", "slurmctld", "-D", "-c")
        for node in ("cpu1", "device1"):
            self.start_node(node)
        self.wait("both nodes are idle", lambda: self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"])

    def start(self, name: str, *argv: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as log:
            self.daemons[name] = subprocess.Popen(
                argv, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def start_node(self, node: str) -> None:
        self.start(node, "slurmd", "-D", "-N", node)

    def lose_node(self, node: str) -> None:
        """Kills the node's daemon and all that runs there at once, as when a machine loses power."""
        victims = {self.daemons[node].pid}
        marks = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.folder}/slurm.conf".encode()}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if not marks <= set((process / "environ").read_bytes().split(b"\0")):
                    continue
                parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
                victims.add(int(process.name))
                if Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                    victims.add(parent)
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        self.daemons[node].wait()

    def ask(self, *argv: str) -> str:
        done = subprocess.run(argv, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout

    def job(self, number: str) -> dict[str, str]:
        text = self.ask("scontrol", "-o", "show", "job", number).splitlines()
        return dict(pair.split("=", 1) for pair in (text[0].split() if text else []) if "=" in pair)

    def wait(self, what: str, holds: Callable[[], bool]) -> None:
        for _ in range(PATIENCE_S * 5):
            if holds():
                return
            time.sleep(0.2)
        logs = "".join(f"\n{log.name}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))
        raise AssertionError(f"in {PATIENCE_S} s not: {what}\n{self.ask('squeue')}{logs}")

    def wait_for(self, number: str) -> str:
        ended = ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT")
        self.wait(f"job {number} has ended", lambda: self.job(number).get("JobState") in ended)
        return self.job(number)["JobState"]

    def stop(self) -> None:
        self.ask("scancel", "--signal=KILL", "-u", "root")
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@unittest.skipIf(missing(), missing())
class SlurmTest(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.cluster = Cluster(Path(scratch.name))
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "tiny.mlir").write_text(MODEL)
        for name, text in (("chip.yaml", TARGET), ("lower.sh", LOWER), ("execute.sh", EXECUTE)):
            (self.folder / name).write_text(text.format(folder=self.folder) if "{folder}" in text else text)
        self.run_folder = self.folder / "a run"
        done = run("opbyop", "split", self.folder / "tiny.mlir", "-o", self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def submit(self, *arguments: str) -> str:
        command = [
            str(ROOT / "packaging/ci/slurm/submit.sh"),
            str(self.run_folder),
            "--target",
            str(self.folder / "chip.yaml"),
        ]
        done = subprocess.run(
            [*command, *arguments],
            env={**self.cluster.environment, "OPBYOP": str(BIN / "opbyop")},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def logs(self) -> str:
        return "".join(f"\n{log.name}:\n{log.read_text()}" for log in (self.run_folder / "slurm").glob("*.log"))

    def test_an_array_of_shards_becomes_one_run(self) -> None:
        self.assertEqual(self.cluster.wait_for(self.submit("--shards", "2")), "COMPLETED", self.logs())
        self.assertEqual([case["status"] for case in cases(self.run_folder)], ["pass"] * 3)
        self.assertEqual(len(records(self.run_folder / "results.jsonl")[0]["merged"]), 2)
        self.assertTrue((self.run_folder / "index.html").exists())

    def test_cases_are_compiled_and_executed_on_different_partitions(self) -> None:
        partitions = ("--cpu-partition", "cpu", "--device-partition", "device")
        merge = self.submit("--shards", "2", *partitions)
        self.assertEqual(self.cluster.wait_for(merge), "COMPLETED", self.logs())
        array, compile_job = int(merge) - 1, int(merge) - 2
        self.assertEqual(self.cluster.job(f"{array}_1")["NodeList"], "device1")
        self.assertEqual(self.cluster.job(str(compile_job))["NodeList"], "cpu1")
        bundle = self.run_folder / "bundle"
        self.assertEqual([case["status"] for case in cases(bundle)], ["pass"] * 3)
        self.assertIn("compiled", records(bundle / "results.jsonl")[0])

    def test_the_last_job_fails_if_the_run_is_red(self) -> None:
        (self.folder / "broken").touch()
        self.assertEqual(self.cluster.wait_for(self.submit("--shards", "2")), "FAILED")
        self.assertEqual(sorted(case["status"] for case in cases(self.run_folder)), ["fail", "pass", "pass"])

    def test_a_shard_that_never_ran_leaves_missing_rows(self) -> None:
        merge = self.submit("--shards", "3", "--device-partition", "device")
        self.cluster.ask("scancel", f"{int(merge) - 1}_3")
        self.assertEqual(self.cluster.wait_for(merge), "FAILED", self.logs())
        self.assertEqual(len(cases(self.run_folder)), 2)
        self.assertIn("shard 3 of 3 is missing", self.logs())

    def test_a_shard_whose_node_is_lost_is_merged_once_it_has_run_again(self) -> None:
        merge = self.submit("--shards", "2", "--cpu-partition", "cpu", "--device-partition", "device")
        shard = f"{int(merge) - 1}_1"
        results = self.run_folder / "bundle/results-1-of-2.jsonl"
        self.cluster.wait("a case has ended", lambda: results.exists() and '"case"' in results.read_text())
        self.cluster.lose_node("device1")
        self.cluster.wait("its shard is queued again", lambda: self.cluster.job(shard)["JobState"] == "PENDING")
        # Slurm may consider a job that it queues again as ended, and start the job after it.
        self.cluster.ask("scontrol", "update", f"job={merge}", "dependency=")
        self.cluster.wait("the merge job has started", lambda: self.cluster.job(merge)["Restarts"] == "1")
        self.cluster.start_node("device1")
        self.assertEqual(self.cluster.wait_for(merge), "COMPLETED", self.logs())
        self.assertEqual([case["status"] for case in cases(self.run_folder / "bundle")], ["pass"] * 3)
        self.assertEqual(self.cluster.job(shard)["Restarts"], "1")

    def test_a_folder_without_a_manifest_is_refused_before_anything_is_queued(self) -> None:
        command = [str(ROOT / "packaging/ci/slurm/submit.sh"), str(self.folder), "--target", "host", "--shards", "2"]
        done = subprocess.run(command, env=self.cluster.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("opbyop split", done.stderr)


if __name__ == "__main__":
    unittest.main()
