# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import unittest

import numpy as np

from .protocol import StageError
from .sharding import Division, to_sdy

# Texts that C++ writes (support/sharding/sharding_text_test.cc), for a tensor of 8 x 16 on 8 devices.
TEXTS = (
    "{replicated}",
    "{devices=[2,4]<=[8]}",
    "{devices=[4,2]<=[2,4]T(1,0)}",
    "{devices=[8,1]<=[2,4]T(1,0)}",
    "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
    "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}",
    "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
)
SHAPE = (8, 16)


class ShardingTest(unittest.TestCase):
    def test_a_device_has_the_block_of_its_numbers(self) -> None:
        self.assertEqual(Division.of("{devices=[2,4]<=[8]}", SHAPE, 8).places[6], (slice(4, 8), slice(8, 12)))
        turned = Division.of("{devices=[4,2]<=[2,4]T(1,0)}", SHAPE, 8)
        self.assertEqual(turned.places[6], (slice(4, 6), slice(8, 16)))
        self.assertEqual(Division.of("{replicated}", (), 8).places[3], ())

    def test_parts_join_to_the_whole(self) -> None:
        whole = np.arange(128, dtype=np.float32).reshape(SHAPE)
        for text in TEXTS:
            division = Division.of(text, SHAPE, 8)
            parts = [division.take(whole, device) for device in range(8)]
            self.assertTrue(division.is_even)
            np.testing.assert_array_equal(division.join(parts), whole, text)

    def test_uneven_parts_are_filled_up_and_their_padding_is_not_read(self) -> None:
        for dtype, extreme in ((np.float32, np.nan), (np.int8, 127), (np.uint16, 65535)):
            whole = np.arange(10, dtype=dtype).reshape(2, 5)
            division = Division.of("{devices=[2,4]<=[8]}", (2, 5), 8)
            parts = [division.take(whole, device) for device in range(8)]
            self.assertFalse(division.is_even)
            np.testing.assert_array_equal(parts[2], np.array([[4, extreme]], dtype))
            np.testing.assert_array_equal(parts[7], np.array([[extreme, extreme]], dtype))
            np.testing.assert_array_equal(division.join(parts), whole)

    def test_copies_of_one_element_that_differ_are_named(self) -> None:
        division = Division.of("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", SHAPE, 8)
        arrays = [np.zeros((4, 16), np.float32) for _ in division.places]
        arrays[6][1, 2] = -0.0
        with self.assertRaisesRegex(StageError, r"process 6 has other bits than process 4 for element \[5, 2\]"):
            division.join(arrays)

    def test_a_part_of_another_shape_is_an_error(self) -> None:
        division = Division.of("{devices=[2,4]<=[8]}", SHAPE, 8)
        with self.assertRaisesRegex(StageError, "process 0 has a result of shape"):
            division.join([np.zeros((2, 2), np.int8)] * 8)

    def test_shardings_have_a_mesh_in_common(self) -> None:
        self.assertEqual(
            to_sdy(["{devices=[2,4]<=[8]}", "{replicated}"], [2, 1], 8),
            [
                '#sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{"a0"}, {"a1"}]>',
                '#sdy.sharding<mesh<["a0"=2, "a1"=4]>, [{}]>',
            ],
        )
        texts = ["{devices=[4,2]<=[2,4]T(1,0)}", "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}"]
        mesh = 'mesh<["a0"=2, "a1"=2, "a2"=2]>'
        self.assertEqual(
            to_sdy(texts, [2, 2], 8),
            [f'#sdy.sharding<{mesh}, [{{"a1", "a2"}}, {{"a0"}}]>', f'#sdy.sharding<{mesh}, [{{"a2"}}, {{"a0"}}]>'],
        )
        self.assertEqual(to_sdy(["{replicated}"], [0], 8), ['#sdy.sharding<mesh<["a0"=8]>, []>'])

    def test_shardings_without_a_mesh_are_unsupported(self) -> None:
        for texts in (["{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"],
                      ["{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}"]):  # fmt: skip
            with self.assertRaises(StageError, msg=texts) as caught:
                to_sdy(texts, [2] * len(texts), 6)
            self.assertEqual(caught.exception.status, "unsupported")

    def test_a_text_that_does_not_fit_is_an_error(self) -> None:
        for text in ("{manual}", "{devices=[8]<=[8]}", "{devices=[2,2]<=[4]}", "{devices=[1,8]<=[2,4]T(0)}"):
            with self.assertRaises(ValueError, msg=text):
                Division.of(text, SHAPE, 8)


if __name__ == "__main__":
    unittest.main()
