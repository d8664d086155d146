# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests that tensors are stored as support/files/npy.h writes them."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import ml_dtypes
import numpy as np

from opbyop_worker import StageError, tensors
from opbyop_worker.protocol import TensorType


class TensorsTest(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def round_trip(self, array: np.ndarray, dtype: str) -> np.ndarray:
        type_ = TensorType(array.shape, dtype)
        tensors.write_tensor(self.folder / "input_0.npy", array, type_)
        return tensors.read_inputs(self.folder, [type_])[0]

    def test_types_of_numpy_keep_their_values(self) -> None:
        for dtype, numpy_type in {"i1": np.bool_, "ui16": np.uint16, "complex<f64>": np.complex128}.items():
            array = np.array([[1, 0], [1, 1]], numpy_type)
            np.testing.assert_array_equal(self.round_trip(array, dtype), array)

    def test_types_that_numpy_lacks_are_void_on_disk(self) -> None:
        array = np.array([1.5, -2], ml_dtypes.bfloat16)
        back = self.round_trip(array, "bf16")
        self.assertEqual(np.load(self.folder / "input_0.npy").dtype.str, "|V2")
        np.testing.assert_array_equal(back, array)

    def test_sub_byte_types_take_a_byte(self) -> None:
        array = np.array([-8, 7], ml_dtypes.int4)
        self.assertEqual(self.round_trip(array, "i4").tolist(), [-8, 7])

    def test_a_large_file_is_mapped_and_never_written(self) -> None:
        array = np.arange(tensors.MAPPED_BYTES // 2, dtype=np.uint16).view(ml_dtypes.bfloat16)
        read = self.round_trip(array, "bf16")
        np.testing.assert_array_equal(read.view(np.uint16), array.view(np.uint16))
        self.assertEqual(read.ctypes.data % 64, 0)
        read[0] = 1
        self.assertEqual(np.load(self.folder / "input_0.npy").view(np.uint16)[0], 0)

    def test_a_small_array_may_be_written_without_its_file(self) -> None:
        read = self.round_trip(np.zeros(3, np.float32), "f32")
        read[0] = 1
        self.assertEqual(np.load(self.folder / "input_0.npy")[0], 0)

    def test_other_forms_of_small_files_are_read(self) -> None:
        array = np.arange(6, dtype=np.int32).reshape(2, 3)
        type_ = TensorType(array.shape, "i32")
        for version, stored in (((2, 0), array), ((1, 0), np.asfortranarray(array))):
            with open(self.folder / "input_0.npy", "wb") as file:
                np.lib.format.write_array(file, stored, version=version)
            np.testing.assert_array_equal(tensors.read_inputs(self.folder, [type_])[0], array)

    def test_a_file_that_ends_early_is_an_error(self) -> None:
        self.round_trip(np.zeros(3, np.int8), "i8")
        file = self.folder / "input_0.npy"
        whole = file.read_bytes()
        for length in (len(whole) - 1, len(whole) - 3, 100, 9, 3):
            file.write_bytes(whole[:length])
            with self.assertRaises(ValueError):
                tensors.read_inputs(self.folder, [TensorType((3,), "i8")])

    def test_scalars_and_empty_tensors_keep_their_shape(self) -> None:
        for shape in ((), (0, 3)):
            self.assertEqual(self.round_trip(np.zeros(shape, np.float32), "f32").shape, shape)

    def test_transposed_memory_is_written_in_c_order(self) -> None:
        array = np.arange(6, dtype=np.int32).reshape(2, 3).T
        np.testing.assert_array_equal(self.round_trip(array, "i32"), array)

    def test_another_type_than_declared_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, r"output_0 is float32\[2\], f64\[2\] is declared"):
            tensors.write_outputs(self.folder, [[np.zeros(2, np.float32)]], [TensorType((2,), "f64")])

    def test_a_last_run_that_differs_writes_its_own_output(self) -> None:
        types = [TensorType((1,), "f32")] * 2
        first = [np.array([0], np.float32), np.array([np.nan], np.float32)]
        last = [np.array([-0.0], np.float32), np.array([np.nan], np.float32)]
        tensors.write_outputs(self.folder, [first, last], types)
        self.assertEqual(np.signbit(np.load(self.folder / "last_output_0.npy")).tolist(), [True])
        self.assertFalse((self.folder / "last_output_1.npy").exists())
        self.assertFalse(np.signbit(np.load(self.folder / "output_0.npy")).any())

    def test_a_last_run_that_differs_in_its_last_byte_is_written(self) -> None:
        first = np.zeros(tensors.MAPPED_BYTES, np.uint8)
        last = first.copy()
        last[-1] = 1
        tensors.write_outputs(self.folder, [[first], [last]], [TensorType(first.shape, "ui8")])
        self.assertEqual(np.load(self.folder / "last_output_0.npy")[-1], 1)

    def test_equal_runs_without_elements_or_dimensions_are_written_once(self) -> None:
        arrays = [np.zeros((0, 3), ml_dtypes.bfloat16), np.zeros((), np.float32)]
        types = [TensorType((0, 3), "bf16"), TensorType((), "f32")]
        tensors.write_outputs(self.folder, [arrays, arrays], types)
        self.assertEqual(list(self.folder.glob("last_*")), [])

    def test_a_type_without_arrays_is_unsupported(self) -> None:
        with self.assertRaises(StageError) as caught:
            tensors.dtype_of("!stablehlo.token")
        self.assertEqual(caught.exception.status, "unsupported")


if __name__ == "__main__":
    unittest.main()
