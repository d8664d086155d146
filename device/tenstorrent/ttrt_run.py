# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The execute stage of target `tenstorrent-ttrt`: runs one flatbuffer with ttrt and converts its tensors.

    python3 ttrt_run.py case.ttnn DIR

ttrt generates its own inputs. They replace input_<i>.npy in DIR, so that the reference judges the inputs that the
device got; the device's results become output_<i>.npy. Both are converted from the types of the device to those that
DIR/types.json declares (device_types.py, which needs NumPy if any differ). If the exit code is not 0, the last line on
standard error says why:

| code | meaning                                                                                                    |
|------|------------------------------------------------------------------------------------------------------------|
| 77   | skipped: ttrt skipped it (another schema or board); ttrt's own exit code is that of a failure               |
| 78   | inconclusive: ttrt generated inputs that the program's types cannot represent                               |
| 79   | unsupported: the device's type for a type of the program cannot represent its values                        |
| 1    | any other error                                                                                             |
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
sys.path.insert(0, str(Path(__file__).parent))
import shards
import torch_file

SKIPPED = 77
INCONCLUSIVE = 78
UNSUPPORTED = 79
GOLDEN_MISMATCH = 42  # ttrt's own comparison failed; here the reference judges


class RunError(Exception):
    """The reason why the stage ends, with its exit code."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code


def read_results(path: Path) -> list[dict]:
    """The results that ttrt wrote; [] if a crash left an incomplete file or none."""
    try:
        results = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return results if isinstance(results, list) else []


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "and said nothing"


def declared_types(folder: Path) -> dict[str, list[dict]]:
    return json.loads((folder / "types.json").read_text())


def convert(saved: list[torch_file.Tensor], type_: dict, what: str) -> torch_file.Tensor:
    """Assembles the shards and converts the tensor to the program's type."""
    shape, declared = tuple(type_["shape"]), type_["dtype"]
    first = saved[0]
    pieces = [shards.Shard(shard.shape, shard.data) for shard in saved]
    data = shards.assemble(pieces, shape, first.item_bytes, what)
    whole = torch_file.Tensor(shape, first.descr, data, first.device_type)
    if torch_file.SAME_TYPE.get(first.device_type) == declared:
        return whole
    try:
        import device_types
        import numpy as np
    except ImportError:
        raise RunError(
            f"error: {what} is {declared} and {first.device_type} on the device: converting it needs NumPy",
            UNSUPPORTED,
        ) from None
    array = np.frombuffer(data, device_types.dtype_on_device(first.device_type, what)).reshape(shape)
    values = device_types.from_device(array, first.device_type, declared, what)
    descr = "<V2" if declared == "bf16" else values.dtype.str
    return torch_file.Tensor(shape, descr, values.tobytes(), declared)


def save_tensors(program: Path, folder: Path) -> None:
    """Writes the saved inputs and outputs of `program` as input_<i>.npy and output_<i>.npy."""
    declared = declared_types(folder)
    for source, key, destination in (("input", "inputs", "input"), ("device_output", "outputs", "output")):
        for i, type_ in enumerate(declared[key]):
            saved = program / f"{source}_{i}.pt"
            if not saved.exists():
                raise RunError(f"error: ttrt says pass, but saved no {saved.name}")
            what = f"{'argument' if key == 'inputs' else 'result'} {i}"
            try:
                tensor = convert(torch_file.read(saved), type_, what)
            except (torch_file.TorchFileError, shards.ShardError) as error:
                raise RunError(f"error: {error}") from error
            except RunError:
                raise
            except Exception as error:
                status = getattr(error, "status", "fail")
                if status == "unsupported":
                    raise RunError(f"error: {error}", UNSUPPORTED) from error
                if key == "inputs" and status == "fail" and hasattr(error, "diagnostic"):
                    drew = str(error).replace("the device gave", "ttrt drew")
                    raise RunError(f"error: {drew}: nothing was tested", INCONCLUSIVE) from error
                raise RunError(f"error: {error}") from error
            torch_file.write_npy(folder / f"{destination}_{i}.npy", tensor)
        if (program / f"{source}_{len(declared[key])}.pt").exists():
            raise RunError(f"error: ttrt saved more than the {len(declared[key])} {key} that the program has")


def write_timing(result: dict, folder: Path) -> None:
    """Writes the device kernel durations of all loops to timing.json, if ttrt measured any."""
    programs = result.get("program_results", {}).values()
    loops = [loop for program in programs for loop in program.values()]
    spans = sorted(float(ns) / 1000 for loop in loops if (ns := loop.get("total_device_kernel_duration_ns")))
    if spans:
        p95 = spans[min(len(spans) - 1, int(0.95 * len(spans)))]
        timing = {"n": len(spans), "min_us": spans[0], "median_us": spans[len(spans) // 2], "p95_us": p95}
        (folder / "timing.json").write_text(json.dumps(timing))


def run(flatbuffer: str, folder: Path) -> None:
    artifacts, results_file = folder / "ttrt-artifacts", folder / "run_results.json"
    # Runs all programs. ttrt skips private ones, and a case has exactly one that is not private.
    command = ["ttrt", "run", flatbuffer, "--save-artifacts", "--artifact-dir", str(artifacts)]
    command += ["--result-file", str(results_file)]
    ran = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    sys.stderr.write(ran.stdout)
    results = read_results(results_file)
    result = results[0] if results else {}
    word = result.get("result")
    if word == "skip":
        raise RunError(f"error: ttrt skipped it: {result.get('exception') or last_line(ran.stdout)}", SKIPPED)
    if word is None:
        what = f"signal {-ran.returncode}" if ran.returncode < 0 else f"exit code {ran.returncode}"
        raise RunError(f"error: ttrt ended with {what} and no result: {last_line(ran.stdout)}")
    if word != "pass" and ran.returncode != GOLDEN_MISMATCH:
        raise RunError(f"error: {word}: {result.get('exception') or last_line(ran.stdout)}")
    programs = sorted(path for path in artifacts.rglob("program_*") if any(path.glob("device_output_*.pt")))
    if not programs:
        raise RunError("error: ttrt says pass, but saved no device_output_0.pt")
    if len(programs) > 1:
        raise RunError(f"error: ttrt ran {len(programs)} programs of one case, one was expected")
    save_tensors(programs[0], folder)
    write_timing(result, folder)


def main(flatbuffer: str, directory: str) -> int:
    try:
        run(flatbuffer, Path(directory))
    except RunError as error:
        print(error, file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
