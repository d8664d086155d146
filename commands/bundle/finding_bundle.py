# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""`opbyop bundle`: packs a failing row in a folder and a zip, in the form in which its compiler's project wants
reports.

The row is reduced (`opbyop reduce`) and run once more for its tensors (`opbyop repro`). Then everything is written that
a reader without this project needs to see the failure: the program, its inputs, actual and expected outputs, and
`reproduce.sh` with the compiler's own tools. `device/KIND/finding.py` of the target's device knows these tools, and the
form of the project's issues. If it is absent, the script has the commands that the target's stages ran.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import quoting  # in the folder of this file, which is a program
import safe_output  # in the folder of this file, which is a program
import tensor_text

SCHEMA = "opbyop-finding/1"
USAGE, NO_INPUT, NOTHING = 2, 3, 7
MARK = "finding.json"

# How often a case that fails only sometimes may pass before the bundle gives up.
MOST_RUNS = 5

# Outputs with more elements are only in files.
MOST_SHOWN = 32


class Stop(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclasses.dataclass
class Tensor:
    dtype: str
    shape: tuple[int, ...]
    data: bytes
    file: str

    @property
    def text(self) -> str:
        """All elements, or the first few, as text."""
        values = tensor_text.elements(self.data, self.dtype)
        shown = ", ".join(tensor_text.shortest(value, self.dtype) for value in values[:MOST_SHOWN])
        return shown + (f", ... ({len(values)} in all, see {self.file})" if len(values) > MOST_SHOWN else "")

    @property
    def type(self) -> str:
        return "x".join([*map(str, self.shape), self.dtype])


@dataclasses.dataclass
class Finding:
    """The facts that a kit writes its files from."""

    folder: Path  # of the bundle, with program.mlir, input_<i>.npy, expected_<i>.npy
    target: dict[str, Any]  # name, kind, flags, worker, environment, plugin, topology
    reduction: dict[str, Any]
    record: dict[str, Any]  # of the reduced program
    header: dict[str, Any]  # of the run of that record
    inputs: list[Tensor]
    expected: list[Tensor]
    got: list[Tensor]
    kept: Path  # the files of every stage, from opbyop repro
    case: Path  # the reduced program as a folder that `opbyop run` takes
    versions: str

    @property
    def executes(self) -> bool:
        """Whether it compiles, and fails on the device."""
        return self.record["stage"] in ("load", "execute", "compare")

    @property
    def program(self) -> str:
        return (self.folder / "program.mlir").read_text(encoding="utf-8")

    @property
    def ops(self) -> str:
        """The ops, in the form of a title."""
        op = str(self.reduction["op"])
        return op if op != "model" else " and ".join(dict.fromkeys(_ops_of(self.program)))

    @property
    def what(self) -> str:
        """One line that says what is wrong."""
        if self.record["stage"] == "compare":
            worst = next((c["worst"][0] for c in self.record["comparisons"] if not c["accepted"] and c["worst"]), None)
            if worst:
                return f"gives {worst['got']}, expected {worst['expected']}"
        words = {"fail": "fails", "crash": "crashes", "timeout": "does not end", "out_of_memory": "runs out of memory"}
        return f"{words.get(self.record['status'], self.record['status'])} in {self.record['stage']}"

    @property
    def title(self) -> str:
        """A title in Markdown: the ops, and what is wrong with them."""
        return quoting.markdown(f"{self.ops} {self.what}")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)

    def values(self) -> str:
        """Inputs and outputs as a list in Markdown."""
        text = quoting.markdown
        lines = [f"- input {i} ({text(each.type)}): {text(each.text)}" for i, each in enumerate(self.inputs)]
        for i, (got, expected) in enumerate(zip(self.got, self.expected, strict=False)):
            lines += [f"- output {i} ({text(got.type)}) is: {text(got.text)}", f"- expected: {text(expected.text)}"]
        return "\n".join(lines)

    def description(self) -> str:
        """A description in Markdown: a sentence on what is wrong, the program, inputs and outputs, the diagnostic."""
        return f"""{self.title}.

{quoting.fence(self.program, "mlir")}

{self.values() or "It does not run."}

{quoting.fence(self.record.get("diagnostic", ""))}"""


def _ops_of(program: str) -> list[str]:
    words = program.replace('"', " ").replace("(", " ").split()
    return [word for word in words if word.startswith(("stablehlo.", "chlo.")) and not word.endswith(".constant")]


