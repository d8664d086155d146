# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests assembling tensors from shards, and refusing lists that form no tensor."""

from __future__ import annotations

import unittest

from shards import Shard, ShardError, assemble


class ShardsTest(unittest.TestCase):
    def refused(self, shards: list[Shard], whole: tuple[int, ...], *words: str) -> None:
        with self.assertRaises(ShardError) as context:
            assemble(shards, whole, 1, "result 0")
        for word in words:
            self.assertIn(word, str(context.exception))

    def test_one_shard_is_the_tensor(self) -> None:
        self.assertEqual(assemble([Shard((2, 2), b"abcd")], (2, 2), 1, "result 0"), b"abcd")

    def test_equal_replicas_are_one_tensor(self) -> None:
        self.assertEqual(assemble([Shard((2,), b"ab")] * 2, (2,), 1, "result 0"), b"ab")

    def test_replicas_that_differ_are_refused(self) -> None:
        self.refused([Shard((2,), b"ab"), Shard((2,), b"ax")], (2,), "its 2 replicas differ")

    def test_shards_are_joined_along_the_dimension_in_which_they_add_up(self) -> None:
        rows = [Shard((1, 2), b"ab"), Shard((2, 2), b"cdef")]
        self.assertEqual(assemble(rows, (3, 2), 1, "result 0"), b"abcdef")
        columns = [Shard((2, 1), b"ad"), Shard((2, 2), b"bcef")]
        self.assertEqual(assemble(columns, (2, 3), 1, "result 0"), b"abcdef")

    def test_elements_of_several_bytes_stay_together(self) -> None:
        columns = [Shard((2, 1), b"aaBB"), Shard((2, 1), b"cdEF")]
        self.assertEqual(assemble(columns, (2, 2), 2, "result 0"), b"aacdBBEF")

    def test_shards_that_do_not_add_up_are_refused(self) -> None:
        self.refused([Shard((2,), b"ab"), Shard((1,), b"c")], (4,), "its 2 shards of [2], [1] do not make up [4]")
        self.refused([Shard((2,), b"ab")], (4,), "its 1 shard of [2] does not make up [4]")
        self.refused([Shard((4,), b"abcd")], (2, 2), "does not make up [2, 2]")

    def test_a_mesh_of_two_dimensions_is_refused(self) -> None:
        self.refused([Shard((1, 1), b"a")] * 4, (2, 2), "do not make up [2, 2]")

    def test_no_shards_are_refused(self) -> None:
        self.refused([], (1,), "empty")

    def test_a_shard_whose_bytes_are_not_its_shape_is_refused(self) -> None:
        self.refused([Shard((4,), b"abc")], (4,), "has 3 bytes, 4 were expected")

    def test_a_scalar_held_as_one_element(self) -> None:
        self.assertEqual(assemble([Shard((1, 1), b"a")], (), 1, "result 0"), b"a")

    def test_an_empty_tensor(self) -> None:
        self.assertEqual(assemble([Shard((0, 3), b"")], (0, 3), 4, "result 0"), b"")


if __name__ == "__main__":
    unittest.main()
