# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Starts a PostgreSQL server for a test, in a temporary folder and not as root; it is stopped and removed after the
test.

with PostgresServer() as server:
    run("opbyop", "history", "import", folder, "--db", server.url)
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

# The folder in which Debian's package postgresql installs its versions.
VERSIONS = Path("/usr/lib/postgresql")
DATABASE = "opbyop"


def programs() -> Path | None:
    """The folder of initdb and pg_ctl of the newest version; None if none is installed."""
    found = [path.parent for path in VERSIONS.glob("*/bin/initdb")]
    return max(found, key=lambda path: int(path.parent.name), default=None)


def user() -> str:
    """The user to run the server, which refuses to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PostgresServer:
    def __init__(self) -> None:
        found = programs()
        if found is None:
            raise FileNotFoundError(f"no initdb below {VERSIONS}: apt-get install postgresql")
        self.programs = found
        self.folder = Path(tempfile.mkdtemp(prefix="opbyop-postgres-"))
        self.data = self.folder / "data"
        self.port = free_port()
        self.url = f"postgresql://opbyop@127.0.0.1:{self.port}/{DATABASE}"

    def __enter__(self) -> PostgresServer:
        if os.geteuid() == 0:
            shutil.chown(self.folder, user())
        try:
            self.run("initdb", "-D", self.data, "-U", "opbyop", "--auth=trust", "-E", "UTF8", "--locale=C")
            options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
            self.run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start")
            self.run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "opbyop", DATABASE)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, program: str, *arguments: object) -> None:
        as_user = {"user": user()} if os.geteuid() == 0 else {}
        done = subprocess.run(
            [str(self.programs / program), *map(str, arguments)],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **as_user,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program}: exit {done.returncode}\n{done.stdout or ''}")

    def close(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
