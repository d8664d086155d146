# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the Python package with StableHLO programs, its doctests, and its errors.

PYTHONPATH=packaging python3 -m unittest python.opbyop_test
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import importlib
import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from fixtures.programs import BIN, NO_INPUT, ROOT, faulty_target

os.environ.setdefault("OPBYOP_BIN_DIR", str(BIN))
sys.path.insert(0, str(ROOT / "packaging/python"))
import opbyop
from opbyop import _check, _export, _profile, _programs, _report

ADD = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
# With the fault `dot_doubles_last_term` the first op is wrong, and no other.
DOT_ABS = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.abs %0 : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
"""
# Target host reports that it lacks the second op.
UNSUPPORTED = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a : tensor<2xf32>
  %1 = stablehlo.custom_call @nosuch(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""


class PackageTest(unittest.TestCase):
    """Gives each test its own folder."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name: str, content: str) -> Path:
        (self.folder / name).write_text(content)
        return self.folder / name

    def faulty(self) -> Path:
        return faulty_target(self.folder / "faulty.yaml", "dot_doubles_last_term")


class DocTest(unittest.TestCase):
    def test_examples_of_the_documentation_are_true(self) -> None:
        ran = 0
        for module in (opbyop, _check, _export, _profile, _programs, _report):
            words = io.StringIO()
            with contextlib.redirect_stdout(words):
                failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
            self.assertEqual(failed, 0, words.getvalue())
            ran += tried
        self.assertGreater(ran, 6)


class CheckTest(PackageTest):
    def test_text_a_file_and_bytes_are_the_same_program(self) -> None:
        file = self.write("model.mlir", ADD)
        reports = [opbyop.check(program) for program in (ADD, file, str(file), file.read_bytes())]
        self.assertEqual([len(report) for report in reports], [1] * 4)
        self.assertEqual(len({report[0].name.split("__")[1] for report in reports}), 1)
        self.assertEqual([report.name for report in reports], ["program", "model", "model", "program"])

    def test_a_red_row_comes_first_with_its_reason_and_its_command(self) -> None:
        report = opbyop.check(DOT_ABS, target=self.faulty(), out=self.folder / "run", name="mine")
        self.assertFalse(report.conforms)
        self.assertEqual([row.op for row in report.problems], ["stablehlo.dot_general"])
        self.assertEqual([row.op for row in report if row.passed], ["stablehlo.abs"])
        self.assertLess(str(report).index("dot_general"), str(report).index("abs"))
        [red] = report.problems
        self.assertEqual((red.status, red.stage), ("fail", "compare"))
        self.assertTrue(red.message)
        self.assertEqual(shlex.split(red.repro)[1:3], ["repro", red.name])
        self.assertIn(str(self.folder / "run"), red.repro)
        self.assertTrue(report.page.is_file())

    def test_red_is_what_the_page_of_concepts_calls_red(self) -> None:
        page = (ROOT / "docs/concepts.md").read_text()
        table = re.findall(r"^\| `(\w+)` \| (yes)? ?\| ", page, re.M)
        self.assertGreater(len(table), 10)
        for status, red in table:
            row = opbyop.Row("m__a", "op", "", status, "lower", "", None, None, (), 1, "")
            self.assertEqual(row.red, red == "yes", status)

    def test_a_notebook_shows_a_table_in_which_nothing_is_markup(self) -> None:
        row = opbyop.Row("m__a", "op<b>", "", "fail", "lower", '<script>"x"', None, None, (), 1, "'again' & \"again\"")
        shown = _report.Report([row], "<i>", "host", "", self.folder)._repr_html_()
        for markup in ("<b>m", "op<b>", "<script>", "<i>"):
            self.assertNotIn(markup, shown)
        self.assertIn("op&lt;b&gt;", shown)
        self.assertIn("#c62828", shown)

    def test_assert_conforms_raises_the_table_and_the_commands(self) -> None:
        with self.assertRaises(AssertionError) as caught:
            opbyop.assert_conforms(DOT_ABS, target=self.faulty())
        self.assertIn("stablehlo.dot_general", str(caught.exception))
        [command] = re.findall(r"^repro: (.*)$", str(caught.exception), re.M)
        self.assertEqual(shlex.split(command)[1:2], ["repro"])
        del caught
        gc.collect()
        again = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("stablehlo.dot_general", again.stdout)
        self.assertTrue(opbyop.assert_conforms(DOT_ABS).conforms)

    def test_what_the_target_lacks_fails_an_assertion_unless_it_is_let(self) -> None:
        report = opbyop.assert_conforms(UNSUPPORTED, fail_on=())
        self.assertEqual(report.counts, {"pass": 1, "unsupported": 1})
        with self.assertRaisesRegex(AssertionError, "unsupported.*custom_call"):
            opbyop.assert_conforms(UNSUPPORTED)
        with self.assertRaisesRegex(ValueError, "nosuch"):
            opbyop.assert_conforms(ADD, fail_on=["nosuch"])

    def test_a_temporary_run_goes_with_its_report_and_a_named_one_stays(self) -> None:
        report = opbyop.check(ADD)
        folder = report.folder
        self.assertTrue(folder.exists())
        del report
        gc.collect()
        self.assertFalse(folder.exists())
        report = opbyop.check(ADD, out=self.folder / "run")
        del report
        gc.collect()
        self.assertTrue((self.folder / "run/index.html").exists())

    def test_a_second_run_in_a_folder_replaces_the_first(self) -> None:
        opbyop.check(DOT_ABS, out=self.folder / "run")
        report = opbyop.check(ADD, out=self.folder / "run")
        self.assertEqual([row.op for row in report], ["stablehlo.add"])
        self.assertTrue(report.conforms)

    def test_dynamic_dimensions_are_shown_as_mlir_has_them(self) -> None:
        [row] = opbyop.check(ADD.replace("2xf32", "?xf32"))
        self.assertEqual(row.types, "?xf32, ?xf32 -> ?xf32")

    def test_one_policy_can_be_asked_for(self) -> None:
        report = opbyop.check(ADD, policy="domain", out=self.folder / "run")
        self.assertIn('"policy":"domain"', (report.folder / "results.jsonl").read_text().splitlines()[0])

    def test_a_report_is_a_sequence(self) -> None:
        report = opbyop.check(DOT_ABS)
        self.assertEqual(report[0], next(iter(report)))
        self.assertEqual(len(report[0:2]), 2)
        self.assertEqual(sum(report.counts.values()), 2)
        self.assertIn("2 rows", repr(report))


