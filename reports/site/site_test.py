# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the site's tables, with runs that are made here, and the site itself if its generator is installed.

python3 -m unittest reports.site.site_test.TablesTest
.venv-site/bin/python -m unittest reports.site.site_test.BuildTest
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
import shutil
import unittest
import unittest.mock
from pathlib import Path

from fixtures.programs import ROOT, UNEXPECTED, ProgramTest, faulty_target, records
from reports.site import __main__ as site
from reports.site.links import anchor, links, relinked
from reports.site.staging import stage
from reports.site.tables import Unreadable, page_name, read_run, result_pages

SIGN = """
func.func @main(%a: tensor<64xbf16>, %b: tensor<3xi32>) -> (tensor<64xbf16>, tensor<3xi32>) {
  %0 = stablehlo.sign %a : tensor<64xbf16>
  %1 = stablehlo.add %b, %b : tensor<3xi32>
  return %0, %1 : tensor<64xbf16>, tensor<3xi32>
}
"""


def shown(text: str) -> str:
    """The text that a browser shows for Markdown with characters written as numeric references."""
    return html.unescape(re.sub(r"</?code>", "", text)).replace("\xa0", " ")


class RunsTest(ProgramTest):
    def a_run(self, name: str, target: object, code: int = 0) -> Path:
        folder = self.folder / name
        self.opbyop("split", "--quiet", self.write("sign_model.mlir", SIGN), "-o", folder)
        self.opbyop("run", folder, f"--target={target}", "--policy=edge", "--fresh-seed=none", code=code)
        return folder

    def runs(self) -> tuple[Path, Path]:
        faulty = faulty_target(self.folder / "faulty.yaml", "sign_of_zero_is_one")
        return self.a_run("right", "host"), self.a_run("wrong", faulty, UNEXPECTED)


