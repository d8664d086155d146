# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Starts a Superset for a test, in a temporary folder; both are removed after it.

with SupersetServer() as server:
    Superset(server.url, server.USER, server.PASSWORD).get("/api/v1/dashboard/")

Runs in the Python that imports this module, which needs the packages of requirements.txt. Its charts and dashboards are
stored in an SQLite file of the folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

from history.test.postgres_server import free_port

START_S = 600

CONFIG = """
SECRET_KEY = "of a test alone, which nobody else reaches"
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.db"
DATA_DIR = "{folder}"
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
"""


class SupersetServer:
    USER = "admin"
    PASSWORD = "of a test"

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="opbyop-superset-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        config = self.folder / "superset_config.py"
        config.write_text(CONFIG.format(folder=self.folder))
        self.environment = {
            **os.environ,
            "SUPERSET_CONFIG_PATH": str(config),
            "FLASK_APP": "superset",
            "HOME": str(self.folder),
        }
        self.environment.pop("PYTHONPATH", None)  # `superset` is the package, not the folder of this file
        self.gunicorn: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> SupersetServer:
        try:
            self.superset("db", "upgrade")
            names = ["--username", self.USER, "--password", self.PASSWORD, "--email", "admin@localhost"]
            self.superset("fab", "create-admin", "--firstname", "A", "--lastname", "Test", *names)
            self.superset("init")
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def program(self, name: str) -> str:
        return str(Path(sys.executable).parent / name)

    def superset(self, *arguments: str) -> None:
        done = subprocess.run(
            [self.program("superset"), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"superset {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-3000:]}")

    def start(self) -> None:
        place = ["-b", f"127.0.0.1:{self.port}", "-w", "1", "--threads", "4", "--timeout", "300"]
        with (self.folder / "log").open("wb") as log:
            self.gunicorn = subprocess.Popen(
                [self.program("gunicorn"), *place, "superset.app:create_app()"],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + START_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=10) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                pass
            if self.gunicorn.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"Superset did not start:\n{self.log()}")
            time.sleep(1)

    def log(self) -> str:
        log = self.folder / "log"
        return log.read_text(errors="replace")[-3000:] if log.exists() else ""

    def close(self) -> None:
        if self.gunicorn:
            group = self.gunicorn.pid
            for ending in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(group, ending)
                    self.gunicorn.wait(timeout=30)
                    break
                except subprocess.TimeoutExpired:
                    continue
                except ProcessLookupError:
                    break
        shutil.rmtree(self.folder, ignore_errors=True)
