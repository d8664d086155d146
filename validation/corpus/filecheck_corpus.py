# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks opbyop-opt by the CHECK lines of the corpora.

    python3 -m validation.corpus.filecheck_corpus --opt build/bin/opbyop-opt --filecheck FileCheck [FILE...]
Files of print/ run their own RUN lines. Files of verify/ that have CHECK lines are judged section by section: a section
with an expected-error must be rejected; any other must print what its CHECK lines expect after the pass of its RUN
line. Prints one line per file; exits with 0 if only sections of EXCEPTIONS differ, and with 77 (skipped) without the
corpora.
Prints one line per file; exits with 0 if only sections of EXCEPTIONS differ, with 77 (skipped) without the corpora.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

from fixtures.corpora.folder import corpora_or_exit

MARKER = "// -----"
# Upstream's test passes, and this project's equivalents.
PASSES = {"--hlo-test-infer": "--opbyop-test-infer"}
# Upstream's other passes, whose CHECK lines test neither inference nor printing.
OTHER_PASSES = {
    "--hlo-test-speculatability": "asks whether ops may be moved, not what they infer",
    "--hlo-test-broadcast": "asks for a rewrite of broadcasts, not what they infer",
}
# (file, function of the section) -> reason
EXCEPTIONS: dict[tuple[str, str], str] = {}


def run_lines(text: str) -> list[str]:
    """The RUN lines, continued ones joined, without those for builds with assertions."""
    joined = re.sub(r"\\\n// RUN:", "", text)
    return [line for line in re.findall(r"^// RUN: (.*)$", joined, re.MULTILINE) if not line.startswith("%if")]


def run_print(path: str, text: str, opt: str, filecheck: str) -> list[tuple[str, str]]:
    """(name, error or "") per RUN line."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for i, run_line in enumerate(run_lines(text)):
            line = re.sub(r"\bstablehlo-opt\b", shlex.quote(opt), run_line)
            line = re.sub(r"\bFileCheck\b", shlex.quote(filecheck), line)
            line = line.replace("%s", shlex.quote(path)).replace("%t", shlex.quote(os.path.join(folder, "t")))
            shell = ["bash", "-o", "pipefail", "-c", line]
            done = subprocess.run(shell, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
            results.append((f"RUN line {i + 1}", done.stderr.strip() if done.returncode else ""))
    return results


def run_section(section: str, arguments: list[str], opt: str, filecheck: str) -> str:
    """The fault of a section; empty if there is none."""
    plain = section.replace("expected-", "expected_")
    done = subprocess.run([opt, "-", *arguments], check=False, input=plain, capture_output=True, text=True, timeout=120)
    if done.returncode < 0 or done.returncode >= 128:
        return f"crashed: {done.stderr}"
    if "expected-error" in section:
        return "" if done.returncode else "accepted, but has an expected-error"
    if done.returncode:
        return done.stderr.strip()
    if not re.search(r"^\s*// CHECK", section, re.MULTILINE):
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as checks:
        checks.write(section)
        checks.flush()
        found = subprocess.run(
            [filecheck, checks.name], check=False, input=done.stdout, capture_output=True, text=True, timeout=120
        )
    return found.stderr.strip() if found.returncode else ""


def run_verify(path: str, text: str, opt: str, filecheck: str) -> list[tuple[str, str]]:
    words = run_lines(text)[0].split()
    arguments = [PASSES[word] for word in words if word in PASSES] + ["--allow-unregistered-dialect"]
    results, line = [], 1
    for section in text.split(MARKER):
        name = re.search(r"func\.func (?:private )?@(\w+)", section)
        error = run_section(section, arguments, opt, filecheck)
        reason = EXCEPTIONS.get((os.path.basename(path), name.group(1) if name else ""))
        if reason:
            error = "" if error else f"agrees, but is listed as an exception: {reason}"
        results.append((f"line {line}" + (f", @{name.group(1)}" if name else ""), error))
        line += section.count("\n")
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--filecheck", required=True)
    parser.add_argument("files", nargs="*", help="base names; default: all")
    options = parser.parse_args()
    corpora = corpora_or_exit("corpora/stablehlo")
    jobs = []
    for folder, judge in (("print", run_print), ("verify", run_verify)):
        root = str(corpora / folder)
        if not os.path.isdir(root):
            continue
        for name in sorted(os.listdir(root)):
            if options.files and name not in options.files:
                continue
            path = os.path.join(root, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            other = [word for word in run_lines(text)[0].split() if word in OTHER_PASSES]
            if other:
                print(f"{folder}/{name}: left out, {other[0]} {OTHER_PASSES[other[0]]}")
            elif folder == "print" or re.search(r"^\s*// CHECK", text, re.MULTILINE):
                jobs.append((f"{folder}/{name}", judge, path, text))

    failed = False
    opt, filecheck = os.path.abspath(options.opt), options.filecheck
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [(name, pool.submit(judge, path, text, opt, filecheck)) for name, judge, path, text in jobs]
        for name, future in futures:
            results = future.result()
            wrong = [(place, error) for place, error in results if error]
            unit = "RUN lines" if name.startswith("print/") else "sections"
            print(f"{name}: {len(results) - len(wrong)} of {len(results)} {unit}", flush=True)
            for place, error in wrong:
                failed = True
                print(f"  {place}:\n    " + "\n    ".join(error.splitlines()[:12]), flush=True)
    for (name, function), reason in EXCEPTIONS.items():
        print(f"exception: {name} @{function}: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
