# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Op-by-op conformance for StableHLO compilers, from Python.

    import opbyop
    report = opbyop.check(my_jax_function, x, target="xla")   # each op alone, on the target, against the reference
    print(report)                                             # a table; a notebook shows one by itself
    opbyop.assert_conforms(my_jax_function, x)                # in a test
    with opbyop.profile(target="host") as p:
        p(my_jax_function, x)                                 # where its time goes
    print(p.last)

docs/python.md has more. The package starts the programs of opbyop and reads their output. It needs no other package
except the one that exports the program (jax; torch and torch_xla).
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (in a checkout; pip refuses to install the wheel)
    raise ImportError(f"opbyop needs Python 3.11 or later, and this is {sys.version.split()[0]}")

from ._check import assert_conforms, check
from ._export import Program
from ._profile import Profile, profile
from ._programs import Error
from ._report import Report, Row

__all__ = ["Error", "Profile", "Program", "Report", "Row", "assert_conforms", "check", "profile"]
