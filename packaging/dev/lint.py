# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The form of sources: ./dev format, ./dev lint."""

from __future__ import annotations

import json
import os
import re
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
    """Refuses comments that have to be read twice, and names that were replaced: two lists of patterns."""
    say("checking words and names")
    comments = refused("validation/repository/comments.txt", *COMMENTED, "*.mlir")
    names = refused("validation/repository/old_names.txt", ".", ":!validation/repository/comments.txt")
    if comments or names:
        die("\n".join([*comments, *names]), UNEXPECTED)


def refused(page: str, *files: str) -> list[str]:
    """Returns the lines of `files` that a pattern of the page matches, after the pattern's advice.

    The head of each page describes its lines.
    """
    found = []
    for line in Path(page).read_text(encoding="utf-8").splitlines():
        pattern, *rest = line.split("\t")
        if not pattern or pattern.startswith("# "):
            continue
        if len(rest) not in (1, 2):
            die(f"{page}: '{line}' is not PATTERN<TAB>ADVICE or PATTERN<TAB>ADVICE<TAB>FILES", UNEXPECTED)
        advice, kept = rest[0], rest[1].split() if len(rest) > 1 else []
        left_out = [f":!{name}" for name in (page, *kept)]
        whole = ["-w"] if pattern.isidentifier() else []
        code, lines = captured("git", "grep", "-nIE", *whole, "-e", pattern, "--", *files, *left_out)
        if code == 0:
            found.append(f"{advice}:\n{lines.rstrip()}")
        elif code != 1:  # 1: not found
            die(f"{page}: '{pattern}' is no pattern that git grep takes", UNEXPECTED)
    return found


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


def compile_commands(folder: str) -> str:
    """A folder with the compile_commands.json of single files, which a build compiles several at a time."""
    single = []
    for command in json.loads(Path(folder, "compile_commands.json").read_text()):
        files = [command["file"]]
        if os.path.basename(os.path.dirname(files[0])) == "Unity":
            files = re.findall(r'^#include "(.*)"$', Path(files[0]).read_text(), re.M)
        single += [
            {**command, "file": file, "command": command["command"].replace(command["file"], file)} for file in files
        ]
    commands = Path(folder, "single")
    commands.mkdir(exist_ok=True)
    (commands / "compile_commands.json").write_text(json.dumps(single))
    return str(commands)


def _tidy(commit: str, count: int | None) -> None:
    """Runs clang-tidy on the lines that changed since COMMIT, in at most COUNT files; without COMMIT on all files."""
    RELEASE.build()
    commands = compile_commands(RELEASE.folder)
    if not commit:
        say("running clang-tidy")
        files = "\0".join(_files("*.cc")).encode()
        xargs = ("xargs", "-0", "-P", str(processors()), "-n", "4")
        run(*xargs, f"clang-tidy-{LLVM}", "-p", commands, "--quiet", stdin=files)
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
            commands,
        )
        run(*tidy, "-j", str(processors()), "-quiet", "-only-check-in-db", stdin=os.fsencode(diff))
    if count is not None and count < len(changed):
        say(f"not checked: {len(changed) - count} files; run ./dev lint --tidy {commit}")
