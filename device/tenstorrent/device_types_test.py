# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests conversions between the types of a program and those of the device."""

from __future__ import annotations

import contextlib
import unittest
from collections.abc import Iterator
from typing import Any

import device_types
import numpy as np

from opbyop_worker.protocol import StageError


class DeviceTypesTest(unittest.TestCase):
    def round_trip(self, values: list[Any], declared: str, device: str) -> None:
        array = np.array(values, device_types.DECLARED_TYPES[declared])
        held = device_types.to_device(array, declared, device, "argument 0")
        self.assertEqual(held.dtype, device_types.DEVICE_TYPES[device])
        back = device_types.from_device(held, device, declared, "result 0")
        self.assertEqual(back.dtype, array.dtype)
        np.testing.assert_array_equal(back, array)

    @contextlib.contextmanager
    def refused(self, status: str, *words: str) -> Iterator[None]:
        with self.assertRaises(StageError) as context:
            yield
        self.assertEqual(context.exception.status, status, context.exception.diagnostic)
        for word in words:
            self.assertIn(word, context.exception.diagnostic)

    def test_i1_is_held_as_bf16(self) -> None:
        held = device_types.to_device(np.array([True, False]), "i1", "BFloat16", "argument 0")
        self.assertEqual(held.tolist(), [0x3F80, 0])
        self.round_trip([True, False, True], "i1", "BFloat16")

    def test_i64_is_held_as_int32(self) -> None:
        self.round_trip([-(2**31), -1, 0, 2**31 - 1], "i64", "Int32")

    def test_unsigned_types_of_16_and_32_bits(self) -> None:
        self.round_trip([0, 65535], "ui16", "UInt16")
        self.round_trip([0, 2**32 - 1], "ui32", "UInt32")
        self.round_trip([0, 255], "ui8", "UInt8")
        self.round_trip([0, 2**31 - 1], "i32", "UInt32")

    def test_types_of_the_same_size_are_not_interchangeable(self) -> None:
        with self.refused("unsupported", "argument 0 is i32, and 2 of its 3 values are, the first -1,", "UInt32"):
            device_types.to_device(np.array([5, -1, -2], np.int32), "i32", "UInt32", "argument 0")
        with self.refused("fail", "result 0: the device gave UInt32", "4294967295"):
            device_types.from_device(np.array([2**32 - 1], np.uint32), "UInt32", "i32", "result 0")

    def test_an_index_beyond_the_devices_integers_is_unsupported(self) -> None:
        with self.refused("unsupported", "1 of its 2 values is, the first 2147483648,", "Int32 of the flatbuffer"):
            device_types.to_device(np.array([1, 2**31]), "i64", "Int32", "argument 0")

    def test_f64_in_less_is_unsupported_whatever_its_values(self) -> None:
        with self.refused("unsupported", "argument 0 is f64", "Float32"):
            device_types.to_device(np.array([1.0, 2.0]), "f64", "Float32", "argument 0")
        with self.refused("unsupported", "result 0 is f64"):
            device_types.from_device(np.array([1.0], np.float32), "Float32", "f64", "result 0")

    def test_f32_in_bf16_is_unsupported(self) -> None:
        with self.refused("unsupported", "argument 1 is f32", "BFloat16"):
            device_types.to_device(np.array([1.0], np.float32), "f32", "BFloat16", "argument 1")

    def test_bf16_and_f16_are_held_as_f32(self) -> None:
        self.round_trip([0x3F80, 0x8000, 0x7F80], "bf16", "Float32")
        self.round_trip([0.5, -0.0, np.inf], "f16", "Float32")

    def test_infinities_and_nan_stay(self) -> None:
        values = np.array([np.inf, -np.inf, np.nan, -0.0], np.float32)
        held = device_types.to_device(values, "f32", "Float32", "argument 0")
        np.testing.assert_array_equal(held, values)
        self.assertTrue(np.signbit(held[3]))
        back = device_types.from_device(np.array([0x7FC0, 0xFF80], np.uint16), "BFloat16", "bf16", "result 0")
        self.assertEqual(back.tolist(), [0x7FC0, 0xFF80])

    def test_a_result_rounded_to_bf16_does_not_fit(self) -> None:
        with self.refused("fail", "the device gave Float32", "beyond its type bf16"):
            device_types.from_device(np.array([1.001], np.float32), "Float32", "bf16", "result 0")

    def test_an_i1_is_0_or_1(self) -> None:
        with self.refused("fail", "2 of its 4 values are, the first 2.0,", "type i1"):
            two, half = 0x4000, 0x3F00
            device_types.from_device(np.array([0, 0x3F80, two, half], np.uint16), "BFloat16", "i1", "result 0")

    def test_a_fraction_or_nan_is_no_integer(self) -> None:
        for value in (0.5, np.nan, np.inf, 2.0**31):
            with self.refused("fail", "beyond its type i32"):
                device_types.from_device(np.array([value], np.float32), "Float32", "i32", "result 0")

    def test_integers_that_floats_round_are_refused(self) -> None:
        with self.refused("unsupported", "16777217"):
            device_types.to_device(np.array([16777217], np.int32), "i32", "Float32", "argument 0")
        self.round_trip([16777216, -3], "i32", "Float32")
        with self.refused("unsupported", "1 of its 2 values is, the first 257,"):
            device_types.to_device(np.array([256, 257]), "i64", "BFloat16", "argument 0")

    def test_limits_of_i64_from_floats_are_exact(self) -> None:
        with self.refused("fail", "beyond its type i64"):
            device_types.from_device(np.array([2.0**63], np.float32), "Float32", "i64", "result 0")

    def test_other_types_are_unsupported(self) -> None:
        with self.refused("unsupported", "BFP_BFloat8"):
            device_types.check_types("bf16", "BFP_BFloat8", "argument 0")
        with self.refused("unsupported", "complex<f32>"):
            device_types.check_types("complex<f32>", "Float32", "argument 0")

    def test_empty_tensors_and_scalars(self) -> None:
        self.round_trip([], "i64", "Int32")
        scalar = device_types.to_device(np.array(7, np.int64), "i64", "Int32", "argument 0")
        self.assertEqual((scalar.shape, int(scalar)), ((), 7))


if __name__ == "__main__":
    unittest.main()
