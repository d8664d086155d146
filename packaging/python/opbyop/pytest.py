# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The plug-in for pytest.

    def test_my_layer(opbyop_conforms):
        opbyop_conforms(my_layer, x)

`opbyop_conforms` is opbyop.assert_conforms on the target of `pytest --opbyop-target=T` (default: host), with the run's
folder kept in the test's `tmp_path`. opbyop.assert_conforms itself works in any test. The wheel registers the plug-in;
without the wheel use `pytest -p opbyop.pytest`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ._check import assert_conforms
from ._report import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("opbyop")
    group.addoption("--opbyop-target", default="host", metavar="T", help="target of opbyop_conforms (default: host)")


@pytest.fixture
def opbyop_conforms(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Report]:
    """opbyop.assert_conforms on the target of the command line."""
    runs = 0

    def conforms(program: Any, *args: Any, **options: Any) -> Report:
        nonlocal runs
        runs += 1
        options.setdefault("target", request.config.getoption("--opbyop-target"))
        options.setdefault("out", tmp_path / f"opbyop{runs}")
        return assert_conforms(program, *args, **options)

    return conforms
