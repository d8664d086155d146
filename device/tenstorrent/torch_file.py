# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The tensors that ttrt saves (`torch.save` of one tensor), read and written as NumPy files without PyTorch.

    tensor = read("device_output_0.pt")
    write_npy("output_0.npy", tensor)

A .pt file is a zip archive: a pickle that names a storage, and the storage's raw bytes. Only what a plain tensor
needs is unpickled; anything else is a TorchFileError.
"""

from __future__ import annotations

import io
import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Storage class -> (bytes per element, NumPy's descr); types that NumPy lacks are raw bytes.
STORAGES = {
    "FloatStorage": (4, "<f4"),
    "DoubleStorage": (8, "<f8"),
    "HalfStorage": (2, "<f2"),
    "BFloat16Storage": (2, "<V2"),
    "LongStorage": (8, "<i8"),
    "IntStorage": (4, "<i4"),
    "ShortStorage": (2, "<i2"),
    "CharStorage": (1, "|i1"),
    "ByteStorage": (1, "|u1"),
    "BoolStorage": (1, "|b1"),
}


class TorchFileError(Exception):
    """A file that holds something else than one tensor."""


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    descr: str
    data: bytes  # C order


@dataclass(frozen=True)
class _Storage:
    size: int
    descr: str
    data: bytes


def _rebuild(storage: _Storage, offset: int, shape: Sequence[int], stride: Sequence[int], *_: object) -> Tensor:
    dense = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    size, count = storage.size, math.prod(shape)
    if count == 0 or list(stride) == dense:
        data = storage.data[offset * size : (offset + count) * size]
    else:
        pieces = []
        for linear in range(count):
            at = offset + sum(linear // d % n * s for d, n, s in zip(dense, shape, stride, strict=True))
            pieces.append(storage.data[at * size : (at + 1) * size])
        data = b"".join(pieces)
    if len(data) != count * size:
        raise TorchFileError(f"storage of {len(storage.data)} bytes is too short for shape {tuple(shape)}")
    return Tensor(tuple(shape), storage.descr, data)


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, load: Callable[[str], bytes]) -> None:
        super().__init__(io.BytesIO(text))
        self._load = load

    def find_class(self, module: str, name: str) -> object:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module == "torch" and name in STORAGES:
            return name
        raise TorchFileError(f"expected one plain tensor, found a {module}.{name}")

    def persistent_load(self, pid: object) -> _Storage:
        kind, storage, key, _location, _count = pid  # type: ignore[misc]
        if kind != "storage":
            raise TorchFileError(f"expected a storage, found a {kind}")
        size, descr = STORAGES[storage]
        return _Storage(size, descr, self._load(key))


def read(path: Path | str) -> Tensor:
    try:
        with zipfile.ZipFile(path) as archive:
            [pickled] = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            folder = pickled.removesuffix("data.pkl")
            tensor = _Unpickler(archive.read(pickled), lambda key: archive.read(f"{folder}data/{key}")).load()
    except (zipfile.BadZipFile, pickle.UnpicklingError, ValueError, KeyError, EOFError, OSError) as error:
        raise TorchFileError(f"{path}: no saved tensor: {error}") from error
    if not isinstance(tensor, Tensor):
        raise TorchFileError(f"{path}: expected one plain tensor, found a {type(tensor).__name__}")
    return tensor


def write_npy(path: Path | str, tensor: Tensor) -> None:
    dims = ", ".join(map(str, tensor.shape)) + ("," if len(tensor.shape) == 1 else "")
    header = f"{{'descr': '{tensor.descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + tensor.data)
