# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Counts the cases of models that are also cases of the HLO which their framework dumped.

python3 -m commands.split.hlo_agreement out/dumps     # folders of `python -m fixtures.export.dumps`

Prints, for each model and for all, how many cases StableHLO and HLO have and how many both, and by op those that only
StableHLO has. docs/what-is-read.md has the results.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from fixtures.programs import ROOT


def cases_of(source: Path) -> dict[str, str]:
    """The op of each case, by its id."""
    with tempfile.TemporaryDirectory() as folder:
        command = [ROOT / "build/bin/opbyop", "split", "--quiet", source, "-o", f"{folder}/ops"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{source}: {done.stdout}{done.stderr}")
        manifest = Path(f"{folder}/ops/manifest.yaml").read_text()
    return dict(re.findall(r'"id":"([^"]+)","op":"([^"]+)"', manifest))


def line(name: str, stablehlo: set[str], hlo: set[str]) -> str:
    both = stablehlo & hlo
    share = 100 * len(both) / max(1, len(stablehlo))
    return f"{name:36} {len(stablehlo):10} {len(hlo):6} {len(both):6} {share:5.0f} %"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m commands.split.hlo_agreement", description=__doc__)
    parser.add_argument("folder", type=Path)
    folders = sorted(path.parent for path in parser.parse_args().folder.glob("*/model.mlirbc"))
    print(f"{'model':36} {'StableHLO':>10} {'HLO':>6} {'both':>6} {'share':>7}")
    all_stablehlo: dict[str, str] = {}
    all_hlo: dict[str, str] = {}
    for folder in folders:
        stablehlo, hlo = cases_of(folder / "model.mlirbc"), cases_of(folder / "dump")
        print(line(folder.name, set(stablehlo), set(hlo)), flush=True)
        all_stablehlo |= stablehlo
        all_hlo |= hlo
    print(line("all, each case once", set(all_stablehlo), set(all_hlo)))
    only = Counter(op for case, op in all_stablehlo.items() if case not in all_hlo)
    print("only in StableHLO:", ", ".join(f"{op} {count}" for op, count in only.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
