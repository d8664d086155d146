# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""opbyop.check and opbyop.assert_conforms."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ._export import Program, export, name_of
from ._programs import NOTHING_JUDGED, PARTIAL, PASSED, UNEXPECTED, run
from ._report import Report, read_report


def check(
    program: Program,
    *args: Any,
    target: str | os.PathLike[str] = "host",
    name: str | None = None,
    policy: str | None = None,
    out: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    **kwargs: Any,
) -> Report:
    """Runs every op of a program by itself on a target and judges its results.

    `program` is a JAX function or a torch.nn.Module, with examples of its arguments in `args` and `kwargs`, or a
    StableHLO program: its text, its bytes or its file. A target written in Python runs in this interpreter if it has
    the packages; target="xla" then judges the jaxlib that this process imports.

    `target`: a name that `opbyop doctor` lists, a target's file, or "pjrt:/path/plugin.so".
    `name`: the model's name in reports; default: the function's, class's or file's name.
    `policy`: how inputs are generated, as `opbyop run --policy`; default: all of a nightly.
    `out`: a folder for the run, kept; its earlier results are replaced. Default: a temporary one, which is removed with
    the report.
    `timeout`: seconds for the whole run; default: none, as each stage of each op has its own.

    Raises opbyop.Error if the program cannot be exported, read or run; ops that fail are rows of the report.

    >>> import opbyop
    >>> report = opbyop.check('''
    ... func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    ...   %0 = stablehlo.add %a, %b : tensor<2xf32>
    ...   return %0 : tensor<2xf32>
    ... }''')
    >>> print(report)
    program on host: 1 row: 1 pass
    ...
    <BLANKLINE>
    status  op             types                  stage    ULP  why
    pass    stablehlo.add  2xf32, 2xf32 -> 2xf32  compare  0
    >>> report.conforms, report[0].bound_ratio
    (True, 0.0)
    """
    name = name or name_of(program)
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="opbyop-check-"))
    try:
        report = _run(export(program, args, folder / "model", name, kwargs), folder, name, target, policy, timeout)
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        report._remove_with_this()
    return report


def _run(
    model: Path, folder: Path, name: str, target: str | os.PathLike[str], policy: str | None, timeout: float | None
) -> Report:
    run("opbyop", "split", "--quiet", model, "-o", folder, accept=(PASSED, PARTIAL), timeout=timeout)
    options = [] if policy is None else [f"--policy={policy}"]
    run(
        "opbyop", "run", folder, f"--target={target}", "--fresh", *options,
        accept=(PASSED, UNEXPECTED, PARTIAL, NOTHING_JUDGED), timeout=timeout,
    )  # fmt: skip
    return read_report(folder, name, Path(target).stem if os.sep in str(target) else str(target))


def assert_conforms(
    program: Program,
    *args: Any,
    fail_on: Collection[str] = ("unsupported",),
    target: str | os.PathLike[str] = "host",
    name: str | None = None,
    policy: str | None = None,
    out: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    **kwargs: Any,
) -> Report:
    """Calls check(), and raises an AssertionError with the table if a row is red or has a status of `fail_on`, or if
    none passed.

    `fail_on` may name "unsupported" (the target reports that it lacks the op), "inconclusive" (the pass proves nothing)
    and "skipped"; the other options are those of check(). If the assertion fails, the run's folder is kept, because the
    commands in the message use it.

    >>> import opbyop
    >>> text = '''
    ... func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    ...   %0 = stablehlo.custom_call @nosuch(%a) : (tensor<2xf32>) -> tensor<2xf32>
    ...   return %0 : tensor<2xf32>
    ... }'''
    >>> opbyop.assert_conforms(text)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: program on host: 1 row: 1 unsupported...
    """
    unknown = set(fail_on) - {"unsupported", "inconclusive", "skipped"}
    if unknown:
        raise ValueError(f"fail_on: {', '.join(sorted(unknown))}: it names unsupported, inconclusive, skipped")
    report = check(program, *args, target=target, name=name, policy=policy, out=out, timeout=timeout, **kwargs)
    asked = [row for row in report if row.status in fail_on]
    if asked or not report.conforms:
        report.keep()
        repros = "".join(f"\nrepro: {row.repro}" for row in asked)
        raise AssertionError(f"{report}{repros}")
    return report
