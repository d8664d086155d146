# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compares what other languages and pages say with the tables of the C++ sources (validation/tables.py)."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import unittest
from collections.abc import Collection, Iterator

import commands.bundle.tensor_text as tensor_text
from fixtures.programs import run
from validation.repository.rooms_test import room_of, sources
from validation.tables import ROOT, element_types, exit_codes, fields, rows, statuses, statuses_with

sys.path[:0] = [str(ROOT / "packaging/python"), str(ROOT / "packaging")]
from dev import targets  # noqa: E402

from opbyop import _report  # noqa: E402

STATUSES = "manifests/status/status.h"
EXIT_CODES = "support/exit_code.h"
DTYPES = "support/dtype.cc"
FIELDS = "manifests/results/result_fields.h"
RECORDS = "manifests/results/result.h"

# The names of exit codes in Python.
IN_PYTHON = {
    "OK": "kOk",
    "PASSED": "kOk",
    "UNEXPECTED": "kUnexpectedResult",
    "USAGE": "kUsage",
    "NO_INPUT": "kNoInput",
    "BAD_INPUT": "kBadInput",
    "UNSUPPORTED": "kUnsupported",
    "PARTIAL": "kPartial",
    "NOTHING": "kNothingToDo",
    "NOTHING_JUDGED": "kNothingJudged",
    "INTERNAL": "kInternal",
}
CONSTANTS = re.compile(r"^([A-Z][A-Z_, ]*) = ([\d, ]+|range\([\d, ]+\))(?:  #.*)?$", re.M)


def words(file: str, pattern: str) -> list[str]:
    """The quoted words in the first group of the one place that the pattern matches."""
    [(text,)] = rows(file, pattern)
    return re.findall(r'"([^"]*)"', text)


class TableTest(unittest.TestCase):
    table = ""

    def agree(self, place: str, found: Collection[object], expected: Collection[object]) -> None:
        self.assertEqual(len(found), len(set(found)), f"{place} names one twice")
        lacks, has = set(expected) - set(found), set(found) - set(expected)
        if lacks:
            self.fail(f"{place} lacks {', '.join(sorted(map(str, lacks)))}, which {self.table} has")
        if has:
            self.fail(f"{place} has {', '.join(sorted(map(str, has)))}, which {self.table} lacks or says otherwise of")


