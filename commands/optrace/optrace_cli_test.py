# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests every verb of optrace, and bad input: one clear sentence, a documented exit code, and no partial output.

python3 -m unittest commands.optrace.optrace_cli_test
"""

import json
import pathlib

from fixtures.programs import BAD_INPUT, NO_INPUT, NOTHING, UNEXPECTED, UNSUPPORTED, USAGE, ProgramTest


class OptraceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.trace = self.sample("optrace.ndjson")

    def sample(self, name, *kind):
        self.run_program("sample_optrace", self.folder / name, *kind)
        return self.folder / name

    def optrace(self, *arguments, code=0):
        return self.run_program("optrace", *arguments, code=code)

    def lines(self):
        return self.trace.read_text().splitlines(keepends=True)

    def assert_fails(self, code, words, *arguments):
        done = self.optrace(*arguments, code=code)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def without(self, record):
        return "".join(line for line in self.lines() if json.loads(line)["record"] != record)

    # --- verbs

    def test_export_writes_every_format_and_names_the_files(self):
        done = self.optrace("export", "--to=all", "-o", self.folder / "out", self.trace)
        files = [pathlib.Path(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(files), 11)
        for file in files:
            self.assertGreater(file.stat().st_size, 0, file)

    def test_export_takes_some_formats(self):
        self.optrace("export", "--to=csv,folded", "-o", self.folder / "out", self.trace)
        self.assertEqual(
            sorted(file.name for file in (self.folder / "out").iterdir()),
            ["operator-framework.csv", "operator-hlo.csv", "profile.folded"],
        )

    def test_options_and_files_may_have_any_order(self):
        for arguments in (
            ["--to=csv", self.trace, "-o", self.folder / "out"],
            ["--to", "csv", self.trace, "-o", self.folder / "out"],
            ["-o", self.folder / "out", "--to=csv,folded", self.trace],
            [self.trace, "-o", self.folder / "out", "--to", "csv", "--to", "folded"],
        ):
            with self.subTest(arguments):
                self.assertIn("operator-hlo.csv", self.run_program("optrace", "export", *arguments).stdout)

    def test_export_compares_with_a_base(self):
        slower = self.sample("slower.ndjson", "slower")
        self.optrace("export", "--base", self.trace, "-o", self.folder, slower)
        self.assertIn('"diff":{', (self.folder / "profile.html").read_text())

    def test_top_ranks_operators_and_says_what_to_do(self):
        done = self.optrace("top", "-n", 1, self.trace)
        self.assertIn("dot_general", done.stdout)
        self.assertNotIn(" maximum\n", done.stdout)
        self.assertIn("maximum.4 alone takes 32.8 % of the time on ops", done.stdout)

    def test_explain_finds_an_op_by_any_of_its_names(self):
        for name in ["tanh.9", "tanh", "aten__tanh", "tanh_4x2_f32_5eed0009"]:
            done = self.optrace("explain", self.trace, name)
            self.assertIn("NN[model]/Tanh[tanh]/aten__tanh", done.stdout)
            self.assertIn("accumulated", done.stdout)

    def test_explain_of_an_unknown_op(self):
        self.assert_fails(NOTHING, ["no op sinh", "10 ops"], "explain", self.trace, "sinh")

    def test_diff_puts_the_largest_change_first(self):
        slower = self.sample("slower.ndjson", "slower")
        done = self.optrace("diff", self.trace, slower)
        self.assertIn("aten__relu/maximum", done.stdout.splitlines()[2])

    def test_verify_of_a_whole_trace(self):
        done = self.optrace("verify", self.trace)
        self.assertIn("0 defects", done.stdout)

    def test_verify_finds_a_lost_span(self):
        lines = self.lines()
        lines.remove(next(line for line in lines if '"record":"span"' in line))
        done = self.optrace("verify", self.write("lost.ndjson", "".join(lines)), code=UNEXPECTED)
        self.assertIn("the footer counts", done.stdout)

    # --- bad input

    def test_usage(self):
        for arguments in [[], ["nosuch"], ["export"], ["export", "--to=xml", self.trace], ["diff", self.trace]]:
            with self.subTest(arguments):
                self.optrace(*arguments, code=USAGE)

    def test_absent_file(self):
        self.assert_fails(NO_INPUT, ["none.ndjson"], "top", self.folder / "none.ndjson")

    def test_empty_file(self):
        self.assert_fails(BAD_INPUT, ["empty.ndjson", "is empty"], "export", self.write("empty.ndjson", ""))

    def test_foreign_file(self):
        foreign = self.write("foreign.json", '{"traceEvents": []}\n')
        self.assert_fails(BAD_INPUT, ["foreign.json:1", "header"], "export", foreign)

    def test_binary_file(self):
        path = self.folder / "binary"
        path.write_bytes(bytes(range(256)))
        self.assert_fails(BAD_INPUT, ["binary:1"], "verify", path)

    def test_newer_trace(self):
        newer = self.trace.read_text().replace("optrace/1", "optrace/7")
        self.assert_fails(UNSUPPORTED, ["optrace/7", "optrace/1"], "export", self.write("newer.ndjson", newer))

    def test_record_of_no_op(self):
        bad = self.write("bad.ndjson", self.trace.read_text().replace('"op":9,', '"op":99,'))
        self.assert_fails(BAD_INPUT, ["bad.ndjson", "99"], "export", "-o", self.folder / "out", bad)
        self.assertFalse((self.folder / "out").exists())

    def test_truncated_trace_is_exported_and_says_so(self):
        text = self.trace.read_text()
        for size in (len(text) * 9 // 10, len(text) // 2, len(text) // 5):
            cut = self.write("cut.ndjson", text[:size])
            done = self.optrace("export", "--to=all", "-o", self.folder / "out", cut)
            self.assertIn("cut short", done.stderr)
            self.assertIn("cut short", (self.folder / "out" / "profile.html").read_text())

    def test_trace_without_spans_says_so(self):
        bare = self.write("bare.ndjson", self.without("span"))
        done = self.optrace("export", "--to=all", "-o", self.folder / "out", bare)
        self.assertIn("no spans", done.stderr)
        done = self.optrace("top", bare, code=NOTHING)
        self.assertIn("no execution spans", done.stderr)

    def test_unwritable_output(self):
        self.assert_fails(NO_INPUT, ["cannot be"], "export", "--to=csv", "-o", self.trace / "below", self.trace)
