# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests refused files of PyTorch; accepted ones are in fixtures/tenstorrent."""

from __future__ import annotations

import pickle
import tempfile
import unittest
import zipfile
from pathlib import Path

import torch_file


class Call:
    """An object that is pickled as a call of `function`."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.made = (function, arguments)

    def __reduce__(self) -> object:
        return self.made


class TorchFileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "tensor.pt"

    def refused(self, pickled: bytes, words: str) -> None:
        with zipfile.ZipFile(self.file, "w") as archive:
            archive.writestr("archive/data.pkl", pickled)
            archive.writestr("archive/data/0", b"\0" * 8)
        with self.assertRaises(torch_file.TorchFileError) as context:
            torch_file.read(self.file)
        self.assertIn(words, str(context.exception))
        self.assertIn("tensor.pt", str(context.exception))

    def test_another_file(self) -> None:
        for path in (__file__, "no-such-file.pt"):
            with self.assertRaises(torch_file.TorchFileError):
                torch_file.read(path)

    def test_code_is_not_run(self) -> None:
        self.refused(pickle.dumps(Call(print, "run")), "expected plain tensors, found a ")

    def test_lists_of_something_else(self) -> None:
        self.refused(pickle.dumps([1, 2]), "found a int")
        self.refused(pickle.dumps([]), "is empty")
        self.refused(pickle.dumps({"a": 1}), "found a dict")

    def test_half_a_pickle(self) -> None:
        self.refused(pickle.dumps([1.5, "x"])[:-4], "no saved tensor")
        self.refused(b"", "no saved tensor")

    def rebuild(self, name: str, storage: str, count: int, arguments: bytes) -> bytes:
        """A handwritten pickle that rebuilds a tensor of 2 x 2 floats."""
        pid = f"(Vstorage\nctorch\n{storage}\nV0\nVcpu\nI{count}\nt".encode()
        return b"ctorch._utils\n" + name.encode() + b"\n(" + pid + b"Q" + arguments + b"tR."

    def test_a_storage_that_is_too_short(self) -> None:
        shape = b"I0\n(I2\nI2\nt(I2\nI1\ntI00\n}"
        self.refused(self.rebuild("_rebuild_tensor_v2", "FloatStorage", 2, shape), "too short for shape (2, 2)")

    def test_strides_that_leave_the_storage(self) -> None:
        shape = b"I0\n(I2\nt(I-1\ntI00\n}"
        self.refused(self.rebuild("_rebuild_tensor_v2", "FloatStorage", 2, shape), "with strides (-1,)")

    def test_a_type_without_a_name_here(self) -> None:
        shape = b"I0\n(I2\nt(I1\ntI00\n}ctorch\nfloat8_e5m2\n"
        self.refused(self.rebuild("_rebuild_tensor_v3", "UntypedStorage", 8, shape), "torch.float8_e5m2")


if __name__ == "__main__":
    unittest.main()
