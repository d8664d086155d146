# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The form of sources: ./dev format, ./dev lint."""

from __future__ import annotations

import os
from pathlib import Path

from dev import environments, packages
from dev.build import LLVM, RELEASE, processors
from dev.options import Options
from dev.process import UNEXPECTED, captured, die, output, run, say

LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CPP = ("*.h", "*.c", "*.cc")
# Files of every language that has comments.
COMMENTED = (
    *CPP,
    "*.td",
    "*.fbs",
    "*.py",
    "*.ts",
    "*.tsx",
    "*.mjs",
    "*.sh",
    "*.cmake",
    "*CMakeLists.txt",
    "dev",
    ".ci/run",
)


def format_sources(arguments: list[str]) -> None:
    environments.make("lint", "validation/repository/requirements-lint.txt")
    run(f"clang-format-{LLVM}", "-i", *_files(*CPP))
    run(".venv-lint/bin/ruff", "format")


def lint(arguments: list[str]) -> None:
    checks = {"license": _license, "words": _words, "cpp": _cpp, "python": _python, "web": _web}
    at = arguments.index("--tidy") if "--tidy" in arguments else len(arguments)
    parts, tidy = arguments[:at], arguments[at:]
    for part in parts:
        if part.startswith("-"):
            Options("help lint").unknown(part)
        if part not in checks:
            die(f"unknown part {part}: license, words, cpp, python or web")
    match tidy[1:]:
        case [] | [_]:
            count = None
        case [_, "--at-most", number] if number.isdecimal():
            count = int(number)
        case _:
            die("--tidy takes a commit and --at-most COUNT: try './dev help lint'")
    packages.install()
    for part in parts or checks:
        checks[part]()
    if tidy:
        _tidy(tidy[1] if len(tidy) > 1 else "", count)


def _files(*patterns: str) -> list[str]:
    return [name for name in output("git", "ls-files", "-z", *patterns).split("\0") if name]


def _license() -> None:
    """Every source begins with its license, after `#!` if it has that."""
    say("checking license lines")
    missing = []
    for name in _files(*COMMENTED):
        with open(name, errors="replace") as file:
            first, second = file.readline(), file.readline()
        if first and LICENSE not in (second if first.startswith("#!") else first):
            missing.append(name)
    if missing:
        die("\n".join([f"no line '{LICENSE}' at the beginning of:", *missing]), UNEXPECTED)


def _words() -> None:
    """Refuses comments that have to be read twice, by the patterns of validation/repository/comments.txt."""
    say("checking the words of comments")
    page = "validation/repository/comments.txt"
    refused = []
    for line in Path(page).read_text(encoding="utf-8").splitlines():
        pattern, _, advice = line.partition("\t")
        if not pattern or pattern.startswith("# "):
            continue
        code, found = captured("git", "grep", "-nE", "-e", pattern, "--", *COMMENTED, "*.mlir")
        if code == 0:
            refused.append(f"{advice}:\n{found.rstrip()}")
        elif code != 1:  # 1: not found
            die(f"{page}: '{pattern}' is no pattern that git grep takes", UNEXPECTED)
    if refused:
        die("\n".join(refused), UNEXPECTED)


def _cpp() -> None:
    say("checking the form of C++")
    run(f"clang-format-{LLVM}", "--dry-run", "--Werror", *_files(*CPP))


def _python() -> None:
    say("checking the form of Python")
    environments.make("lint", "validation/repository/requirements-lint.txt")
    run(".venv-lint/bin/ruff", "check")
    run(".venv-lint/bin/ruff", "format", "--check")
    # `py.typed` promises types to the users of the API.
    strict = ("--strict", "--ignore-missing-imports", "--allow-untyped-decorators")
    run(".venv-lint/bin/mypy", *strict, "packaging/python/opbyop")


def _web() -> None:
    """Type errors and eslint's, in the build's copy next to node_modules, which bundling renews."""
    say("checking the types of TypeScript")
    RELEASE.build("--quiet", "reports/web/npm/dist/main.js")
    run("npm", "--prefix", f"{RELEASE.folder}/reports/web/npm", "run", "--silent", "check")


def _tidy(commit: str, count: int | None) -> None:
    """Runs clang-tidy on the lines that changed since COMMIT, in at most COUNT files; without COMMIT on all files."""
    RELEASE.build()
    if not commit:
        say("running clang-tidy")
        files = "\0".join(_files("*.cc")).encode()
        xargs = ("xargs", "-0", "-P", processors(), "-n", "4")
        run(*xargs, f"clang-tidy-{LLVM}", "-p", RELEASE.folder, "--quiet", stdin=files)
        return
    names = output("git", "diff", "-z", "--name-only", "--diff-filter=d", commit, "--", "*.cc")
    changed = [name for name in names.split("\0") if name]
    limit = "" if count is None else f", at most {count} of them"
    say(f"running clang-tidy on what changed since {commit}: {len(changed)} files{limit}")
    if changed[:count]:
        diff = output("git", "diff", "-U0", "--no-color", commit, "--", *changed[:count])
        tidy = (
            f"clang-tidy-diff-{LLVM}.py",
            "-clang-tidy-binary",
            f"clang-tidy-{LLVM}",
            "-p1",
            "-path",
            RELEASE.folder,
        )
        run(*tidy, "-j", processors(), "-quiet", "-only-check-in-db", stdin=os.fsencode(diff))
    if count is not None and count < len(changed):
        say(f"not checked: {len(changed) - count} files; run ./dev lint --tidy {commit}")