def opbyop(facts: dict[str, Any], *arguments: object, allowed: tuple[int, ...] = (0,)) -> None:
    done = subprocess.run(
        [str(Path(facts["bin"]) / "opbyop"), *map(str, arguments)], stdout=subprocess.DEVNULL, check=False
    )
    if done.returncode not in allowed:
        # The program has printed the reason.
        raise Stop(done.returncode if done.returncode > 0 else 128 - done.returncode, "")


def reduce(facts: dict[str, Any], work: Path, *arguments: object) -> Path:
    """Returns the folder of the reduced program. Ctrl-C ends the search, and the best program so far is bundled."""
    reduced = work / "reduced"
    # A handler, unlike SIG_IGN, is not inherited by the program that is started.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        opbyop(facts, "reduce", *arguments, "-o", work, allowed=(0, -signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)
    if not (reduced / "reduction.json").exists():
        raise Stop(128 + signal.SIGINT, "interrupted before anything was found")
    return reduced


def program_text(path: Path) -> str:
    """The program without this project's header comments."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
    return "\n".join(lines).replace(' attributes {opbyop.case = "' + path.stem + '"}', "").strip() + "\n"


def read_tensors(kept: Path, stem: str, types: list[dict[str, Any]], folder: Path, name: str) -> list[Tensor]:
    tensors = []
    for i, each in enumerate(types):
        source = kept / f"{stem}_{i}.npy"
        if not source.exists():
            return []
        shape, data = tensor_text.read_npy(source)
        shutil.copyfile(source, folder / f"{name}_{i}.npy")
        tensors.append(Tensor(each["dtype"], shape, data, f"{name}_{i}.npy"))
    return tensors


def load_kit(facts: dict[str, Any]) -> ModuleType:
    """The file that the target names, device/KIND/finding.py, or commands/bundle/finding_kit.py."""
    root = Path(facts["root"])
    path = root / (facts["finding"] or f"device/{facts['kind']}/finding.py")
    if facts["finding"] and not path.exists():
        raise Stop(NO_INPUT, f"{facts['file']}: `finding` names {path}, which is not there")
    if not path.exists():
        path = root / "commands/bundle/finding_kit.py"
    spec = importlib.util.spec_from_file_location("finding_kit", path)
    assert spec and spec.loader
    kit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kit)
    return kit


def signature(run: Path) -> dict[str, Any]:
    """The signature of a folder's only case: {"id": ..., "inputs": [...], "outputs": [...]}."""
    for line in (run / "manifest.yaml").read_text(encoding="utf-8").splitlines():
        entry = line.strip().removeprefix("- ")
        if entry.startswith('{"id"'):
            return dict(json.loads(entry))
    raise Stop(NO_INPUT, f"{run}/manifest.yaml: no case")


def require_own(folder: Path, facts: dict[str, Any]) -> None:
    """Refuses a folder with files that this program did not write. The file of a target that was given as a plugin
    is its own."""
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names - {Path(facts["file"]).name} and MARK not in names:
        raise Stop(USAGE, f"{folder}: has other files: name another folder")


