#!/usr/bin/env python3
"""Measures how far opbyop-opt agrees with the shared corpora.

    tools/corpus.py --opt build/bin/opbyop-opt --corpora ../shared/corpora [--verbose] [SET...]

For the sets of the verify folder a section must be rejected if and only if it
carries an expected-error; for all other sets a file must be accepted, and what
is printed must read back and print the same. Prints one line per set; exits
with 0 if nothing falls short of --floor (a JSON object, set -> agreeing items),
and with 77 (skipped) when the corpora are absent.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

MARKER = "// -----"
EXPECTED = re.compile(r"expected-error")
# The four errors of this file come from a pass, not from reading.
PASS_ERRORS = {"ops_broadcasting.mlir"}
PLAIN_ERROR = re.compile(r"^[^\n]*?:(\d+):\d+: error: (.*)", re.M)
# Errors at named locations cannot be given to a section.
UNPLACED_ERROR = re.compile(r'^(loc\(|<unknown>|"[^"]*"\)?:? ?error)', re.M)


def run(opt, arguments, text=None):
    try:
        done = subprocess.run([opt, *arguments], input=text, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return -9, b"", "timed out"
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def sections_of(text):
    """(start line, text) of each section, cut wherever the marker stands."""
    line, sections = 1, []
    for part in text.split(MARKER):
        sections.append((line, part))
        line += part.count("\n")
    return sections


def judge_section(opt, text):
    text = text.replace("expected-", "expected_")
    code, _, errors = run(opt, ["-", "--allow-unregistered-dialect", "-o", os.devnull], text.encode())
    if code < 0 or code >= 128:
        return "crash", errors.strip().splitlines()[:1]
    found = PLAIN_ERROR.findall(errors)
    return ("reject" if code else "accept"), [message for _, message in found[:1]]


def verify_file(opt, path):
    """One (name, agrees, note) per section."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    sections = sections_of(text)
    # MLIR 22's driver checks annotations unasked; what is wanted is judged here.
    plain = text.replace("expected-", "expected_").encode()
    code, _, errors = run(opt, ["-", "--split-input-file", "--allow-unregistered-dialect", "-o", os.devnull], plain)
    verdicts = None
    if 0 <= code < 128 and not UNPLACED_ERROR.search(errors):
        rejected = {}
        starts = [start for start, _ in sections]
        for line, message in PLAIN_ERROR.findall(errors):
            rejected.setdefault(max(i for i, s in enumerate(starts) if s <= int(line)), message)
        verdicts = [("reject", [rejected[i]]) if i in rejected else ("accept", []) for i in range(len(sections))]
    if verdicts is None:  # something crashed: judge each section by itself
        verdicts = [judge_section(opt, text) for _, text in sections]
    results = []
    for (start, text), (verdict, notes) in zip(sections, verdicts):
        wanted = "reject" if EXPECTED.search(text) and os.path.basename(path) not in PASS_ERRORS else "accept"
        note = "" if verdict == wanted else f"{verdict}, wanted {wanted}: {' '.join(notes)}"
        if verdict == "accept" and wanted == "reject":
            note += " ".join(re.findall(r"expected-error.*", text))
        results.append((f"{os.path.basename(path)}:{start}", verdict == wanted, note))
    return results


def accept_file(opt, path, split):
    """One (name, agrees, note) for a file: accepted, and a fixed point of printing."""
    name = os.path.basename(path)
    flags = ["--split-input-file"] if split else []
    code, first, errors = run(opt, [path, *flags])
    if code:
        lines = [line for line in errors.splitlines() if "error:" in line] or errors.splitlines()
        return [(name, False, f"exit {code}: " + (lines[0] if lines else "no message"))]
    with tempfile.NamedTemporaryFile(suffix=".mlir") as printed:
        printed.write(first)
        printed.flush()
        code, second, errors = run(opt, [printed.name, *flags])
    if code:
        return [(name, False, "its print is rejected: " + (errors.splitlines() or [""])[0])]
    return [(name, first == second, "" if first == second else "its print prints differently")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", required=True)
    parser.add_argument("--corpora", required=True)
    parser.add_argument("--floor", help="JSON file: set -> least number of agreeing items")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("sets", nargs="*")
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.corpora):
        print(f"skipped: no corpora at {arguments.corpora}")
        return 77
    floors = {}
    if arguments.floor:
        with open(arguments.floor, encoding="utf-8") as file:
            floors = json.load(file)

    root = os.path.join(arguments.corpora, "stablehlo")
    jobs = []
    for folder, _, files in sorted(os.walk(root)):
        for name in sorted(files):
            set_name = os.path.relpath(folder, root)
            if not name.endswith(".mlir") or (arguments.sets and set_name not in arguments.sets):
                continue
            jobs.append((set_name, os.path.join(folder, name)))
    exports = os.path.join(arguments.corpora, "exports")
    if os.path.isdir(exports) and (not arguments.sets or "exports" in arguments.sets):
        jobs += [("exports", os.path.join(exports, n)) for n in sorted(os.listdir(exports)) if n.endswith(".mlir")]

    def work(job):
        set_name, path = job
        if set_name == "verify":
            return verify_file(arguments.opt, path)
        with open(path, encoding="utf-8") as file:
            split = set_name not in ("testdata", "math", "dynamic", "print", "exports", "vhlo") and MARKER in file.read()
        return accept_file(arguments.opt, path, split)

    totals = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (set_name, _), results in zip(jobs, pool.map(work, jobs)):
            agree, total = totals.get(set_name, (0, 0))
            totals[set_name] = (agree + sum(ok for _, ok, _ in results), total + len(results))
            if arguments.verbose:
                for name, ok, note in results:
                    if not ok:
                        print(f"{set_name}/{name}: {note}", flush=True)
    short = False
    print(f"{'set':<18} {'agree':>6} {'of':>6}")
    for set_name, (agree, total) in totals.items():
        low = agree < floors.get(set_name, 0)
        short |= low
        print(f"{set_name:<18} {agree:>6} {total:>6}" + (f"  below its floor {floors[set_name]}" if low else ""))
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
