# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests bad input on the command line: one clear sentence, a documented exit code, and no partial output.

python3 -m unittest commands.cli_test
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

from fixtures.programs import (
    BAD_INPUT,
    BIN,
    NO_INPUT,
    NOTHING,
    PARTIAL,
    ROOT,
    UNEXPECTED,
    UNSUPPORTED,
    USAGE,
    ProgramTest,
    cases,
    records,
)

ADD = """
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


class CliTest(ProgramTest):
    def assert_split_fails(self, path, code, *words):
        """Splitting only `path` fails with `code`; the message has all `words`; no output is left."""
        out = self.folder / "out"
        done = self.opbyop("split", path, "-o", out, code=code)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((out / "manifest.yaml").exists(), "a manifest was left behind")
        self.assertLessEqual(len(done.stderr.strip().splitlines()), 3, done.stderr)

    def split(self, *models, out="run"):
        self.opbyop("split", *models, "-o", self.folder / out)
        return self.folder / out / "manifest.yaml"

    # --- help

    def test_the_help_of_each_verb_ends_with_an_example_of_its_own_options(self):
        verbs = re.findall(
            r"^  ([a-z-]+) {2,}", self.opbyop("--help").stdout.partition("Subcommands:")[2], re.MULTILINE
        )
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            with self.subTest(verb=verb):
                text, _, example = self.opbyop(verb, "--help").stdout.partition("Example:\n")
                words = shlex.split(example)
                self.assertEqual(words[:2], ["opbyop", verb])
                options = [word.split("=")[0] for word in words if word.startswith("-")]
                for option in options:
                    self.assertRegex(text, rf"(?m)^  (.*,)?{re.escape(option)}\b", "the example has an unknown option")
                for required in re.findall(r"(?m)^  (-\S+) .*REQUIRED", text):
                    self.assertTrue(set(required.split(",")) & set(options), f"the example lacks {required}")

    def test_choices_are_shown_by_their_names(self):
        text = self.opbyop("split", "--help").stdout
        # The second form is that of Debian 13's CLI11.
        self.assertRegex(text, r"--regions whole\|inside(=inside| \[inside\])\s")
        self.assertIn(
            "'1x' is not one of whole|inside",
            self.opbyop("split", "x.mlir", "-o", "o", "--regions", "1x", code=USAGE).stderr,
        )

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
        two = ADD.replace("@main", "@f") + ADD.replace("@main", "@g")
        self.assert_split_fails(self.write("f.mlir", two), BAD_INPUT, "@main", "@f, @g")

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

    def test_counts_of_one_are_singular(self):
        manifest = self.split(self.write("m.mlir", ADD))
        done = self.conformance(f"--manifest={manifest}", "--progress=plain", code=0)
        self.assertIn("[==========] Running 1 row of 1 model on target host.", done.stdout)
        self.assertIn("[==========] 1 test ran.", done.stdout)
        self.assertIn("[  PASSED  ] 1 test.", done.stdout)

    def test_absent_manifest(self):
        done = self.conformance(f"--manifest={self.folder / 'no.yaml'}", code=NO_INPUT)
        self.assertIn("no.yaml", done.stderr)

    def test_manifest_that_names_a_missing_file(self):
        manifest = self.split(self.write("m.mlir", ADD))
        shutil.rmtree(manifest.parent / "cases")
        done = self.conformance(f"--manifest={manifest}", code=BAD_INPUT)
        self.assertIn("gone", done.stderr)

    def test_duplicate_case_id(self):
        manifest = self.split(self.write("m.mlir", ADD))
        lines = manifest.read_text().splitlines()
        manifest.write_text("\n".join([*lines, lines[-1]]) + "\n")
        done = self.conformance(f"--manifest={manifest}", code=BAD_INPUT)
        self.assertIn("is a duplicate", done.stderr)
        self.assertIn(f"manifest.yaml:{len(lines) + 1}", done.stderr)

    def test_newer_manifest(self):
        newer = self.write("manifest.yaml", "schema: opbyop-manifest/9\nmodels: []\ncases: []\n")
        done = self.conformance(f"--manifest={newer}", code=UNSUPPORTED)
        self.assertIn("opbyop-manifest/9", done.stderr)

    def test_unknown_target(self):
        manifest = self.split(self.write("m.mlir", ADD))
        done = self.conformance(f"--manifest={manifest}", "--target=nosuch", code=USAGE)
        self.assertIn("nosuch", done.stderr)

    def test_a_requirement_of_a_target_is_not_installed(self):
        """A missing program of a command target and a missing package of a Python target end in the same way."""
        manifest = self.split(self.write("m.mlir", ADD))
        worker = f'["{ROOT}/device/python/start.sh", "xla", "no_such_module"]'
        command = '["{bin}/opbyop-worker", "--target={file}"]'
        for argv, stages, lacks in [
            (worker, "[{name: compile}, {name: load}, {name: execute}]", "no_such_module"),
            (command, "[{name: compile, command: [no-such-tool]}]", "no-such-tool"),
        ]:
            with self.subTest(lacks):
                kind = "xla" if argv == worker else "none"
                text = f"schema: opbyop-target/1\nname: lacks\nworker: {argv}\ndevice: {{kind: {kind}}}\n"
                target = self.write("lacks.yaml", f"{text}stages: {stages}\n")
                done = self.conformance(f"--manifest={manifest}", f"--target={target}", code=NO_INPUT)
                self.assertIn(lacks, done.stderr)
                self.assertFalse((self.folder / "results/results.jsonl").exists())

    def test_filter_that_selects_nothing(self):
        manifest = self.split(self.write("m.mlir", ADD))
        self.conformance(f"--manifest={manifest}", "--gtest_filter=nosuch*", code=NOTHING)

    # --- the program that a target names to be run first

    def run_after(self, preflight, code):
        """Runs one case on a copy of target host with this preflight; returns the run's output."""
        self.split(self.write("model.mlir", ADD))
        host = (ROOT / "manifests/targets/host.yaml").read_text()
        target = self.write("target.yaml", f"{host}\npreflight: [/bin/sh, -c, '{preflight}', sh, '{{out}}']\n")
        return self.opbyop("run", self.folder / "run", f"--target={target}", code=code).stderr

    def test_a_preflight_is_shown_before_the_rows(self):
        said = self.run_after("echo interface: 75 pass; touch $1/interface.json", 0)
        self.assertIn("conformance: interface: 75 pass", said)
        self.assertTrue((self.folder / "run/interface.json").exists())
        self.assertEqual([case["status"] for case in cases(self.folder / "run")], ["pass"])

    def test_a_preflight_that_fails_ends_the_run_and_blames_no_op(self):
        said = self.run_after("echo the plugin has no device; exit 4", BAD_INPUT)
        self.assertIn("conformance: the plugin has no device", said)
        self.assertFalse((self.folder / "run/results.jsonl").exists())

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

    def test_a_mistyped_word_is_answered_with_the_nearest(self):
        for arguments, words in [
            (["pofile", "x.mlir"], "unknown verb 'pofile'; did you mean profile? --help lists all"),
            (["xyz"], "unknown verb 'xyz'; --help lists all"),
            (
                ["history", "diff", "a", "b"],
                "opbyop history: unknown verb 'diff'; did you mean opbyop diff? --help lists all",
            ),
            (["history", "inport"], "opbyop history: unknown verb 'inport'; did you mean import? --help lists all"),
            (["run", "x", "--gtest_filter=*conv*"], "is a flag of GoogleTest, which `opbyop run` takes after --"),
            (["profile", "x.mlir", "--itertions=3"], "unknown argument '--itertions=3'; did you mean --iterations?"),
            (["run", self.folder, "--target=hsot"], "did you mean host?"),
            (["profile", "fixtures/models/ffnn.mlirbc", "--target=ireee"], "did you mean iree?"),
            (["run", self.folder, "--target=nosuchthing"], "known: "),
        ]:
            with self.subTest(arguments):
                if "run" in arguments:
                    self.split(self.write("model.mlir", ADD))
                    arguments[1] = self.folder / "run"
                self.assertIn(words, self.opbyop(*arguments, code=USAGE).stderr)
        self.assertIn("did you mean export?", self.run_program("optrace", "exprot", code=USAGE).stderr)

    def test_a_run_takes_the_flags_of_conformance(self):
        self.split(self.write("model.mlir", ADD))
        run = self.folder / "run"
        flags = ["--progress=plain", "--jobs", 1, "--retries=0", "--baseline=none", "--select=op=add"]
        done = self.opbyop("run", run, *flags)
        self.assertIn("1 pass", done.stdout + done.stderr)
        self.opbyop("run", run, "--select=op=nosuch", code=NOTHING)
        self.assertIn("did you mean --jobs?", self.opbyop("run", run, "--job=1", code=USAGE).stderr)
        self.assertIn("--jobs", self.opbyop("run", run, "--jobs=none", code=USAGE).stderr)

    def test_a_run_writes_its_results_where_it_is_told(self):
        self.split(self.write("model.mlir", ADD))
        run, results = self.folder / "run", self.folder / "results"
        self.opbyop("run", run, "--target=host", "-o", results)
        self.assertEqual([case["status"] for case in cases(results)], ["pass"])
        self.assertFalse((run / "results.jsonl").exists())

    def test_a_custom_call_means_what_a_file_defines(self):
        call = self.write(
            "call.mlir",
            """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.custom_call @vendor.twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
""",
        )
        meaning = self.write(
            "vendor.mlir",
            """func.func @vendor.twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
""",
        )
        self.assertIn("[2, 4]", self.opbyop("eval", call, "--meaning", meaning).stdout)
        self.assertIn("vendor.twice", self.opbyop("eval", call, code=UNSUPPORTED).stdout)
        self.opbyop("eval", call, "--meaning", self.folder / "absent.mlir", code=NO_INPUT)

    def test_a_plan_says_what_a_run_needs_and_runs_nothing(self):
        self.split(self.write("model.mlir", ADD))
        run = self.folder / "run"
        plan = self.opbyop("run", run, "--target", "host", "--plan", "--policy=domain", "--fresh-seed=none").stdout
        self.assertIn("host: 1 case for 1 row, judged under domain\n", plan)
        self.assertFalse((run / "results.jsonl").exists())
        refused = self.opbyop("run", run, "--plan", "--", "--gtest_filter=*", code=USAGE)
        self.assertIn("--plan goes by --select", refused.stderr)

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

    def test_eval_says_where_it_was_interrupted(self):
        # A loop whose end cannot be estimated, and that never ends.
        path = self.write(
            "endless.mlir",
            """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%i = %x) : tensor<f32> cond {
    %c = stablehlo.compare EQ, %i, %i : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.negate %i : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %0 : tensor<f32>
}""",
        )
        with subprocess.Popen([BIN / "opbyop", "eval", path], stderr=subprocess.PIPE, text=True) as process:
            said = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
        self.assertIn(" ops after ", said)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertRegex(rest, r"eval: interrupted: \d+ ops after \d+ s, now stablehlo\.\w+ at .*endless\.mlir:\d")

    def test_run_of_a_model_says_the_commands(self):
        path = self.write("some model.mlir", ADD)
        done = self.opbyop("run", path, "--target", "host", code=USAGE)
        self.assertIn(f"opbyop split {shlex.quote(str(path))} -o 'out/some model'", done.stderr)
        self.assertIn("opbyop run 'out/some model' --target host", done.stderr)

    def test_run_of_a_manifest_says_its_folder(self):
        self.opbyop("split", self.write("some model.mlir", ADD), "-o", self.folder / "cases")
        done = self.opbyop("run", self.folder / "cases" / "manifest.yaml", "--target", "host", code=USAGE)
        self.assertIn(f"opbyop run {self.folder / 'cases'} --target host", done.stderr)
        self.assertNotIn("opbyop split", done.stderr)

    def test_a_function_that_is_not_main_is_taken(self):
        path = self.write("forward.mlir", ADD.replace("@main", "@forward"))
        done = self.opbyop("split", path, "-o", self.folder / "out")
        self.assertIn("has no @main: its only function @forward is split", done.stdout)
        self.assertIn('entry: "forward"', (self.folder / "out" / "manifest.yaml").read_text())
        self.opbyop("eval", path)
        self.opbyop("profile", path, "-o", self.folder / "profile", "--iterations", "1")

    def test_sections_are_models(self):
        path = self.write("two.mlir", ADD + "// -----" + ADD.replace("add", "multiply"))
        self.assert_split_fails(path, BAD_INPUT, "2 sections", "--split-input-file")
        done = self.opbyop("split", path, "--split-input-file", "-o", self.folder / "out")
        self.assertRegex(done.stdout, r"(?m)^two_1 +1 ops +1 new cases")
        self.assertRegex(done.stdout, r"(?m)^two_2 +1 ops +1 new cases")
        self.opbyop("run", self.folder / "out", "--mode", "whole")

    def test_other_verbs_read_what_split_reads(self):
        path = self.write(
            "vendor.mlir",
            """module attributes {vendor.system = #vendor.system<x>} {
  llvm.module_flags [#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>]
  func.func @main(%a: tensor<2xf32> {vendor.kind = #vendor.kind<input>}) -> tensor<2xf32>
      attributes {vendor.stage = #vendor<late>} {
    %0 = stablehlo.add %a, %a : tensor<2xf32> loc(fused<#vendor.note<1>>["x"])
    return %0 : tensor<2xf32>
  }
}""",
        )
        self.opbyop("split", path, "-o", self.folder / "out")
        self.opbyop("eval", path)
        self.opbyop("profile", path, "-o", self.folder / "profile", "--iterations", "1")
        subprocess.run([BIN / "opbyop-opt", path], check=True, capture_output=True)

    def test_eval_reads_and_writes_npy(self):
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
        self.assertIn("probe_0_stablehlo.add.npy,stablehlo.add,0,0,f32,2,", (out / "index.csv").read_text())
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