class BadInputTest(PackageTest):
    def assert_fails(self, words: str, program: object, *args: object, **options: object) -> opbyop.Error:
        with self.assertRaises(opbyop.Error) as caught:
            opbyop.check(program, *args, **options)
        self.assertIn(words, str(caught.exception))
        return caught.exception

    def test_what_cannot_be_read_is_an_error_in_the_programs_own_words(self) -> None:
        self.assert_fails("program.mlir:2", ADD.replace("%b :", "%c :"))
        self.assert_fails("empty", self.write("empty.mlir", ""))
        self.assert_fails("no such file", "no/such/model.mlirbc")
        self.assert_fails("no such file", self.folder)
        self.assert_fails("no op", "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }")

    def test_an_error_leaves_no_folder_behind(self) -> None:
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            self.assert_fails("nosuch", ADD, target="nosuch")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_target_that_is_not_there_is_an_error(self) -> None:
        self.assertEqual(self.assert_fails("nosuch", ADD, target="nosuch").code, 2)
        self.assert_fails("no PJRT plugin", ADD, target="pjrt:/no/such.so")

    def test_what_is_no_program_is_a_type_error(self) -> None:
        for program, args in ((ADD, (1,)), (42, ())):
            with self.assertRaises(TypeError):
                opbyop.check(program, *args)

    def test_a_run_may_have_a_limit(self) -> None:
        self.assert_fails("not done after", ADD, timeout=0.001)

    def test_without_the_programs_the_remedy_is_named(self) -> None:
        nowhere = mock.patch.object(_programs, "__file__", str(self.folder / "a/b/_programs.py"))
        with nowhere, mock.patch.dict(os.environ, {"PATH": "", "OPBYOP_BIN_DIR": str(self.folder)}):
            self.assertEqual(self.assert_fails("./dev build", ADD).code, NO_INPUT)

    @unittest.skipIf(importlib.util.find_spec("jax"), "jax is here")
    def test_a_function_without_jax_names_the_package(self) -> None:
        self.assert_fails("pip install jax", lambda x: x, 1.0)

    def with_modules(self, **sources: str) -> contextlib.AbstractContextManager[object]:
        """Puts packages of these names first on the path; none of them is loaded yet."""
        for name, source in sources.items():
            (self.folder / name).mkdir()
            (self.folder / name / "__init__.py").write_text(source)
        stack = contextlib.ExitStack()
        stack.enter_context(mock.patch.dict(sys.modules))
        for name in [*sys.modules]:
            if name.split(".")[0] in sources:
                del sys.modules[name]
        stack.enter_context(mock.patch.object(sys, "path", [str(self.folder), *sys.path]))
        return stack

    def test_a_package_that_does_not_load_says_why_in_three_lines(self) -> None:
        with self.with_modules(jax="raise ImportError('no libfoo.so')"):
            words = str(self.assert_fails("ImportError: no libfoo.so", lambda x: x, 1.0))
        self.assertEqual(len(words.splitlines()), 3)

    def test_torch_uses_torchax_if_torch_xla_does_not_fit(self) -> None:
        torch = """
import contextlib, types
class Module:
    training = True
    def eval(self): return self
    def train(self, mode): self.training = mode
nn = types.SimpleNamespace(Module=Module)
no_grad = contextlib.nullcontext
export = types.SimpleNamespace(export=lambda module, args, kwargs: (args, kwargs))
"""
        no_xla = "raise AttributeError('torch has no symbol of 2.15')"
        with self.with_modules(torch=torch, torch_xla=no_xla, torchax=""):
            import torch as loaded

            words = str(self.assert_fails("AttributeError: torch has no symbol", loaded.nn.Module(), 1.0))
            self.assertIn("ModuleNotFoundError: No module named 'torchax.export'", words)
            self.assertEqual(len(words.splitlines()), 3)
            (self.folder / "torchax/export.py").write_text(
                "import types\n"
                "def exported_program_to_stablehlo(exported):\n"
                "    text = f'{exported}'.encode()\n"
                "    return [], types.SimpleNamespace(mlir_module_serialized=text)\n"
            )
            importlib.invalidate_caches()
            module = loaded.nn.Module()
            file = _export.export(module, (1,), self.folder / "out", "m", {"x": 2})
        self.assertEqual(file.read_text(), "((1,), {'x': 2})")
        self.assertTrue(module.training)