def prepare(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def run_again(facts: dict[str, Any], row: str, how: list[object], out: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and record of a run in which the row does not pass."""
    for _ in range(MOST_RUNS):
        opbyop(facts, "repro", row, *how, "-o", out, allowed=(0, 1, 8))
        lines = [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]
        record = next(line for line in lines if line["record"] == "case")
        if record["status"] != "pass":
            return lines[0], record
    raise Stop(
        NOTHING,
        f"{row}: what it was reduced to passed {MOST_RUNS} times, so there is nothing to report: does it fail only "
        "sometimes? `opbyop reduce` keeps the program",
    )


def collect(arguments: argparse.Namespace, work: Path) -> Finding:
    facts, folder = arguments.target_facts, arguments.output
    how = ["--run", arguments.run, "--target", facts["given"], "--time-limit", arguments.time_limit]
    for name in ("policy", "seed"):
        if getattr(arguments, name):
            how += [f"--{name}", getattr(arguments, name)]
    reduced = reduce(facts, work, arguments.row, *how)
    reduction = json.loads((reduced / "reduction.json").read_text(encoding="utf-8"))
    prepare(folder)
    (folder / MARK).write_text("{}\n")
    case = signature(reduced)
    kept = work / "run" / case["id"]
    again = ["--run", reduced, "--target", facts["given"], "--policy", reduction["policy"], "--seed", reduction["seed"]]
    header, record = run_again(facts, reduction["row"], again, work / "run")
    for name, source in (("program", reduced), ("full", work / "original")):
        [file] = (source / "cases").glob("*.mlir")
        (folder / f"{name}.mlir").write_text(program_text(file), encoding="utf-8")
    (folder / "signature.json").write_text(json.dumps({key: case.get(key, []) for key in ("inputs", "outputs")}) + "\n")
    shutil.copyfile(Path(facts["root"]) / "commands/bundle/tensor_text.py", folder / "compare.py")
    finding = Finding(
        folder=folder,
        target=facts,
        reduction=reduction,
        record=record,
        header=header,
        inputs=read_tensors(kept, "input", case["inputs"], folder, "input"),
        expected=read_tensors(kept, "expected", case["outputs"], folder, "expected"),
        got=read_tensors(kept, "output", case["outputs"], folder, "seen"),
        kept=kept,
        case=reduced,
        versions=versions(facts, header),
    )
    read_tensors(kept, "bound", [{"dtype": "f64"}] * len(case["outputs"]), folder, "bound")
    return finding


def versions(facts: dict[str, Any], header: dict[str, Any]) -> str:
    """The versions of compiler and machine, a line each."""
    host = header.get("host", {})
    lines = [
        f"compiler: {header.get('toolchain', 'unknown')}",
        f"system: {platform.platform()}",
        f"processor: {host.get('cpu', platform.machine())}",
        f"Python: {platform.python_version()}",
    ]
    lines += [f"{name}: {value}" for name, value in (header.get("properties") or {}).items() if len(str(value)) < 200]
    return "\n".join(lines) + "\n"


def write_bundle(finding: Finding, kit: ModuleType) -> None:
    finding.write("versions.txt", finding.versions)
    log = "\n".join([finding.record.get("diagnostic", ""), *finding.record.get("stderr_tail", [])]).strip()
    finding.write("log.txt", log + "\n")
    kit.write(finding)
    finding.write("report.md", kit.report(finding))
    facts = {
        "schema": SCHEMA,
        "row": finding.reduction["row"],
        "target": finding.target["name"],
        "status": finding.record["status"],
        "stage": finding.record["stage"],
        "diagnostic": finding.record.get("diagnostic", ""),
        "from": finding.reduction["from"],
        "to": finding.reduction["to"],
    }
    finding.write(MARK, json.dumps(facts, indent=1) + "\n")
    redact(finding)
    facts = json.loads((finding.folder / MARK).read_text(encoding="utf-8"))
    files = (path for path in finding.folder.rglob("*") if path.is_file())
    facts["files"] = sorted(str(path.relative_to(finding.folder)) for path in files)
    finding.write(MARK, json.dumps(facts, indent=1) + "\n")


def redact(finding: Finding) -> None:
    """Removes values of environment variables from all files, except values that are names of rows and ops."""
    programs = "".join((finding.folder / f"{name}.mlir").read_text(encoding="utf-8") for name in ("program", "full"))
    names = {str(finding.reduction["row"]), finding.case.name, *re.findall(r"\b[a-z_]+\.[a-z_0-9]+", programs)}
    options = [f"--name={name}" for name in sorted(names)]
    opbyop(finding.target, "redact", finding.folder, "--target", finding.target["given"], *options)


def write_zip(folder: Path) -> Path:
    """Writes the zip. Its entries are in a folder with the bundle's name."""
    path = folder.with_name(folder.name + ".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for each in sorted(folder.rglob("*")):
            file.write(each, Path(folder.name) / each.relative_to(folder))
    return path


def main(argv: list[str]) -> int:
    safe_output.install()
    parser = argparse.ArgumentParser(prog="opbyop bundle")
    parser.add_argument("row")
    for name in ("--policy", "--seed", "--time-limit"):
        parser.add_argument(name, default="")
    for name in ("--run", "--output"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--target-facts", type=json.loads, required=True)
    arguments = parser.parse_args(argv)
    arguments.output = arguments.output.absolute()
    try:
        require_own(arguments.output, arguments.target_facts)
        with tempfile.TemporaryDirectory(prefix="opbyop-bundle-") as work:
            finding = collect(arguments, Path(work))
            write_bundle(finding, load_kit(arguments.target_facts))
        path = write_zip(arguments.output)
    except Stop as why:
        if str(why):
            print(f"opbyop: {why}", file=sys.stderr)
        return why.code
    except KeyboardInterrupt:
        # Ends by the signal, as a shell expects of a program that Ctrl-C ended.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    print(f"{finding.ops} {finding.what}\n{arguments.output / 'report.md'}\n{path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
