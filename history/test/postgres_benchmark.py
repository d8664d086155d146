# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs build/bin/history_benchmark on a PostgreSQL server that it starts, in the folder for temporary files.

python3 -m history.test.postgres_benchmark [NIGHTS] [ROWS OF EACH RUN]    # exit 77 without Debian's package postgresql
"""

from __future__ import annotations

import subprocess
import sys

from fixtures.programs import BIN
from history.test.postgres_server import PostgresServer, programs

SKIPPED = 77


def main() -> int:
    if programs() is None:
        print("no PostgreSQL: apt-get install postgresql")
        return SKIPPED
    nights = sys.argv[1] if len(sys.argv) > 1 else "25"
    rows = sys.argv[2] if len(sys.argv) > 2 else "100000"
    with PostgresServer() as server:
        return subprocess.run([BIN / "history_benchmark", nights, rows, server.url], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
