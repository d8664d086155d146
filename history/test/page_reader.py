# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads a page of `opbyop history page`, for tests.

page = HistoryPage(Path("out/history"))
page.lines("rank")      # the answer as the page shows it: a dict for each line
page.changes("night-07")
page.file("rows-0")
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

CHANGE = ["kind", "model", "case", "op", "signature", "before", "after", "group", "stage", "diagnostic"]


class HistoryPage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        page = (folder / "index.html").read_text()
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
        assert found, page[:200]
        self.data = json.loads(found[1])

    def file(self, name: str) -> Any:
        text = (self.folder / "data" / f"{name}.js").read_text().removeprefix("opbyopTake(").removesuffix(");\n")
        version, own_name, content = json.loads(f"[{text}]")
        assert (version, own_name) == (self.data["version"], name)
        return json.loads(content)

    def lines(self, verb: str) -> list[dict[str, Any]]:
        table = next(table for table in self.data["tables"] if table["verb"] == verb)
        lines = table["lines"] if "lines" in table else self.file(table["file"])
        return [dict(zip((column["title"] for column in table["columns"]), line, strict=True)) for line in lines]

    def run(self, name: str) -> dict[str, Any]:
        return next(run for run in self.data["runs"] if run["name"] == name)

    def changes(self, run: str) -> list[dict[str, Any]]:
        file = self.run(run)["changes"]
        return [dict(zip(CHANGE, line, strict=False)) for line in self.file(file)] if file else []

    def case(self, name: str) -> dict[str, Any]:
        """A case with its runs as [name of the run, status, stage, group]."""
        place = self.file("cases")["name"].index(name)
        chunk = self.file(f"case-{place // self.data['chunk']}")
        case = chunk["cases"][place - chunk["first"]]
        text = lambda index: chunk["strings"][index] if index >= 0 else ""  # noqa: E731
        case["runs"] = [
            [self.data["runs"][run]["name"], self.data["statuses"][status]["name"], text(stage), text(cause)]
            for run, status, stage, cause, *_ in case["runs"]
        ]
        return case
