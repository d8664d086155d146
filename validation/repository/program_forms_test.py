# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""All verbs read the same files: what one takes the others take, and what one refuses they refuse with the same reason.

python3 -m unittest validation.repository.program_forms_test
"""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

from fixtures.programs import BAD_INPUT, BIN, NO_INPUT, NOTHING, USAGE, Done, ProgramTest

MODEL = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
FLAGS = f"""module attributes {{llvm.module.flags = [#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>]}} {{
llvm.module_flags [#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>]
{MODEL}}}
"""
FOREIGN = """module attributes {vendor.system = #vendor.system<1>} {
  func.func @main(%a: tensor<4xf32> {vendor.kind = #vendor.kind<in>}) -> (tensor<4xf32> {vendor.result = 1 : i32})
      attributes {vendor.stage = #vendor.stage<late>} {
    %0 = stablehlo.abs %a {vendor.cost = #vendor.cost<low>} : tensor<4xf32> loc(fused<#vendor.tag<"t">>["a.py":1:2])
    return %0 : tensor<4xf32>
  }
}
"""
TWO = MODEL.replace("@main", "@first") + MODEL.replace("@main", "@second")
SECTIONS = MODEL + "// -----\n" + MODEL
VERBS = ("split", "eval", "profile", "trace-nan")


class ProgramFormsTest(ProgramTest):
    def verb(self, verb: str, program: object, *options: str, stdin: Path | None = None) -> Done:
        out = self.folder / f"out-{verb}"
        arguments = [verb, str(program), *options]
        if verb in ("split", "profile"):
            arguments += ["-o", str(out)]
        if verb == "profile":
            arguments += ["--no-whole-model", "--budget-ms=1"]
        with (stdin or Path("/dev/null")).open("rb") as file:
            return subprocess.run(
                [str(BIN / "opbyop"), *arguments], stdin=file, capture_output=True, text=True, check=False
            )

    def expect_read(self, program: object, *options: str, stdin: Path | None = None) -> None:
        for verb in VERBS:
            with self.subTest(verb, program=program):
                done = self.verb(verb, program, *options, stdin=stdin)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def expect_refused(self, program: object, code: int, reason: str) -> None:
        for verb in VERBS:
            with self.subTest(verb, program=program):
                done = self.verb(verb, program)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertIn(reason, done.stdout + done.stderr)

    def bytecode(self, text: str) -> bytes:
        source = self.write("source.mlir", text)
        target = self.folder / "source.mlirbc"
        self.run_program("opbyop-opt", source, "--emit-bytecode", "-o", target)
        return target.read_bytes()

    def test_what_is_read(self) -> None:
        for name, content in (
            ("text.mlir", MODEL.encode()),
            ("flags.mlir", FLAGS.encode()),
            ("foreign.mlir", FOREIGN.encode()),
            ("forward.mlir", MODEL.replace("@main", "@forward").encode()),
            ("lines.mlir", MODEL.replace("\n", "\r\n").encode()),
            ("mark.mlir", b"\xef\xbb\xbf" + MODEL.encode()),
            ("flags.mlirbc", self.bytecode(FLAGS)),
            ("foreign.mlirbc", self.bytecode(FOREIGN)),
            ("saved/functions/forward.bytecode", self.bytecode(MODEL)),
        ):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            program = self.folder / "saved" if name.startswith("saved") else path
            self.expect_read(program)
            self.run_program("opbyop-opt", program)

    def test_the_only_possible_entry_is_taken(self) -> None:
        public = TWO.replace("@first", "private @first", 1) if "func.func @first" in TWO else TWO
        self.assertIn("private @first", public)
        self.expect_read(self.write("one_public.mlir", public))
        nested = MODEL.replace("@main", "@forward")
        self.expect_read(self.write("nested.mlir", f"module {{\nmodule {{\n{nested}\n}}\n}}\n"))

    def test_functions_of_nested_modules_are_named(self) -> None:
        two = f"module {{\nmodule {{\n{TWO}\n}}\n}}\n"
        self.expect_refused(
            self.write("nested_two.mlir", two), BAD_INPUT, "no function @main in the module, only @first"
        )
        self.expect_read(self.folder / "nested_two.mlir", "--entry=second")

    def test_an_entry_is_named_alike(self) -> None:
        self.expect_read(self.write("two.mlir", TWO), "--entry=second")
        self.expect_refused(
            self.folder / "two.mlir",
            BAD_INPUT,
            "no function @main in the module, only @first, @second; name the one that runs with --entry",
        )

    def test_a_dash_is_the_standard_input(self) -> None:
        model = self.write("model.mlir", MODEL)
        self.expect_read("-", stdin=model)
        with subprocess.Popen(["cat", model], stdout=subprocess.PIPE) as cat:
            sections = subprocess.run(
                [str(BIN / "opbyop"), "split", "-", "--split-input-file", "-o", str(self.folder / "out")],
                stdin=cat.stdout,
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(sections.returncode, USAGE)
        self.assertIn("store it in a file", sections.stderr)

    def test_what_is_refused_says_what_to_do(self) -> None:
        for name, content, reason in (
            ("empty.mlir", b"", "is empty; expected MLIR text, bytecode or an artifact"),
            ("white.mlir", b"\n \n", "white space only"),
            ("model.mlir.gz", gzip.compress(MODEL.encode()), "gzip data (`gunzip` unpacks it)"),
            ("wide.mlir", MODEL.encode("utf-16"), "text in UTF-16 (store it in UTF-8)"),
            ("sections.mlir", SECTIONS.encode(), "--split-input-file takes each by itself"),
        ):
            self.expect_refused(self.write(name, content), BAD_INPUT, reason)
        self.expect_refused(self.folder / "absent.mlir", NO_INPUT, "No such file")
        (self.folder / "folder").mkdir()
        self.expect_refused(self.folder / "folder", NO_INPUT, "functions/*.bytecode")
        for name in ("model.mlir.gz", "wide.mlir"):
            done = self.run_program("opbyop-opt", self.folder / name, code=BAD_INPUT)
            self.assertIn("looks like", done.stderr)

    def test_verbs_of_cases_say_how_a_file_becomes_cases(self) -> None:
        model = self.write("model.mlir", MODEL)
        for program in (model, "-"):
            self.assertIn("opbyop split", self.opbyop("run", program, code=USAGE).stderr)
        self.assertIn("opbyop split MODEL -o", self.opbyop("run", self.folder, code=NO_INPUT).stderr)
        self.opbyop("split", model, "-o", self.folder / "run")
        for verb in ("reduce", "repro", "bundle"):
            flags = ("--run", self.folder / "run", "-o", self.folder / "out")
            done = self.opbyop(verb, model, *flags, code=NOTHING)
            self.assertIn("that is a path: a row is MODEL__CASE", done.stderr, verb)
