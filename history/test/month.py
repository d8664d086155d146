# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A month of nightlies made from the records of one real run, with changes planted on known nights.

    month = Month(run_folder, before_folder, out_folder, seed=1, late_night=20)
    month.plant(case, range(12, 31), slow(1.2))
    folders = [month.night(number) for number in range(1, NIGHTS + 1)]   # each with results.jsonl and manifest.yaml

Times get the noise of a real machine: a night is some per cent slower or faster as a whole, and each case has its own
scatter. Numbers do not move, because inputs are seeded. Everything else is as in the run.
"""

from __future__ import annotations

import copy
import datetime
import hashlib
import json
import math
import os
import random
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

Record = dict[str, Any]

NIGHTS = 30
FIRST = datetime.datetime(2026, 11, 1, 2, tzinfo=datetime.UTC)

# Standard deviations of logarithms: of a whole night, and of cases from night to night.
NIGHT_NOISE = 0.04
CASE_NOISE = (0.01, 0.03)

LEAST_US = 20.0


def run_id(number: int) -> str:
    return f"night-{number:02}"


def end(record: Record, status: str, stage: str, diagnostic: str) -> None:
    """Changes the record as if its case had ended in this stage."""
    stages = [each for each in record["stages"] if each["name"] != stage]
    record.update(status=status, stage=stage, diagnostic=diagnostic)
    record["stages"] = [*stages[:2], {"name": stage, "status": status, "ms": 1.0, "diagnostic": diagnostic}]
    for key in ("timing", "comparisons", "sets"):
        record.pop(key, None)


def slow(factor: float) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        for key in ("min_us", "median_us", "p95_us"):
            record["timing"][key] *= factor

    return change


def drift(ratio: float) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        for comparison in record["comparisons"]:
            comparison["bound_ratio"] = ratio

    return change


class Month:
    def __init__(self, run: Path, before: Path, out: Path, seed: int, late_night: int) -> None:
        """Nights before `late_night` have the manifest of `before`, which has fewer models than `run`."""
        self.run, self.before, self.out, self.late_night = run, before, out, late_night
        self.random = random.Random(seed)
        self.plants: list[tuple[str, Collection[int], Callable[[Record], None]]] = []
        lines = (run / "results.jsonl").read_text().splitlines()
        self.header, *self.records, self.footer = [json.loads(line) for line in lines]
        self.records.sort(key=lambda record: record["case"])  # the file has them in the order in which they ended
        self.noise = {record["case"]: self.random.uniform(*CASE_NOISE) for record in self.records}
        for record in self.records:
            timing = record.get("timing")
            if timing and timing["n"] > 0:
                # A shorter time would be mostly the resolution of the clock.
                timing["median_us"] = max(timing["median_us"], LEAST_US)
                timing["min_us"] = timing["median_us"] * 0.98
                timing["p95_us"] = timing["median_us"] * 1.2

    def plant(self, case: str, nights: Collection[int], change: Callable[[Record], None]) -> None:
        """Changes the record of `case` on these nights."""
        self.plants.append((case, nights, change))

    def night(self, number: int) -> Path:
        folder = self.out / run_id(number)
        folder.mkdir(parents=True)
        split = self.run if number >= self.late_night else self.before
        shutil.copy(split / "manifest.yaml", folder / "manifest.yaml")
        shutil.copytree(split / "cases", folder / "cases", copy_function=os.link)
        header = copy.deepcopy(self.header)
        header.update(
            run_id=run_id(number),
            start=(FIRST + datetime.timedelta(days=number - 1)).isoformat(timespec="microseconds"),
            toolchain=f"compiler 1.{number}",
            digest=f"{number:064x}",
            manifest="manifest.yaml",
            manifest_hash=hashlib.sha256((folder / "manifest.yaml").read_bytes()).hexdigest(),
        )
        weather = self.random.gauss(0, NIGHT_NOISE)
        records = [self.record(record, number, weather) for record in self.records]
        there = (folder / "manifest.yaml").read_text()
        records = [record for record in records if f'"id":"{record["case"]}"' in there]
        lines = [header, *records, self.footer]
        (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    def record(self, record: Record, number: int, weather: float) -> Record:
        record = copy.deepcopy(record)
        scatter = self.random.gauss(0, self.noise[record["case"]])
        if record.get("timing", {}).get("n", 0) > 0:
            slow(math.exp(weather + scatter))(record)
        for case, nights, change in self.plants:
            if case == record["case"] and number in nights:
                change(record)
        return record
