# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop split` of XLA's dumps.

python3 -m unittest commands.split.convert_hlo_test
"""

from __future__ import annotations

import sys
from pathlib import Path

from jaxlib import _hlo, xla_client

from fixtures.programs import BAD_INPUT, PARTIAL, Done, ProgramTest

STABLEHLO = """module @jit_f {
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8x8xf32>
    %3:2 = chlo.top_k(%2, k = 3) : tensor<8x8xf32> -> (tensor<8x3xf32>, tensor<8x3xi32>)
    return %3#0, %3#1 : tensor<8x3xf32>, tensor<8x3xi32>
  }
}
"""

TEXT = """HloModule jit_f, entry_computation_layout={(f32[8,8]{1,0})->f32[8,8]{1,0}}

ENTRY main {
  a = f32[8,8]{1,0} parameter(0)
  ROOT b = f32[8,8]{1,0} erf(a)
}
"""


class ConvertHloTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {"OPBYOP_PYTHON": sys.executable}

    def split(self, *models: Path, out: str = "out", code: int = 0) -> Done:
        return self.opbyop("split", *models, "-o", self.folder / out, code=code)

    def cases(self, out: str = "out") -> set[str]:
        return {path.stem for path in (self.folder / out / "cases").iterdir()}

    def test_ops_of_a_dump_are_the_cases_of_the_program(self) -> None:
        source = self.write("f.mlir", STABLEHLO)
        computation = xla_client._xla.mlir.mlir_module_to_xla_computation(
            STABLEHLO, use_tuple_args=False, return_tuple=False
        )
        dump = self.folder / "f.hlo.pb"
        dump.write_bytes(computation.as_serialized_hlo_module_proto())
        self.split(source)
        self.split(dump, out="hlo")
        self.assertEqual(self.cases("hlo"), self.cases())
        manifest = (self.folder / "hlo/manifest.yaml").read_text()
        self.assertRegex(manifest, r'converted_from: \{source: ".*f\.hlo\.pb", sha256: "\w{64}", by: "jaxlib ')

    def test_the_ops_of_a_dump_and_the_dump_itself_run(self) -> None:
        self.split(self.write("f.hlo", TEXT))
        for mode in ("isolated", "whole"):
            done = self.opbyop("run", self.folder / "out", f"--mode={mode}", "--fresh-seed=none")
            self.assertIn("1 pass", done.stdout, mode)

    def test_a_folder_of_dumps_has_each_program_once(self) -> None:
        (self.folder / "dump").mkdir()
        text = self.write("dump/module_0001.jit_f.before_optimizations.txt", TEXT)
        text.with_suffix(".hlo.pb").write_bytes(_hlo.hlo_module_from_text(TEXT).as_serialized_hlo_module_proto())
        self.write("dump/module_0001.jit_f.cpu_after_optimizations.txt", TEXT.replace("erf", "tan"))
        # A stage of XLA's compiler, in dialects of its own.
        kernel = "module {\n  %0 = xla.workgroup_id  x {xla.range = [0 : index, 5 : index]}\n}\n"
        self.write("dump/module_0001.jit_f.add_fusion_kernel_module-pre-optimization.mlir", kernel)
        self.split(text.parent)
        self.assertNotIn("jit_f_2", (self.folder / "out/manifest.yaml").read_text())
        self.assertEqual({case.rsplit("_", 1)[0] for case in self.cases()}, {"chlo_erf_8x8_f32"})
        self.assertIn('name: "module_0001_jit_f"', (self.folder / "out/manifest.yaml").read_text())

    def test_constants_that_a_text_leaves_out_are_refused(self) -> None:
        text = TEXT.replace("parameter(0)", "constant({...})").replace("(f32[8,8]{1,0})->", "()->")
        done = self.split(self.write("f.hlo", text), code=BAD_INPUT)
        self.assertIn("--xla_dump_hlo_as_proto", done.stderr)

    def test_what_xla_cannot_parse_is_an_error_of_that_file(self) -> None:
        good, bad = self.write("good.hlo", TEXT), self.write("bad.hlo", TEXT.replace("erf(a)", "erfoo(a)"))
        done = self.split(good, bad, code=PARTIAL)
        self.assertIn("bad.hlo", done.stderr)
        self.assertIn("erfoo", done.stderr)
        self.assertEqual(len(self.cases()), 1)

    def test_other_verbs_name_the_one_that_converts(self) -> None:
        done = self.opbyop("eval", self.write("f.hlo", TEXT), code=BAD_INPUT)
        self.assertIn("`opbyop split FILE -o DIR` makes StableHLO of it", done.stdout)
