# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the Python package with JAX functions.

PYTHONPATH=packaging python3 -m unittest python.opbyop_jax_test
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
import unittest

import jax
import jax.numpy as jnp
import jaxlib

from fixtures.programs import BIN, ROOT

os.environ.setdefault("OPBYOP_BIN_DIR", str(BIN))
sys.path.insert(0, str(ROOT / "packaging/python"))
import opbyop


def layer(x: jax.Array, w: jax.Array) -> jax.Array:
    return jnp.tanh(x @ w)


X, W = jnp.ones((2, 3)), jnp.ones((3, 4))


class JaxTest(unittest.TestCase):
    def test_a_function_is_checked_op_by_op_with_its_places_in_the_source(self) -> None:
        report = opbyop.check(layer, X, W)
        self.assertTrue(report.conforms, str(report))
        self.assertEqual(report.name, "layer")
        by_op = {row.op: row for row in report}
        self.assertEqual(set(by_op), {"stablehlo.dot_general", "stablehlo.tanh"})
        self.assertEqual(by_op["stablehlo.dot_general"].types, "2x3xf32, 3x4xf32 -> 2x4xf32")
        self.assertIn("opbyop_jax_test.py", " ".join(by_op["stablehlo.tanh"].locations))

    def test_keyword_arguments_are_the_functions(self) -> None:
        report = opbyop.check(layer, X, w=W)
        self.assertIn("stablehlo.dot_general", {row.op for row in report})
        self.assertTrue(opbyop.assert_conforms(layer, x=X, w=W).conforms)

    def test_xla_is_that_of_this_process(self) -> None:
        """Even if an environment of the target's own would come before this Python in a worker's order."""
        report = opbyop.check(layer, X, W, target="xla")
        self.assertTrue(report.conforms, str(report))
        self.assertIn(jaxlib.__version__, report.toolchain)
        self.assertIn(report.toolchain, str(report).splitlines())

    def test_jitted_partial_and_abstract_functions_are_the_same(self) -> None:
        shape = jax.ShapeDtypeStruct((2, 3), jnp.float32)
        for function, args in (
            (jax.jit(layer), (X, W)),
            (functools.partial(layer, w=W), (X,)),
            (lambda x: layer(x, W), (shape,)),
        ):
            self.assertIn("stablehlo.dot_general", {row.op for row in opbyop.check(function, *args)})

    def test_a_function_that_does_not_trace_raises_jaxs_own_error(self) -> None:
        with self.assertRaises(TypeError):
            opbyop.check(layer, X, X)

    def test_a_profile_names_the_ops(self) -> None:
        with opbyop.profile() as p:
            p(layer, X, W)
        self.assertEqual({line["Op Name"] for line in p.last.operators}, {"dot_general", "tanh"})


class PageTest(unittest.TestCase):
    def test_the_first_example_of_the_page_prints_what_the_page_shows(self) -> None:
        """Except the errors, which depend on the CPU."""
        page = (ROOT / "docs/python.md").read_text()
        [code] = re.findall(r"```python\n(import jax.*?)```", page, re.S)
        [shown] = re.findall(r"```\n(layer on host.*?)```", page, re.S)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(code, {})
        self.assertEqual(*([line.split()[:-1] for line in text.splitlines()] for text in (said.getvalue(), shown)))
