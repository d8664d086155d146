# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs `opbyop suite` on the command line, and then its cases.

python3 -m unittest generator.suite.suite_cli_test
"""

from __future__ import annotations

from fixtures.programs import NOTHING, USAGE, ProgramTest, cases


class SuiteTest(ProgramTest):
    def test_cases_are_written_and_run_and_writing_again_changes_nothing(self) -> None:
        out = self.folder / "out"
        self.opbyop("suite", "stablehlo", "--op=reverse", "-o", out)
        first = (out / "manifest.yaml").read_text()
        suite = r'suite: \{name: "stablehlo", version: "[0-9.]+", level: "smoke", digest: "[0-9a-f]+"\}'
        self.assertRegex(first, suite)
        self.assertIn('"covers":["reverse.C1"', first)
        self.opbyop("run", out, "--target=host")
        self.assertEqual({case["status"] for case in cases(out)}, {"pass"})
        self.opbyop("suite", "stablehlo", "--op=stablehlo.reverse", "-o", out)
        self.assertEqual((out / "manifest.yaml").read_text(), first)

    def test_pairs_run_beside_the_ops_they_consist_of(self) -> None:
        out = self.folder / "out"
        self.opbyop("suite", "stablehlo", "--pairs", "--op=reverse", "-o", out)
        self.assertIn('level: "pairs"', (out / "manifest.yaml").read_text())
        self.opbyop("run", out, "--target=host")
        found = cases(out)
        self.assertTrue(any(case["case"].startswith("window_reverse_reverse_") for case in found))
        self.assertTrue(any(case["case"].startswith("reverse_") for case in found))
        self.assertLessEqual({case["status"] for case in found}, {"pass", "unsupported", "inconclusive"})

    def test_invalid_programs_are_refused_and_only_valid_ones_of_a_folder_are_kept(self) -> None:
        out = self.folder / "out"
        self.opbyop("suite", "stablehlo", "--refused", "--op=slice", "-o", out)
        self.opbyop("suite", "stablehlo", "--refused", "--op=reverse", "-o", out)
        names = sorted(path.name for path in (out / "cases").iterdir())
        self.assertEqual([name for name in names if "slice" in name], [])
        self.assertEqual(len([name for name in names if name.startswith("valid_reverse_")]), 1)
        self.assertIn('"expect":"refused","breaks":{"id":"reverse.C2"', (out / "manifest.yaml").read_text())
        self.opbyop("run", out, "--target=host")
        for case in cases(out):
            self.assertEqual((case["status"], case["stage"]), ("pass", "parse"))
            self.assertNotEqual(case["diagnostic"], "")

    def test_refused_programs_have_no_level(self) -> None:
        out = self.folder / "out"
        self.opbyop("suite", "stablehlo", "--refused", "--level=full", "-o", out, code=USAGE)
        done = self.opbyop("suite", "stablehlo", "--refused", "--op=chlo.erf", "-o", out, code=NOTHING)
        self.assertIn("has programs that must be refused", done.stderr)

    def test_they_are_in_no_bundle(self) -> None:
        out = self.folder / "out"
        self.opbyop("suite", "stablehlo", "--refused", "--op=reverse", "-o", out)
        done = self.opbyop("run", out, "--target=host", "--until=compile", code=USAGE)
        self.assertIn("programs that must be refused", done.stderr)

    def test_full_holds_more_than_smoke(self) -> None:
        def count(level: str) -> int:
            self.opbyop("suite", "stablehlo", "--op=slice", "--level", level, "-o", self.folder / level)
            return len(list((self.folder / level / "cases").iterdir()))

        self.assertGreater(count("full"), count("smoke"))

    def test_an_unknown_op_is_nothing_to_do(self) -> None:
        done = self.opbyop("suite", "stablehlo", "--op=adf", "-o", self.folder / "out", code=NOTHING)
        self.assertIn("no op of the suite stablehlo matches adf", done.stderr)

    def test_it_requires_an_output(self) -> None:
        done = self.opbyop("suite", "stablehlo", code=USAGE)
        self.assertIn("-o DIR, --coverage FILE or --lock is required", done.stderr)