class TorchTest(PackageTest):
    """A fake torch that records the calls and their order."""

    def test_calls_of_modules_in_a_block_are_profiled_once_and_from_outside(self) -> None:
        hooks: dict[str, list] = {"pre": [], "post": []}

        def registers(kind: str):
            def register(hook, **_):
                hooks[kind].append(hook)
                return types.SimpleNamespace(remove=lambda: hooks[kind].remove(hook))

            return register

        class Module:
            def __init__(self, *inner: Module) -> None:
                self.inner = inner

            def __call__(self, *args: object) -> None:
                for hook in [*hooks["pre"]]:
                    hook(self, args)
                for module in self.inner:
                    module("inside")
                for hook in [*hooks["post"]]:
                    hook(self, args, None)

        torch = types.SimpleNamespace()
        torch.nn = types.SimpleNamespace(
            Module=Module,
            modules=types.SimpleNamespace(
                module=types.SimpleNamespace(
                    register_module_forward_pre_hook=registers("pre"), register_module_forward_hook=registers("post")
                )
            ),
        )
        model, other = Module(Module()), Module()
        asked: list[tuple[object, ...]] = []
        noted = mock.patch.object(opbyop.profile, "__call__", lambda self, *call: asked.append(call))
        with mock.patch.dict(sys.modules, {"torch": torch}), noted:
            with opbyop.profile():
                model("first")
                model("second")
                other("third")
            with self.assertRaises(ZeroDivisionError), opbyop.profile():
                model("fourth")
                _ = 1 / 0
        self.assertEqual(asked, [(model, "first"), (other, "third")])
        self.assertEqual(hooks, {"pre": [], "post": []})


class ProfileTest(PackageTest):
    def test_a_profile_has_its_table_its_page_and_its_trace(self) -> None:
        with opbyop.profile(out=self.folder / "p", compare=False) as p:
            p(ADD, name="one")
            p(ADD, name="one")
        self.assertEqual(len(p.profiles), 2)
        self.assertEqual([profile.folder.name for profile in p], ["one", "one_1"])
        self.assertEqual([line["Op Name"] for line in p.last.operators], ["add"])
        self.assertTrue(p.last.page.is_file())
        self.assertTrue(p.last.trace.is_file())
        self.assertIn("add", str(p.last))
        self.assertIn("<pre>", p.last._repr_html_())

    def test_an_empty_block_has_no_last(self) -> None:
        with opbyop.profile() as p:
            pass
        with self.assertRaises(LookupError):
            _ = p.last


class EntryPointTest(PackageTest):
    def test_the_commands_become_the_programs(self) -> None:
        for name in ("opbyop", "opbyop_opt", "optrace"):
            with self.subTest(name):
                script = f"import sys; sys.argv[1:] = ['--help']; from opbyop import _programs; _programs.{name}()"
                done = run(sys.executable, "-c", script)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.strip())


class PluginTest(PackageTest):
    def test_the_plug_in_for_pytest_passes_fails_and_takes_a_target(self) -> None:
        """Runs in Debian's Python, for which `./dev setup --tests` installs pytest."""
        has = [shutil.which("python3"), "/usr/bin/python3"]
        found = [python for python in has if python and run(python, "-c", "import pytest").returncode == 0]
        if not found:
            self.skipTest("no pytest; './dev setup --tests' installs it")
        self.write(
            "test_layer.py",
            f"DOT = {DOT_ABS!r}\n"
            "def test_good(opbyop_conforms):\n"
            "    opbyop_conforms(DOT, target='host')\n"
            "def test_of_the_command_line(opbyop_conforms):\n"
            "    opbyop_conforms(DOT)\n",
        )
        options = ["-q", "-p", "opbyop.pytest", f"--opbyop-target={self.faulty()}", "-p", "no:cacheprovider"]
        done = run(found[0], "-m", "pytest", *options, self.folder / "test_layer.py")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 1 passed", done.stdout)
        self.assertIn("stablehlo.dot_general", done.stdout)


def run(*command: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packaging/python")}
    argv = [str(word) for word in command]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
