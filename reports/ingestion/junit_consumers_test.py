# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""junit_consumers_test.py SAMPLE_REPORT CLASS: how each CI reads junit.xml.

The readers of Buildkite, Azure Pipelines, GitLab and Jenkins are not in a registry; their documented behaviour is
written down here. Codecov's parser (test-results-parser) and junitparser are the real ones.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from collections import Counter
from typing import ClassVar

SAMPLE_REPORT = ""

RED = {"fail", "imprecise", "flaky", "unexpected_pass", "crash", "timeout", "out_of_memory", "missing"}
NO_VERDICT = {"unsupported", "inconclusive", "skipped", "expected_fail"}


def is_red(outcome: str | None) -> bool:
    return outcome in RED


class JunitTest(unittest.TestCase):
    text: ClassVar[bytes]
    root: ClassVar[ElementTree.Element]
    rows: ClassVar[list[ElementTree.Element]]

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SAMPLE_REPORT, folder, "--every-status"], check=True, stdout=subprocess.DEVNULL)
            cls.text = (pathlib.Path(folder) / "junit.xml").read_bytes()
        cls.root = ElementTree.fromstring(cls.text)
        cls.rows = [case for case in cls.root.iter("testcase") if cls.outcome(case)]

    @staticmethod
    def outcome(case: ElementTree.Element) -> str | None:
        """The status in opbyop's words; None for a testcase that is no row: the run, or a model that could not be
        split."""
        found = case.find("properties/property[@name='outcome']")
        return None if found is None else found.get("value")

    def expect(self, verdict: dict[str, str], *, red: str, no_verdict: str, passed: str) -> None:
        """`verdict` maps a row's name to the consumer's word for it."""
        for case in self.rows:
            outcome = self.outcome(case)
            name = case.get("name", "")
            expected = red if outcome in RED else no_verdict if outcome in NO_VERDICT else passed
            self.assertEqual(verdict[name], expected, f"{name}: {outcome}")


class JunitConsumersTest(JunitTest):
    """Consumers as their documentation describes them."""

    def test_the_sample_has_rows_of_every_sort(self) -> None:
        outcomes = {self.outcome(case) for case in self.rows}
        self.assertEqual(outcomes, {"pass"} | RED - {"imprecise"} | NO_VERDICT)

    def test_buildkite(self) -> None:
        """Test Engine refuses a testcase without classname and name; skipped and failed are recognized by child
        elements."""
        verdict = {}
        for case in self.root.iter("testcase"):
            self.assertTrue(case.get("classname") and case.get("name"), ElementTree.tostring(case))
            failed = case.find("failure") is not None or case.find("error") is not None
            verdict[case.attrib["name"]] = (
                "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
            )
        self.expect(verdict, red="failed", no_verdict="skipped", passed="passed")

    def test_azure(self) -> None:
        """PublishTestResults@2 reads testsuites/testsuite/testcase: title, seconds; Failed, NotExecuted or Passed; the
        message is @message and the stack trace the text of the failure or error."""
        self.assertEqual(self.root.tag, "testsuites")
        verdict = {}
        for case in self.root.findall("testsuite/testcase"):
            float(case.get("time", "none"))
            wrong = [child for child in case if child.tag in ("failure", "error")]
            self.assertLessEqual(len(wrong), 1)
            for each in wrong:
                self.assertTrue(each.get("message"), "what the list of failures shows")
                self.assertNotIn("\n", each.get("message", ""))
            skipped = case.find("skipped") is not None
            self.assertFalse(wrong and skipped, "one verdict")
            verdict[case.attrib["name"]] = "Failed" if wrong else "NotExecuted" if skipped else "Passed"
        self.assertEqual(len(verdict), len(self.root.findall("testsuite/testcase")), "titles differ")
        self.expect(verdict, red="Failed", no_verdict="NotExecuted", passed="Passed")

    def test_gitlab(self) -> None:
        """A testcase with the classname and name of another is dropped; failure, error and skipped are statuses."""
        names = Counter((case.get("classname"), case.get("name")) for case in self.root.iter("testcase"))
        self.assertEqual([name for name, count in names.items() if count > 1], [])
        words = {"failure": "failed", "error": "error", "skipped": "skipped"}
        for case in self.rows:
            said = [words[child.tag] for child in case if child.tag in words]
            outcome = self.outcome(case)
            self.assertEqual(bool(said) and said[0] != "skipped", is_red(outcome), outcome)
            self.assertEqual(said == ["skipped"], outcome in NO_VERDICT, outcome)

    def test_jenkins(self) -> None:
        """The counts of a suite are those of its children, and every suite has a name."""
        for suite in self.root.iter("testsuite"):
            self.assertTrue(suite.get("name"))
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests", -1)), len(cases))
            for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(attribute, -1)), sum(c.find(tag) is not None for c in cases), tag)


class JunitParsersTest(JunitTest):
    """The parsers of reports/ingestion/requirements-junit.txt."""

    def test_codecov(self) -> None:
        import test_results_parser

        parsed = test_results_parser.parse_junit_xml(self.text)
        words = {"pass": "pass", "failure": "red", "error": "red", "skip": "skip"}
        verdict = {run.name: words[str(run.outcome)] for run in parsed.testruns}
        self.expect(verdict, red="red", no_verdict="skip", passed="pass")

    def test_junitparser(self) -> None:
        import junitparser

        verdict = {}
        for suite in junitparser.JUnitXml.fromroot(junitparser.JUnitXml.fromstring(self.text)._elem):
            for case in suite:
                verdict[case.name] = (
                    "pass" if case.is_passed else "skip" if case.is_skipped else "red" if case.result else "none"
                )
        self.expect(verdict, red="red", no_verdict="skip", passed="pass")


if __name__ == "__main__":
    SAMPLE_REPORT = sys.argv.pop(1)
    unittest.main()
