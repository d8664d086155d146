# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Makes the site of the documentation: ./dev site."""

from __future__ import annotations

from dev import environments
from dev.checkout import ROOT, given
from dev.options import Options
from dev.process import run


def site(arguments: list[str]) -> None:
    options = Options("help site")
    options.value("-o", "--output", convert=given, default=f"{ROOT}/out/site")
    found, runs = options.read_with_operands(arguments)
    environments.make("site", environments.TEST_ENVIRONMENTS["site"])
    run(".venv-site/bin/python", "-m", "reports.site", "-o", found.output, *map(given, runs))