class StatusesTest(TableTest):
    table = STATUSES

    def test_the_table_has_every_status(self) -> None:
        [(body,)] = rows(STATUSES, r"enum class Status \{((?:\n  k\w+,.*)+)\n\};")
        self.assertEqual(len(re.findall(r"^  k\w+,", body, re.M)), len(statuses()))

    def test_the_page_of_concepts(self) -> None:
        page = dict(rows("docs/concepts.md", r"^\| `(\w+)` \| (yes|) ?\| "))
        self.agree("docs/concepts.md", page, statuses())
        red = [name for name, is_red in page.items() if is_red]
        self.agree("docs/concepts.md: red", red, statuses_with("kProblem"))

    def test_the_python_package(self) -> None:
        place = "packaging/python/opbyop/"
        self.agree(place + "_report.py: _NOT_RED", _report._NOT_RED, set(statuses()) - statuses_with("kProblem"))
        may_fail = words(place + "_check.py", r"set\(fail_on\) - \{(.*)\}$")
        self.agree(place + "_check.py: fail_on", may_fail, statuses_with("kUnjudged"))

    def test_the_schema_of_the_worker_protocol(self) -> None:
        schema = "protocol/worker-protocol.schema.json"
        found = words(schema, r'"status": \{\s*"enum": \[(.*)\]')
        self.agree(schema, found, statuses_with("kOfWorker") | {"mistrusted"})

    def test_the_colours_of_the_pages(self) -> None:
        style = "reports/web/src/style.css"
        colours = [name for (name,) in rows(style, r"--s-(\w+): #")]
        self.agree(f"{style}: colours in the light", colours[: len(colours) // 2], statuses())
        self.agree(f"{style}: colours in the dark", colours[len(colours) // 2 :], statuses())
        classes = rows(style, r"\.s-(\w+) \{ --c: var\(--s-(\w+)\); \}")
        self.agree(f"{style}: classes", classes, [(name, name) for name in statuses()])

    def test_the_page_of_a_profile(self) -> None:
        place = "reports/web/src/profile/profile.tsx"
        silent = words(place, r"^const SILENT = \[(.*)\];$")
        self.agree(f"{place}: SILENT", silent, statuses_with("kUnjudged") | {"", "unknown"})


class ExitCodesTest(TableTest):
    table = EXIT_CODES

    def constants(self) -> Iterator[tuple[str, str, int]]:
        """Every exit code that Python has a name for: (file, name, number)."""
        for file in sources("*.py"):
            if room_of(file) == "device":  # a worker has codes of its own
                continue
            for left, right in CONSTANTS.findall(file.read_text()):
                names = left.split(", ")
                if set(names) <= set(IN_PYTHON):
                    numbers = [int(number) for number in re.findall(r"\d+", right)]
                    numbers = list(range(*numbers)) if right.startswith("range") else numbers
                    yield from zip([str(file)] * len(names), names, numbers, strict=True)

    def test_python(self) -> None:
        found = list(self.constants())
        self.assertGreater(len({file for file, _, _ in found}), 5)
        for file, name, number in found:
            self.assertEqual(number, exit_codes()[IN_PYTHON[name]], f"{file}: {name}, by {EXIT_CODES}")

    def test_the_page_of_exit_codes(self) -> None:
        page = [int(code) for (code,) in rows("docs/exit-codes.md", r"^\| (\d+) \| ")]
        self.agree("docs/exit-codes.md", page, exit_codes().values())

    def test_help_lists_all_but_that_of_a_defect(self) -> None:
        [(listed,)] = rows("harness/run/options.cc", r"\{(ExitCode::kOk,[^}]*)\}")
        self.agree("harness/run/options.cc", re.findall(r"ExitCode::(k\w+)", listed), set(exit_codes()) - {"kInternal"})

    def test_dev_passes_on_every_code(self) -> None:
        codes = sorted(exit_codes().values())
        [bounds] = rows(
            "packaging/dev/commands.py", r"return UNEXPECTED if (\d+) < code < 128 and code != (\d+) else code"
        )
        self.assertEqual([int(bound) for bound in bounds], codes[-2:], f"packaging/dev/commands.py, by {EXIT_CODES}")


class ElementTypesTest(TableTest):
    table = DTYPES

    def test_the_reference(self) -> None:
        stored = {(name, int(bits)) for name, bits in rows(DTYPES, r'^    Dtype\{"([^"]+)", (\d+),')}
        self.agree("reference/tensor/element_type.cc", element_types().items(), stored - {("index", 64)})

    def test_the_enumerators_are_in_the_order_of_the_table(self) -> None:
        [(body,)] = rows("reference/tensor/element_type.h", r"enum class ElementType : uint8_t \{([^}]*)\};")
        parts = {"complex<f32>": "c64", "complex<f64>": "c128"}
        enumerators = [name.lower() for name in re.findall(r"k(\w+),", body)]
        self.assertEqual(enumerators, [parts.get(name, name).lower() for name in element_types()])

    def test_the_dialects(self) -> None:
        types, portable = "ir/stablehlo/types.cc", "ir/vhlo/element_types.cc"
        floats = {name for name in element_types() if re.match("b?f", name)}
        for place in (types, portable):
            named = rows(place, r"(?<=mlir::)(B?)Float(\w+?)Type\b")
            self.agree(place, {b.lower() + "f" + name for b, name in named} - {"fTF32"}, floats)
        letters = {"Integer": "i", "Unsigned": "ui"}
        integers = [letters[kind] + width for kind, width in rows(portable, r"Make(Integer|Unsigned)<(\d+)>")]
        self.agree(portable, integers, {name for name in element_types() if re.match(r"u?i\d", name)})

    def test_pjrt(self) -> None:
        device, plugin = "device/pjrt/element_type.cc", "fixtures/pjrt/program.c"
        # PJRT has no buffers of these.
        expected = set(element_types()) - {"f6E2M3FN", "f6E3M2FN"}
        self.agree(device, [name for (name,) in rows(device, r'^    Element\{"([^"]+)",')], expected)
        self.agree(plugin, [name for (name,) in rows(plugin, r'^    \{"([^"]+)", -?\d+, PJRT_Buffer_Type_')], expected)

    def test_bundles_of_findings_read_each_by_its_format(self) -> None:
        formats = rows("reference/tensor/element_type.cc", r'^    \{"(f\w+)", (\d), (\d+), -?\d+, (\d+), ')
        self.assertGreater(len(formats), 10)
        for name, bits, precision, bias in formats:
            kind = tensor_text.minifloat_of(name)
            if name == "f8E8M0FNU":
                self.assertIsNone(kind)
                continue
            assert kind, name
            self.assertEqual((kind.mantissa_bits + 1, kind.bias), (int(precision), int(bias)), name)
            self.assertEqual(1 + kind.exponent_bits + kind.mantissa_bits, int(bits), name)

    def test_the_sets_of_the_suite(self) -> None:
        suite = "generator/suite/stablehlo/suite.yaml"
        sets: dict[str, list[str]] = {}
        for name, members in rows(suite, r"^- (\w+): \[([^\"\]]*)\]"):
            sets[name] = [each for word in members.split(", ") for each in sets.get(word, [word])]
        self.agree(f"{suite}: plain", set(sets["plain"]), element_types())


class FieldsTest(TableTest):
    """The keys of results.jsonl. Pages and other views have a part of them."""

    table = FIELDS

    def test_the_table_has_every_record(self) -> None:
        self.assertGreater(len(fields()), 10)
        for record, keys in fields().items():
            self.assertGreater(len(keys), 1, record)

    def test_each_member_of_a_record_has_a_key(self) -> None:
        self.table = RECORDS
        text = (ROOT / RECORDS).read_text()
        for record, body in rows(FIELDS, r"FieldsOf\(const ([\w:]+)\*\) \{((?:.|\n)*?)\n\}"):
            struct = re.search(rf"^( *)struct {record.split('::')[-1]} \{{\n((?:.|\n)*?)^\1\}};", text, re.M)
            assert struct, record
            member = rf"^{struct[1]}  (?!struct |bool operator)\w[\w:<>, ]* (\w+)(?: = [^;(]+)?;"
            members = set(re.findall(member, struct[2], re.M)) - {"demands"}  # written with what a reader must check
            self.agree(f"{FIELDS}: {record}", re.findall(r"&\w+::(\w+)", body), members)

    def part(self, place: str, found: Collection[str], record: str) -> None:
        self.assertGreater(len(found), 1, place)
        self.agree(place, found, set(fields()[record]) & set(found))

    def test_the_schema_of_the_worker_protocol(self) -> None:
        schema = json.loads((ROOT / "protocol/worker-protocol.schema.json").read_text())["$defs"]["comparison"]
        place = "protocol/worker-protocol.schema.json: comparison"
        self.part(place, schema["properties"], "Comparison")
        required = [key for key, is_required in fields()["Comparison"].items() if is_required]
        self.agree(f"{place}, required", schema["required"], required)

    def test_the_page_of_a_profile(self) -> None:
        profile = "reports/web/src/profile/data.ts"
        [(body,)] = rows(profile, r"^export interface Comparison \{([^}]*)")
        self.part(profile, re.findall(r"(\w+)\??: ", body), "Comparison")

    def test_the_columns_of_a_history(self) -> None:
        schema, lists = "history/database/schema", "history/difference/case_details.h"
        steps = "".join(file.read_text() for file in sorted((ROOT / schema).glob("*.sql")))
        kept = dict(rows(lists, r"inline auto (\w+)\(const \w+& \w\) \{\s*return std::array[^{]*\{([^}]*)\}"))
        for table, record, name, others in [
            ("comparisons", "Comparison", "MeasuresOf", ["accepted"]),
            ("timings", "CaseRecord", "CountsOf", []),
        ]:
            keys = re.findall(r"\b\w\.(\w+)", kept[name])
            self.part(f"{lists}: {name}", keys, record)
            [body] = re.findall(rf"^CREATE TABLE {table} \(((?:.|\n)*?)\n\)", steps, re.M)
            columns = re.findall(r"^  (\w+) [A-Z]+ ?[A-Z]*", body.split("PRIMARY KEY")[0], re.M)
            columns += re.findall(rf"^ALTER TABLE {table} ADD COLUMN (\w+)", steps, re.M)
            last = keys + others
            self.assertEqual(
                columns[-len(last) :], last, f"{schema}: the last columns of {table}, by {name} of {lists}"
            )

    def test_the_python_package(self) -> None:
        view = "packaging/python/opbyop/_report.py"
        self.part(view, [key for (key,) in rows(view, r'_largest\(metrics, "(\w+)"\)')], "Comparison")


class OpsTest(TableTest):
    table = "reference/eval/ops/"

    def test_the_host_has_a_scalar_form_of_every_function_of_numbers(self) -> None:
        """A function without one would be unsupported on the host, which is not red."""
        functions: set[str] = set()
        place = "device/host/lowering/"
        for file in ("unary.cc", "binary.cc"):
            functions |= {name for (name,) in rows(self.table + file, r'^  table\["([\w.]+)"\] = ')}
        files = (ROOT / place).glob("scalar_*.cc")
        forms = re.findall(r'^    \{"([\w.]+)", ', "".join(file.read_text() for file in files), re.M)
        self.agree(place, functions.intersection(forms), functions)


class PoliciesTest(TableTest):
    table = "manifests/policies/policy.cc"

    def test_every_kind_of_inputs_has_a_name_a_policy_and_its_line_in_the_page(self) -> None:
        kinds, names = zip(*rows(self.table, r'NamedKind\{InputKind::(k\w+), "([\w-]+)"\}'), strict=True)
        header, page = "manifests/policies/policy.h", "docs/numerics/inputs.md"
        [(declared,)] = rows(header, r"enum class InputKind \{ (.*) \};")
        self.agree(header, declared.split(", "), kinds)
        self.agree("manifests/policies/", [file.stem for file in (ROOT / "manifests/policies").glob("*.yaml")], names)
        self.agree(page, [name for (name,) in rows(page, r"^\| `([\w-]+)` \| ")], names)


class ReportsTest(TableTest):
    table = "reports/command/report_command.cc"

    def test_the_page_of_reports(self) -> None:
        written = rows(self.table, r'(?:^    \{|path\(|return )"(\w+)"(?:,| \+ shard \+) "(\.\w+)"')
        cells = rows("docs/reports.md", r"^\| (`.*?`) \| ")
        listed = [name for (cell,) in cells for name in re.findall("`([^`]+)`", cell)]
        # Ingestion names two after its jobs.
        self.agree(
            "docs/reports.md", [name for name in listed if "<job>" not in name], ["".join(name) for name in written]
        )


class ProgressTest(TableTest):
    def test_a_verb_is_built_with_the_progress_of_dev_build(self) -> None:
        [shown] = rows("packaging/dev/build.py", r'^STATUS = "(.*)"$')
        self.assertEqual(rows("commands/build_tree.cc", r'kStatus = "(.*)";'), [shown])


class RequirementsTest(TableTest):
    """manifests/targets/target.cc reads the key `requirements` as YAML, and so does ./dev; a script searches for it."""

    def test_every_reader_finds_the_same(self) -> None:
        script = "suites/with_requirements.sh"
        [(pattern,)] = rows(script, r"^requirements=\$\(sed -n '([^']+)' ")
        found = {}
        for file in (ROOT / "manifests/targets").glob("*.yaml"):
            said = subprocess.run(["sed", "-n", pattern, file], capture_output=True, text=True, check=True).stdout
            with contextlib.chdir(ROOT):
                self.assertEqual(said.splitlines(), targets._key(file.stem, "requirements"), f"{script}: {file}")
            found[file.stem] = said.strip()
        self.assertGreater(len(set(found.values())), 4)
        for target, requirements in found.items():
            self.assertTrue((ROOT / requirements).exists(), f"manifests/targets/{target}.yaml names {requirements}")

    def test_dev_and_opbyop_name_the_same_environment(self) -> None:
        names = set()
        for file in (ROOT / "manifests/targets").glob("*.yaml"):
            for requirements in re.findall(r"^requirements: *(\S+)$", file.read_text(), re.M):
                script = ["sh", ROOT / "device/python/venv_of.sh", requirements]
                name = subprocess.run(script, capture_output=True, text=True, check=True).stdout.strip()
                # Without a shell it says what it would install, and installs nothing.
                said = run("opbyop", "setup", "--target", file.stem, environment={"PATH": "/nonexistent"}).stdout
                self.assertIn(f"{requirements} into ", said)
                self.assertTrue(said.splitlines()[0].endswith(f"/.venv-{name}"), f"commands/setup/setup.cc: {said}")
                names.add(name)
        self.assertGreater(len(names), 4)


if __name__ == "__main__":
    unittest.main()
