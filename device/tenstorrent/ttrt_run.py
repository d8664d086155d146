# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The execute stage of target `tenstorrent`: runs one flatbuffer with ttrt and hands its tensors over.

    python3 ttrt_run.py case.ttnn DIR

ttrt draws its own inputs. They replace input_<i>.npy in DIR, so that the reference judges what the device was
given, and what the device returned becomes output_<i>.npy. Exit code 0: the flatbuffer ran; 77: ttrt skipped it
(another schema or board), which its own exit code does not tell from a failure; 1: everything else. The last line
on standard error says why.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import torch_file

SKIPPED = 77
GOLDEN_MISMATCH = 42  # ttrt's own comparison; here the reference judges


def read_results(path: Path) -> list[dict]:
    """What ttrt wrote, or [] where a crash left half of it or nothing."""
    try:
        results = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return results if isinstance(results, list) else []


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "and said nothing"


def convert(program: Path, source: str, destination: str, folder: Path) -> int:
    """Converts program/source_<k>.pt to folder/destination_<k>.npy, k = 0, 1, ...; returns how many there are."""
    count = 0
    while (saved := program / f"{source}_{count}.pt").exists():
        torch_file.write_npy(folder / f"{destination}_{count}.npy", torch_file.read(saved))
        count += 1
    return count


def write_timing(result: dict, folder: Path) -> None:
    """Device kernel durations of all loops as timing.json, where ttrt measured any."""
    loops = result.get("program_results", {}).get("program_index_0", {}).values()
    spans = sorted(float(ns) / 1000 for loop in loops if (ns := loop.get("total_device_kernel_duration_ns")))
    if spans:
        p95 = spans[min(len(spans) - 1, int(0.95 * len(spans)))]
        timing = {"n": len(spans), "min_us": spans[0], "median_us": spans[len(spans) // 2], "p95_us": p95}
        (folder / "timing.json").write_text(json.dumps(timing))


def main(flatbuffer: str, directory: str) -> int:
    folder = Path(directory)
    artifacts, results_file = folder / "ttrt-artifacts", folder / "run_results.json"
    command = ["ttrt", "run", flatbuffer, "--save-artifacts", "--artifact-dir", str(artifacts)]
    command += ["--result-file", str(results_file), "--program-index", "0"]
    ran = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    sys.stderr.write(ran.stdout)
    results = read_results(results_file)
    result = results[0] if results else {}
    word = result.get("result")
    if word == "skip":
        print(f"error: ttrt skipped it: {result.get('exception') or last_line(ran.stdout)}", file=sys.stderr)
        return SKIPPED
    if word is None:
        what = f"signal {-ran.returncode}" if ran.returncode < 0 else f"exit code {ran.returncode}"
        print(f"error: ttrt ended with {what} and no result: {last_line(ran.stdout)}", file=sys.stderr)
        return 1
    if word != "pass" and ran.returncode != GOLDEN_MISMATCH:
        print(f"error: {word}: {result.get('exception') or last_line(ran.stdout)}", file=sys.stderr)
        return 1
    programs = sorted(artifacts.rglob("program_0"))
    try:
        outputs = convert(programs[0], "device_output", "output", folder) if programs else 0
        if programs:
            convert(programs[0], "input", "input", folder)
    except torch_file.TorchFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if outputs == 0:
        print("error: ttrt says pass, but saved no device_output_0.pt", file=sys.stderr)
        return 1
    write_timing(result, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