class RunTest(ProgramTest):
    """Tests `opbyop run` with the mock target: which runs are red, which files stay, which exit codes there are."""

    def setUp(self) -> None:
        super().setUp()
        self.run_folder = self.folder / "run"

    def make(self, count: int) -> None:
        self.run_program("mock_manifest", count, self.run_folder)

    def command(self, *flags: str, target: object = ROOT / "fixtures/mock/mock.yaml") -> list[str]:
        mock = [f"--reference-worker={BIN / 'mock_worker'}", "--baseline=none", "--progress=plain"]
        return [str(BIN / "opbyop"), "run", str(self.run_folder), f"--target={target}", "--", *mock, *flags]

    def run_rows(self, *flags: str, code: int = 0, **more: object) -> str:
        done = subprocess.run(self.command(*flags, **more), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout + done.stderr

    def report(self, code: int) -> str:
        return self.opbyop("report", self.run_folder, "-o", self.folder / "reports", code=code).stdout

    def results(self) -> Path:
        return self.run_folder / "results.jsonl"

    def test_a_run_without_reports_leaves_its_results_alone(self):
        self.make(3)
        self.opbyop("run", "--reports=off", *self.command()[2:])
        self.assertTrue(self.results().exists())
        for name in ("optest.json", "junit.xml", "index.html"):
            self.assertFalse((self.run_folder / name).exists(), name)

    def test_the_report_of_a_green_run_is_green(self):
        self.make(3)
        self.run_rows()
        self.report(code=0)

    def test_the_report_of_a_red_run_is_red(self):
        self.make(3)
        text = (ROOT / "fixtures/mock/mock.yaml").read_text()
        target = self.write("short.yaml", text.replace("timeout_s: 20", "timeout_s: 20, disk_mb: 1"))
        case = next((self.run_folder / "cases").iterdir())
        case.write_text(case.read_text().replace("behaviour: pass", "behaviour: fail"))
        self.run_rows(target=target, code=UNEXPECTED)
        self.report(code=UNEXPECTED)
        self.assertTrue((self.folder / "reports/index.html").exists(), "it is written all the same")

    def test_the_report_of_a_run_of_some_rows_is_of_these(self):
        self.make(3)
        self.run_rows("--gtest_filter=*00000001")
        self.assertNotIn("missing", self.report(code=0))

    def make_one_unsupported(self) -> None:
        self.make(3)
        case = next((self.run_folder / "cases").iterdir())
        case.write_text(case.read_text().replace("behaviour: pass", "behaviour: unsupported"))

    def test_demands_make_a_run_and_its_reports_red(self):
        self.make_one_unsupported()
        self.run_rows()
        for flag, said in [("--fail-on=unsupported", "2 of 6 rows are unsupported"), ("--min-pass=70%", "5 must")]:
            with self.subTest(flag):
                self.assertIn(said, self.run_rows(flag, "--fresh", code=UNEXPECTED))
                reports = self.folder / "reports"
                for flags in ([flag], []):  # it judges in the same way as the run
                    done = self.opbyop("report", self.run_folder, "-o", reports, *flags, code=UNEXPECTED)
                    self.assertIn(said, done.stdout)
                self.assertIn(said, (reports / "summary.md").read_text())
                self.assertIn(said, (reports / "index.html").read_text())
                self.assertIn(said, (reports / "junit.xml").read_text())
        self.opbyop("report", self.run_folder, "-o", self.folder / "reports", "--min-pass=66%")
        self.run_rows("--min-pass=66%", "--fail-on=skipped", "--fresh")
        self.run_rows("--min-pass=x", code=USAGE)
        self.run_rows("--fail-on=fail", code=USAGE)
        self.opbyop("run", self.run_folder, "--fail-on=fail", code=USAGE)

    def test_a_pass_that_becomes_unsupported_is_a_regression(self):
        self.make(3)
        self.run_rows()
        floor = self.folder / "floor.yaml"
        done = self.opbyop("baseline", "update", self.run_folder, "--baseline", floor, "--floor")
        self.assertIn("6 rows must pass from now on", done.stdout)
        self.run_rows("--fresh", f"--baseline={floor}")
        case = next((self.run_folder / "cases").iterdir())
        case.write_text(case.read_text().replace("behaviour: pass", "behaviour: unsupported"))
        said = self.run_rows("--fresh", f"--baseline={floor}", code=UNEXPECTED)
        self.assertIn("passed before, now unsupported", said)
        self.opbyop("report", self.run_folder, "-o", self.run_folder, "--baseline", floor, code=UNEXPECTED)
        self.assertIn("passed before, now unsupported", (self.run_folder / "summary.md").read_text())
        done = self.opbyop("baseline", "update", self.run_folder, "--baseline", floor, "--floor")
        self.assertIn("4 rows must pass from now on, 2 no longer", done.stdout)
        self.run_rows("--fresh", f"--baseline={floor}")

    def test_the_rest_of_a_baseline_stays_if_its_floor_is_replaced(self):
        self.make(2)
        self.run_rows()
        head = "schema: opbyop-baseline/1\ntarget: mock  # a comment\n"
        tail = "models: [beta]\nentries: []\n"
        floor = self.write("floor.yaml", head + "floor:\n  - gone__*\n# of the floor\n" + tail)
        self.opbyop("baseline", "update", self.run_folder, "--baseline", floor, "--floor")
        text = floor.read_text()
        self.assertTrue(text.startswith(head + tail + "floor:\n"), text)
        self.assertNotIn("gone__", text)
        other = self.write("other.yaml", "schema: opbyop-baseline/1\ntarget: other\n")
        self.opbyop("baseline", "update", self.run_folder, "--baseline", other, "--floor", code=USAGE)

    def test_a_run_proposes_the_baseline_under_which_it_is_green(self):
        self.make(3)
        first, second, _ = sorted((self.run_folder / "cases").iterdir())
        for case, behaviour in ((first, "segfault execute"), (second, "fail lower")):
            case.write_text(case.read_text().replace("behaviour: pass", f"behaviour: {behaviour}"))
        self.run_rows(code=UNEXPECTED)
        baseline = self.folder / "baseline.yaml"
        update = ["baseline", "update", self.run_folder, "--baseline", baseline]
        self.assertIn("entries: 2 added for 4 rows, 0 narrowed, 0 removed, 0 as", self.opbyop(*update).stdout)
        self.assertIn(f"*__{first.stem}", baseline.read_text())
        self.run_rows("--fresh", f"--baseline={baseline}")
        self.assertIn("entries: 0 added for 0 rows, 0 narrowed, 0 removed, 2 as", self.opbyop(*update).stdout)
        second.write_text(second.read_text().replace("behaviour: fail lower", "behaviour: pass"))
        self.assertIn("remove its entry", self.run_rows("--fresh", f"--baseline={baseline}", code=UNEXPECTED))
        self.assertIn("0 narrowed, 1 removed, 1 as", self.opbyop(*update).stdout)
        self.run_rows("--fresh", f"--baseline={baseline}")

    def test_a_damaged_line_is_red_and_its_case_is_run_again(self):
        self.make(3)
        self.run_rows()
        lines = self.results().read_text().splitlines(keepends=True)
        self.results().write_text("".join([*lines[:2], lines[2][:50] + "\n", *lines[3:]]))
        self.assertIn("1 line cannot be read: 3 (not JSON", self.report(code=UNEXPECTED))
        self.assertIn("1 line cannot be read: 3 (not JSON", self.run_rows())
        self.report(code=0)

    def test_a_run_of_some_rows_keeps_the_others(self):
        self.make(26)
        self.run_rows()
        self.assertIn("keeps its 25 other results", self.run_rows("--gtest_filter=*00000001"))
        self.assertEqual(len({record["case"] for record in cases(self.run_folder)}), 26)
        self.assertEqual(records(self.results())[-1]["record"], "footer")
        self.report(code=0)

    def test_a_run_of_some_rows_of_another_target_is_refused(self):
        self.make(3)
        self.run_rows()
        before = self.results().read_bytes()
        text = (ROOT / "fixtures/mock/mock.yaml").read_text()
        target = self.write("slow.yaml", text.replace("timeout_s: 20", "timeout_s: 21"))
        said = self.run_rows("--gtest_filter=*00000001", target=target, code=USAGE)
        self.assertIn("its target.limits.timeout_s is '20', this run's is '21'", said)
        self.assertIn("--fresh", said)
        self.assertEqual(self.results().read_bytes(), before)
        self.run_rows("--gtest_filter=*00000001", "--fresh", target=target)
        self.assertEqual(len(cases(self.run_folder)), 1)

    def test_cases_that_are_run_are_not_split_again(self):
        self.opbyop("split", self.write("model.mlir", ADD), "-o", self.run_folder)
        self.make(2000)
        process = self.start("--jobs=1")
        try:
            done = self.opbyop("split", self.folder / "model.mlir", "-o", self.run_folder, code=USAGE)
            self.assertIn("a run of its cases goes on", done.stderr)
        finally:
            process.kill()
            process.communicate()

    def start(self, *flags: str) -> subprocess.Popen[str]:
        """Starts a run, and waits until it has written its first records."""
        process = subprocess.Popen(
            self.command(*flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder
        )
        while process.poll() is None and not (self.results().exists() and self.results().read_bytes().count(b"\n") > 3):
            time.sleep(0.01)
        self.assertIsNone(process.poll(), "it ended before it could be interrupted")
        return process

    def test_an_interrupted_run_names_the_command_to_resume_it(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                shutil.rmtree(self.run_folder, ignore_errors=True)
                self.make(2000)
                process = self.start("--jobs=1")
                process.send_signal(number)
                said, _ = process.communicate()
                self.assertEqual(process.returncode, 128 + number, said[-2000:])
                self.assertIn("every result so far is on the disk", said)
                first = cases(self.run_folder)[0]
                command = said.strip().splitlines()[-1].strip()
                self.assertEqual(shlex.split(command), self.command("--jobs=1"))
                done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
                self.assertEqual(len(cases(self.run_folder)), 2000)
                self.assertEqual(cases(self.run_folder)[0], first, "it began again")

    def test_a_resuming_command_does_not_start_again(self):
        self.make(2000)
        typed = self.command("--jobs=1")
        typed.insert(typed.index("--"), "--fresh")
        process = subprocess.Popen(typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while process.poll() is None and not self.results().exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()
        self.assertEqual(process.returncode, 130, said)
        self.assertNotIn("--fresh", said.strip().splitlines()[-1])

    def test_a_killed_run_is_resumed_by_the_same_command(self):
        self.make(2000)
        process = self.start("--jobs=1")
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertIn("goes on from its", self.run_rows())
        self.assertEqual(records(self.results())[-1]["record"], "footer")


class SignalTest(ProgramTest):
    """Tests that programs without a handler end by the signal: 128 + n in a shell."""

    def code_of(self, number: signal.Signals, program: str, *arguments: object) -> int:
        """Sends the signal while the program waits for its input, a pipe without a writer."""
        process = subprocess.Popen(
            ["bash", "-c", '"$@" <&0 & echo $!; wait $!', "bash", str(BIN / program), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        pid = int(process.stdout.readline())
        # The program waits in read(2), or its child does, which reads input for it.
        while "pipe_read" not in self.waits_in(pid):
            time.sleep(0.01)
        os.kill(pid, number)
        code = process.wait()
        process.stdin.close()
        process.stdout.close()
        return code

    @staticmethod
    def waits_in(pid: int) -> str:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return " ".join(Path(f"/proc/{each}/wchan").read_text() for each in [pid, *children])

    def test_every_program(self):
        for program, *arguments in [
            ("opbyop", "eval", "/dev/stdin"),
            ("optrace", "top", "/dev/stdin"),
            ("opbyop-opt", "/dev/stdin"),
        ]:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
                with self.subTest(program=program, signal=number.name):
                    self.assertEqual(self.code_of(number, program, *arguments), 128 + number)

    def limited(self, *arguments: object, blocks: int = 1) -> subprocess.CompletedProcess[str]:
        """Runs a program whose files are limited to that many KiB."""
        script = f'ulimit -f {blocks}; exec "$@"'
        return subprocess.run(
            ["bash", "-c", script, "bash", *map(str, arguments)], capture_output=True, text=True, check=False
        )

    def test_a_file_that_may_not_grow_is_an_error_not_a_signal(self):
        out = self.folder / "out"
        done = self.limited(BIN / "opbyop", "split", ROOT / "fixtures/models/mnist_mlp.mlirbc", "-o", out)
        self.assertEqual(done.returncode, NO_INPUT, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertFalse(out.exists(), "something was left behind")
