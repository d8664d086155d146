# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests the worker with a stand-in for tt-mlir's runtime (fixtures/tenstorrent)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from opbyop_worker.testing import Answer, CaseFolder, Parent

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures/tenstorrent"
NUMPY_TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i32": np.int32,
    "i64": np.int64,
    "ui16": np.uint16,
}


def worker_environment(log: Path, **more: str) -> dict[str, str]:
    paths = [str(ROOT / "device/python"), str(FIXTURES / "python")]
    return {
        "PYTHONPATH": ":".join(paths),
        "TT_METAL_SIMULATOR": "the stand-in",
        "FAKE_BOARD_LOG": str(log),
        **more,
    }


def compile_case(folder: Path, text: str) -> Path:
    """Compiles a flatbuffer with the stand-ins of the compiler."""
    source = folder / "case.mlir"
    source.write_text(text)
    steps = [
        ("ttmlir-opt", "--stablehlo-to-ttir-pipeline", "ttir.mlir"),
        ("ttmlir-opt", "--ttir-to-ttnn-runtime-pipeline=mock-system-desc-arch=wormhole_b0", "ttnn.mlir"),
        ("ttmlir-translate", "--ttnn-to-flatbuffer", "case.ttnn"),
    ]
    for tool, pipeline, output in steps:
        command = [sys.executable, str(FIXTURES / "bin" / tool), pipeline, str(source), "-o", str(folder / output)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        source = folder / output
    return source


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.log = self.folder / "board"
        self.environment: dict[str, str] = {}
        self._parent: Parent | None = None

    @property
    def parent(self) -> Parent:
        if self._parent is None:
            variables = worker_environment(self.log, **self.environment)
            settings = [f"{name}={value}" for name, value in variables.items()]
            self._parent = Parent(["env", *settings, sys.executable, str(ROOT / "device/tenstorrent/worker.py")])
            self.addCleanup(self.leave)
        return self._parent

    def leave(self) -> None:
        if self._parent is not None:
            self._parent.__exit__()

    def case(self, op: str, dtype: str, *values: list[Any]) -> CaseFolder:
        arrays = [np.array(each, NUMPY_TYPES[dtype]) for each in values]
        type_ = f"tensor<{'x'.join([*map(str, arrays[0].shape), dtype])}>"
        names = [f"%a{i}" for i in range(len(arrays))]
        parameters = ", ".join(f"{name}: {type_}" for name in names)
        text = (
            f"func.func @main({parameters}) -> {type_} {{\n"
            f"  %0 = stablehlo.{op} {', '.join(names)} : {type_}\n  return %0 : {type_}\n}}\n"
        )
        case = CaseFolder(text, [(array, dtype) for array in arrays], [(arrays[0].shape, dtype)])
        self.addCleanup(case.cleanup)
        compile_case(case.dir, text)
        return case

    def execute(self, case: CaseFolder, **more: Any) -> Answer:
        return self.parent.ask("execute", artifact=str(case.dir / "case.ttnn"), **{**case.fields(), **more})

    def expect(self, case: CaseFolder, stage: str, status: str, *words: str) -> Answer:
        answer = self.execute(case)
        self.assertEqual((answer.stages[-1], answer.status), ((stage, status), status), answer.done)
        for word in words:
            self.assertIn(word, answer.done["diagnostic"])
        return answer

    def openings(self) -> list[str]:
        return self.log.read_text().split() if self.log.exists() else []

    def test_the_cases_own_inputs_are_what_the_device_computes_with(self) -> None:
        case = self.case("add", "f32", [1, 2, 3, 4], [10, 20, 30, 40])
        answer = self.execute(case)
        self.assertEqual(answer.stages, [("load", "pass"), ("execute", "pass")], answer.done)
        self.assertEqual(case.output().tolist(), [11, 22, 33, 44])
        self.assertEqual(answer.done["timing"]["n"], 2)  # three runs, the first without a time
        self.assertEqual(answer.done["artifact_bytes"], (case.dir / "case.ttnn").stat().st_size)

    def test_one_device_serves_all_cases(self) -> None:
        for _ in range(3):
            self.assertEqual(self.execute(self.case("add", "f32", [1, 2], [3, 4])).status, "pass")
        self.assertEqual(self.openings(), ["open"])

    def test_the_device_is_closed_at_the_end(self) -> None:
        self.assertEqual(self.execute(self.case("add", "f32", [1, 2], [3, 4])).status, "pass")
        self.parent.__exit__()
        self.assertEqual(self.openings(), ["open", "close"])
        self._parent = None

    def test_the_device_is_not_opened_before_there_is_something_to_run(self) -> None:
        self.assertEqual(self.parent.hello["name"], "tenstorrent")
        self.assertEqual(self.openings(), [])

    def test_i1_is_a_bf16_of_the_device(self) -> None:
        case = self.case("and", "i1", [True, True, False, False], [True, False, True, False])
        self.assertEqual(self.execute(case).status, "pass")
        self.assertEqual(case.output().tolist(), [True, False, False, False])

    def test_i64_is_an_int32_of_the_device(self) -> None:
        case = self.case("add", "i64", [-5, 2**31 - 2], [1, 1])
        self.assertEqual(self.execute(case).status, "pass")
        self.assertEqual(case.output().tolist(), [-4, 2**31 - 1])

    def test_ui16_keeps_its_upper_half(self) -> None:
        case = self.case("maximum", "ui16", [65535, 0], [1, 40000])
        self.assertEqual(self.execute(case).status, "pass")
        self.assertEqual(case.output().tolist(), [65535, 40000])

    def test_an_index_beyond_int32_is_unsupported(self) -> None:
        case = self.case("add", "i64", [2**40, 1], [1, 1])
        self.expect(case, "load", "unsupported", "argument 0 is i64", "1099511627776", "Int32")
        self.assertEqual(self.openings(), [])

    def test_f64_in_f32_is_unsupported(self) -> None:
        self.expect(self.case("add", "f64", [1.0], [2.0]), "load", "unsupported", "argument 0 is f64", "Float32")

    def test_a_flatbuffer_of_another_schema_is_skipped(self) -> None:
        self.expect(self.case("abs", "f32", [1.0]), "load", "skipped", "schema is not the runtime's")

    def test_private_programs_are_left_out(self) -> None:
        case = self.case("exponential", "f32", [0.0, 1.0])
        self.assertEqual(self.execute(case).status, "pass")
        np.testing.assert_allclose(case.output(), np.exp([0, 1]), rtol=1e-6)

    def test_shards_are_assembled(self) -> None:
        case = self.case("logistic", "f32", [0.0, 100.0, -100.0, 0.0])
        self.assertEqual(self.execute(case).status, "pass")
        np.testing.assert_allclose(case.output(), [0.5, 1, 0, 0.5], atol=1e-6)

    def test_shards_that_do_not_form_the_result_are_refused(self) -> None:
        case = self.case("cbrt", "f32", [1, 2, 3, 4])
        self.expect(case, "execute", "fail", "result 0: its 1 shard of [2] does not make up [4]")

    def test_an_empty_list_of_shards_is_refused(self) -> None:
        self.expect(self.case("round_nearest_afz", "f32", [1.0]), "execute", "fail", "result 0", "is empty")

    def test_padding_is_no_value(self) -> None:
        case = self.case("log", "f32", [[1.0, np.e], [1.0, 1.0]])
        self.assertEqual(self.execute(case).status, "pass")
        np.testing.assert_allclose(case.output(), [[0, 1], [0, 0]], atol=1e-6)

    def test_an_exception_of_the_runtime_is_quoted_and_the_device_is_opened_again(self) -> None:
        case = self.case("sign", "f32", [1.0])
        self.expect(case, "execute", "fail", "TT_FATAL @ tt_metal/impl/program.cpp:714: circular buffers clash")
        self.assertEqual(self.execute(self.case("add", "f32", [1], [2])).status, "pass")
        self.assertEqual(self.openings(), ["open", "close", "open"])

    def test_a_board_that_cannot_be_opened_fails_in_load(self) -> None:
        self.environment = {"FAKE_BOARD_ABSENT": "1"}
        self.expect(self.case("add", "f32", [1], [2]), "load", "fail", "No chips detected")

    def test_inputs_that_a_program_consumes_are_uploaded_again(self) -> None:
        case = self.case("maximum", "f32", [1, 5], [2, 4])
        answer = self.execute(case)
        self.assertEqual(answer.status, "pass", answer.done)
        self.assertEqual(case.output().tolist(), [2, 5])
        self.assertEqual(answer.done["timing"]["n"], 2)  # three runs, the first without a time

    def test_a_deleted_result_is_a_failure(self) -> None:
        self.expect(self.case("log_plus_one", "f32", [1.0]), "execute", "fail", "Tensor is not allocated")

    def test_more_results_than_declared_are_refused(self) -> None:
        case = self.case("round_nearest_even", "f32", [1.0])
        self.expect(case, "execute", "fail", "the device gave 2 results, 1 are declared")

    def test_another_signature_is_refused(self) -> None:
        case = self.case("add", "f32", [1, 2], [3, 4])
        case.input_types = case.input_types[:1]
        self.expect(case, "load", "fail", "the flatbuffer has 2 arguments, the program 1")
        case = self.case("add", "f32", [[1, 2]], [[3, 4]])
        other = self.case("add", "f32", [[1, 2], [3, 4]], [[5, 6], [7, 8]])
        (case.dir / "case.ttnn").write_bytes((other.dir / "case.ttnn").read_bytes())
        self.expect(case, "load", "fail", "argument 0 has the shape [2, 2] in the flatbuffer, [1, 2] is declared")

    def test_no_elements(self) -> None:
        case = self.case("add", "f32", [[]], [[]])
        self.assertEqual(self.execute(case).status, "pass")

    def test_spans_report_the_bytes_moved(self) -> None:
        case = self.case("add", "f32", [1, 2], [3, 4])
        lines = self.execute(case, spans=True).done["spans"].splitlines()
        kinds = [line.split()[0] for line in lines]
        self.assertEqual([kinds.count(kind) for kind in ("transfer_in", "execute", "transfer_out")], [2, 1, 1])

    def test_a_crash_of_the_runtime_ends_the_worker(self) -> None:
        with self.assertRaises(EOFError):
            self.execute(self.case("sqrt", "f32", [1.0]))

    def test_without_a_board_it_says_so_once(self) -> None:
        if Path("/dev/tenstorrent").exists():
            self.skipTest("there is a board")
        self.environment = {"TT_METAL_SIMULATOR": ""}
        self.assertIn("no Tenstorrent board", self.parent.hello["compile_only"])


if __name__ == "__main__":
    unittest.main()
