# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Builds the site: the project's Markdown, with a search, and tables of the given runs.

    .venv-site/bin/python -m reports.site [-o DIR] [RUN...]

RUN is a run's folder, or a history (out/history.db), from which the newest complete run of each series is taken. `./dev
site` calls this module with the generator of requirements.txt.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from reports.site import ROOT
from reports.site.staging import stage
from reports.site.tables import Unreadable, read_run, result_pages

NO_INPUT = 3  # docs/exit-codes.md
FAILED = 1

COLOURLESS = {**os.environ, "NO_COLOR": "1"}
# This file marks a folder that this program wrote.
MARK = ".opbyop-site"


class Refused(Exception):
    """The generator's errors about pages that it refuses."""


_NEWEST = """SELECT source FROM runs r WHERE complete = 1 AND partial = 0 AND started_us =
  (SELECT max(started_us) FROM runs s WHERE s.series = r.series AND s.complete = 1 AND s.partial = 0) ORDER BY series"""


def folders_of(run: Path) -> list[Path]:
    """The folder of the run itself, or of the newest runs of a history."""
    if run.is_dir():
        return [run]
    if not run.exists():
        raise Unreadable(f"{run}: no run's folder and no history")
    try:
        with sqlite3.connect(f"file:{run}?mode=ro", uri=True) as history:
            found = [Path(source) for (source,) in history.execute(_NEWEST)]
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"{run}: no history of opbyop: {error}") from None
    if not found:
        raise Unreadable(f"{run}: the history has no complete run")
    # A folder holds one run. If it held several in turn, the newest counts.
    return [source.parent if source.is_file() else source for source in dict.fromkeys(found)]


def add_results(pages: Path, runs: list[Path]) -> str:
    """Writes the pages of runs; returns their part of the site's index."""
    reports = [read_run(folder) for run in runs for folder in folders_of(run)]
    if not reports:
        return ""
    texts = result_pages(reports, ROOT / "docs/findings")
    for name, text in texts.items():
        file = pages / "results" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    listed = [name for name in texts if not name.startswith("ops/")]
    return "  - Results:\n" + "".join(f"      - results/{name}\n" for name in [*listed, "ops/README.md"])


def build(out: Path, runs: list[Path]) -> None:
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise Unreadable(f"{out}: holds something else than a site; name an empty folder with -o")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        stage(ROOT, folder / "pages")
        shutil.copy(ROOT / "reports/site/site.css", folder / "pages")
        nav = add_results(folder / "pages", runs)
        settings = (ROOT / "reports/site/mkdocs.yml").read_text(encoding="utf-8")
        (folder / "mkdocs.yml").write_text(settings + nav, encoding="utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        done = subprocess.run(command, cwd=folder, env=COLOURLESS, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused((done.stdout + done.stderr).split("Traceback (most recent call last)")[0])
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder / "site", out)
        (out / MARK).touch()


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev site", description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out/site", metavar="DIR")
    parser.add_argument("runs", type=Path, nargs="*", metavar="RUN")
    arguments = parser.parse_args()
    try:
        build(arguments.output, arguments.runs)
    except Unreadable as error:
        print(error, file=sys.stderr)
        return NO_INPUT
    except Refused as error:
        print(f"{error}\nthe generator of the site does not take the pages", file=sys.stderr)
        return FAILED
    print(f"{arguments.output}/index.html\nwith its search: python3 -m http.server --directory {arguments.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
