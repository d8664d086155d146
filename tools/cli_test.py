"""Bad input on the command line: one clear sentence, a documented exit code, nothing half-written.

python3 -m unittest tools.cli_test
"""

from __future__ import annotations

import shutil
import struct

from fixtures.programs import (
    BAD_INPUT,
    NO_INPUT,
    NOTHING,
    PARTIAL,
    ROOT,
    UNEXPECTED,
    UNSUPPORTED,
    USAGE,
    ProgramTest,
)

ADD = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


class CliTest(ProgramTest):
    def assert_split_fails(self, path, code, *words):
        """Splitting `path` alone fails with `code`; the message has all `words`; nothing is left."""
        out = self.folder / "out"
        done = self.opbyop("split", path, "-o", out, code=code)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((out / "manifest.yaml").exists(), "a manifest was left behind")
        self.assertLessEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)

    def split(self, *models, out="run"):
        self.opbyop("split", *models, "-o", self.folder / out)
        return self.folder / out / "manifest.yaml"

    # --- models

    def test_absent_file(self):
        self.assert_split_fails(self.folder / "none.mlir", NO_INPUT, "none.mlir")

    def test_empty_file(self):
        self.assert_split_fails(self.write("empty.mlir", ""), BAD_INPUT, "empty.mlir", "empty")

    def test_not_mlir(self):
        png = self.write("picture.mlir", b"\x89PNG\r\n\x1a\n" + bytes(64))
        self.assert_split_fails(png, BAD_INPUT, "picture.mlir", "PNG")

    def test_text_that_does_not_parse_names_its_line(self):
        self.assert_split_fails(self.write("bad.mlir", ADD.replace("%b :", "%c :")), BAD_INPUT, "bad.mlir:3")

    def test_truncated_artifact(self):
        whole = (ROOT / "fixtures/models/ffnn.mlirbc").read_bytes()
        self.assert_split_fails(self.write("cut.mlirbc", whole[: len(whole) // 2]), BAD_INPUT, "cut.mlirbc")

    def test_artifact_of_a_newer_version(self):
        whole = (ROOT / "fixtures/models/ffnn.mlirbc").read_bytes()
        newer = whole.replace(b"StableHLO_v1.13.0", b"StableHLO_v9.13.0")
        self.assert_split_fails(self.write("newer.mlirbc", newer), UNSUPPORTED, "9.13.0")

    def test_unknown_dialect(self):
        text = ADD.replace("stablehlo.add", "nosuch.add")
        self.assert_split_fails(self.write("unknown.mlir", text), UNSUPPORTED, "nosuch", "unknown.mlir:3")

    def test_no_main(self):
        self.assert_split_fails(self.write("f.mlir", ADD.replace("@main", "@f")), BAD_INPUT, "@main")

    def test_one_bad_model_does_not_stop_the_others(self):
        good = self.write("good.mlir", ADD)
        bad = self.write("bad.mlir", "nonsense")
        self.opbyop("split", bad, good, "-o", self.folder / "out", code=PARTIAL)
        manifest = (self.folder / "out/manifest.yaml").read_text()
        self.assertIn('"op":"stablehlo.add"', manifest)
        self.assertIn("error:", manifest)

    # --- manifests and targets

    def conformance(self, *arguments, code):
        return self.run_program("conformance", *arguments, f"--out={self.folder / 'results'}", code=code)

    def test_absent_manifest(self):
        done = self.conformance(f"--manifest={self.folder / 'no.yaml'}", code=NO_INPUT)
        self.assertIn("no.yaml", done.stderr)

    def test_manifest_that_names_a_file_that_is_gone(self):
        manifest = self.split(self.write("m.mlir", ADD))
        shutil.rmtree(manifest.parent / "cases")
        done = self.conformance(f"--manifest={manifest}", code=BAD_INPUT)
        self.assertIn("gone", done.stderr)

    def test_doubled_case_id(self):
        manifest = self.split(self.write("m.mlir", ADD))
        lines = manifest.read_text().splitlines()
        manifest.write_text("\n".join([*lines, lines[-1]]) + "\n")
        done = self.conformance(f"--manifest={manifest}", code=BAD_INPUT)
        self.assertIn("twice", done.stderr)
        self.assertIn(f"manifest.yaml:{len(lines) + 1}", done.stderr)

    def test_newer_manifest(self):
        newer = self.write("manifest.yaml", "schema: opbyop-manifest/9\nmodels: []\ncases: []\n")
        done = self.conformance(f"--manifest={newer}", code=UNSUPPORTED)
        self.assertIn("opbyop-manifest/9", done.stderr)

    def test_unknown_target(self):
        manifest = self.split(self.write("m.mlir", ADD))
        done = self.conformance(f"--manifest={manifest}", "--target=nosuch", code=USAGE)
        self.assertIn("nosuch", done.stderr)

    def test_filter_that_selects_nothing(self):
        manifest = self.split(self.write("m.mlir", ADD))
        self.conformance(f"--manifest={manifest}", "--gtest_filter=nosuch*", code=NOTHING)

    # --- rows, runs, usage

    def test_row_that_does_not_exist(self):
        manifest = self.split(self.write("m.mlir", ADD))
        done = self.opbyop("repro", "add", "--run", manifest.parent, code=NOTHING)
        self.assertIn("did you mean m__add_2", done.stderr)

    def test_report_without_results(self):
        self.opbyop("report", self.folder, "-o", self.folder / "reports", code=NO_INPUT)
        self.assertFalse((self.folder / "reports").exists())

    def test_unknown_option(self):
        self.opbyop("split", "--nosuch", code=USAGE)

    def test_eval_of_a_wrong_value_names_the_place(self):
        wrong = self.write(
            "wrong.mlir",
            """func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
""",
        )
        done = self.opbyop("eval", wrong, code=UNEXPECTED)
        self.assertIn("wrong.mlir:4", done.stderr + done.stdout)

    # --- eval

    def npy(self, name, values):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
        header = header.ljust(117) + "\n"
        data = struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)
        return self.write(name, b"\x93NUMPY\x01\x00" + data)

    def test_eval_takes_and_gives_npy(self):
        inputs = [self.npy("a.npy", [1, 2]), self.npy("b.npy", [10, 20])]
        arguments = [f"--input={path}" for path in inputs]
        out = self.folder / "out"
        done = self.opbyop("eval", self.write("add.mlir", ADD), *arguments, f"--output={out}")
        self.assertEqual(done.stdout, "result 0: tensor<2xf32> = [11, 22]\n")
        self.assertEqual((out / "result_0.npy").read_bytes()[-8:], struct.pack("<2f", 11, 22))

    def test_eval_draws_the_same_inputs_for_the_same_seed(self):
        add = self.write("add.mlir", ADD)
        outputs = [self.opbyop("eval", add, f"--seed={seed}").stdout for seed in (1, 1, 2)]
        self.assertEqual(outputs[0], outputs[1])
        self.assertNotEqual(outputs[0], outputs[2])

    def test_eval_probes_every_op(self):
        out = self.folder / "out"
        self.opbyop("eval", self.write("add.mlir", ADD), "--probe=all", f"--output={out}")
        self.assertIn('probe_0_stablehlo.add.npy,"stablehlo.add",0,0,f32,2,', (out / "index.csv").read_text())
        self.assertTrue((out / "probe_0_stablehlo.add.npy").exists())

    def test_eval_counts_sections(self):
        two = self.write("two.mlir", ADD + "// -----\n" + ADD)
        done = self.opbyop("eval", two, "--split-input-file")
        self.assertEqual(done.stdout, "2 passed, 0 failed\n")

    def test_eval_misused(self):
        add = self.write("add.mlir", ADD)
        short = self.npy("a.npy", [1])
        for code, *arguments in [
            (USAGE, "--probe=all"),
            (USAGE, "--probe=some", f"--output={self.folder}"),
            (USAGE, f"--input={short}"),
            (BAD_INPUT, f"--input={short}", f"--input={short}"),
            (NO_INPUT, f"--input={self.folder / 'no.npy'}", f"--input={short}"),
        ]:
            with self.subTest(arguments):
                self.opbyop("eval", add, *arguments, code=code)