class TablesTest(RunsTest):
    def test_pages_say_how_far_each_op_got_on_each_target(self) -> None:
        right, wrong = self.runs()
        pages = {name: shown(text) for name, text in result_pages([read_run(right), read_run(wrong)]).items()}
        [op] = [line for line in pages["ops/stablehlo.sign.md"].splitlines() if "64xbf16" in line]
        self.assertRegex(
            op, r"^\| 64xbf16 -> 64xbf16 \| sign_model \| pass \| fail at compare \| sign_64_bf16_\w{8} \|$"
        )
        self.assertIn(
            "| [stablehlo.sign](ops/stablehlo.sign.md) | 1 of 1 | 0 of 1, fail at compare |", pages["conformance.md"]
        )
        self.assertIn("| [stablehlo.add](ops/stablehlo.add.md) | 1 of 1 | 1 of 1 |", pages["conformance.md"])
        self.assertRegex(pages["not-passed.md"], r"\| fail \| compare \| \[stablehlo\.sign\]\([^)]*\) \| .+ \| 1 \|")
        self.assertIn("Every row passes.", pages["not-passed.md"])
        self.assertIn("## host: 100 % of 1 model", pages["scores.md"])
        self.assertIn("1 of 2 cases pass", pages["scores.md"])
        [depth] = [text for name, text in pages.items() if name == "depth-faulty.md"]
        self.assertRegex(depth, r"\| op \| parse \|.* compare \| rows \|")
        self.assertRegex(depth, r"\[stablehlo\.sign\]\S+ \| 1 \|.* \*\*0 of 1\*\* \| 1 \|")

    def test_every_table_names_toolchain_date_and_run(self) -> None:
        folder = self.a_run("right", "host")
        header = records(folder / "results.jsonl")[0]
        for name, text in result_pages([read_run(folder)]).items():
            if name != "ops/README.md":
                for fact in (header["toolchain"], header["start"][:10], header["run_id"]):
                    with self.subTest(page=name, fact=fact):
                        self.assertIn(fact, shown(text))

    def test_names_with_special_characters_have_pages_of_their_own(self) -> None:
        names = {page_name(name) for name in ("custom_call @a b", "custom_call @a_b", "custom_call_a_b", "../a")}
        self.assertEqual(len(names), 4)
        self.assertTrue(all(re.fullmatch(r"[\w.-]+\.md", name) and "/" not in name for name in names))

    def test_runs_of_one_target_are_distinguished(self) -> None:
        report = read_run(self.a_run("right", "host"))
        self.assertIn("| op | host-1 | host-2 |", shown(result_pages([report, report])["conformance.md"]))

    def test_a_reason_that_quotes_a_finding_leads_to_it(self) -> None:
        heading = "`stablehlo.add` on i1 is computed as exclusive or"
        folder = self.a_run("right", "host")
        tests = json.loads((folder / "optest.json").read_text())
        tests[0]["config"] |= {
            "status": "expected_fail",
            "baseline": {"reason": heading, "issue": "https://x.example/7"},
        }
        (folder / "optest.json").write_text(json.dumps(tests))
        page = result_pages([read_run(folder)], ROOT / "docs/findings")["not-passed.md"]
        self.assertIn(
            f"| [{heading}](../docs/findings/iree.md#{anchor(heading)}), [issue](https://x.example/7) |", page
        )

    def test_what_a_run_says_is_no_markup(self) -> None:
        folder = self.a_run("right", "host")
        tests = json.loads((folder / "optest.json").read_text())
        tests[0]["config"]["status"] = "fail"
        tests[0]["message"] = "<script>alert(1)</script> | a `cell`\n# [more](x)"
        (folder / "optest.json").write_text(json.dumps(tests))
        pages = result_pages([read_run(folder)])
        for name in ("not-passed.md", "ops/stablehlo.sign.md", "ops/stablehlo.add.md"):
            self.assertNotIn("<script>", pages[name])
            self.assertNotIn("[more](x)", pages[name])
        self.assertEqual(len([line for line in pages["not-passed.md"].splitlines() if "script" in line]), 1)

    def test_a_folder_without_results_is_refused_by_name(self) -> None:
        for text, why in (
            (None, "no optest.json; `opbyop report"),
            ("{", "no array"),
            ("[]", "no row"),
            ("[{}]", "no array"),
        ):
            with self.subTest(text):
                if text is not None:
                    self.write("optest.json", text)
                with self.assertRaisesRegex(Unreadable, f"{self.folder}.*{why}"):
                    read_run(self.folder)

    def test_the_newest_runs_of_a_history_are_taken(self) -> None:
        old, new = self.a_run("old", "host"), self.a_run("new", "host")
        history = self.folder / "history.db"
        self.opbyop("history", "import", f"--db={history}", old, new)
        self.assertEqual(site.folders_of(history), [new])
        shutil.rmtree(new)
        with self.assertRaisesRegex(Unreadable, f"{new}: no optest.json"):
            read_run(site.folders_of(history)[0])
        with self.assertRaisesRegex(Unreadable, "no history"):
            site.folders_of(self.write("text.db", "no database of any kind, but long enough to be one of them" * 40))

    def test_links_in_code_are_none(self) -> None:
        text = "[a](b.md) `[c](d.md)` [`e`](f(1).md#g)\n```sh\n[h](i.md)\n```\n[j](k.md)\n"
        self.assertEqual(links(text), ["b.md", "f(1).md#g", "k.md"])
        self.assertEqual(relinked(text, lambda link: link), text)
        self.assertIn("`[c](d.md)` [`e`](X)\n```sh\n[h](i.md)", relinked(text, lambda _: "X"))

    def test_sources_that_a_page_names_become_pages(self) -> None:
        for name, text in {
            "p/README.md": "[d](docs/d.md)",
            "p/docs/d.md": "[h](../x/bound.h#L1) [f](../x) [up](../../secret) ![i](i.png)",
            "p/docs/i.png": "png",
            "p/x/bound.h": "int f();\n",
            "secret": "s",
        }.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, text)
        stage(self.folder / "p", self.folder / "staged")
        self.assertEqual(
            (self.folder / "staged/docs/d.md").read_text(),
            "[h](../x/bound.h.md#L1) [f](../x/README.md) [up](../../secret) ![i](i.png)",
        )
        self.assertIn("~~~~~~cpp\nint f();\n~~~~~~", (self.folder / "staged/x/bound.h.md").read_text())
        self.assertIn("- `bound.h`", (self.folder / "staged/x/README.md").read_text())
        self.assertFalse((self.folder / "secret.md").exists())
        self.assertTrue((self.folder / "staged/docs/i.png").exists())


class BuildTest(RunsTest):
    def main(self, *arguments: object) -> tuple[int, str]:
        said = io.StringIO()
        with (
            unittest.mock.patch("sys.argv", ["site", *map(str, arguments)]),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
        ):
            return site.main(), said.getvalue()

    def test_the_site_has_all_pages_and_those_of_runs(self) -> None:
        out = self.folder / "site"
        self.assertEqual(self.main("-o", out, *self.runs()), (0, ""))
        for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
            name = page.relative_to(ROOT).with_suffix(".html")
            name = name.with_name("index.html") if name.stem == "README" else name
            with self.subTest(str(name)):
                self.assertTrue((out / name).exists())
        self.assertTrue("sign_64_bf16" in shown((out / "results/ops/stablehlo.sign.html").read_text()))
        index = (out / "search.json").read_text()
        for text in ("How do I test my LLM on my chip", "sign_64_bf16"):
            self.assertTrue(text in index, f"the search does not know {text}")
        self.assertEqual(self.main("-o", out), (0, ""), "again, into the same folder")
        self.assertFalse((out / "results").exists())

    def test_a_folder_with_something_else_is_left_alone(self) -> None:
        self.write("letter", "dear")
        code, said = self.main("-o", self.folder)
        self.assertEqual(code, site.NO_INPUT)
        self.assertIn("holds something else than a site", said)
        self.assertEqual((self.folder / "letter").read_text(), "dear")


if __name__ == "__main__":
    unittest.main()
