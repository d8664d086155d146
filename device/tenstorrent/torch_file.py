# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads the tensors that ttrt saves, and writes them as NumPy files, without PyTorch.

    tensors = read("device_output_0.pt")      # one for each shard
    write_npy("output_0.npy", tensors[0])

ttrt saves a list of shards (`torch.save([tensor, ...])`); until January 2026 it saved one plain tensor. A .pt file is a
zip archive: a pickle that names storages, and the storages' raw bytes. Only what such tensors need is unpickled;
anything else is a TorchFileError.
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

# A type's bytes per element, its NumPy descr and its name on the device. Types that NumPy lacks are raw bytes.
FLOAT32 = (4, "<f4", "Float32")
BYTE = (1, "|u1", "UInt8")

# Types that are identified by the class of their storage.
STORAGES = {
    "FloatStorage": FLOAT32,
    "DoubleStorage": (8, "<f8", "Float64"),
    "HalfStorage": (2, "<f2", "Float16"),
    "BFloat16Storage": (2, "<V2", "BFloat16"),
    "LongStorage": (8, "<i8", "Int64"),
    "IntStorage": (4, "<i4", "Int32"),
    "ShortStorage": (2, "<i2", "Int16"),
    "CharStorage": (1, "|i1", "Int8"),
    "ByteStorage": BYTE,
    "BoolStorage": (1, "|b1", "Bool"),
}

# Newer types have no such class: their storage is untyped, and the tensor names its type.
UNTYPED = "UntypedStorage"
DTYPES = {
    "uint16": (2, "<u2", "UInt16"),
    "uint32": (4, "<u4", "UInt32"),
    "uint64": (8, "<u8", "UInt64"),
}


# Types that a program and the device have in common: tensors are saved with the program's type.
SAME_TYPE = {
    "Float32": "f32",
    "Float64": "f64",
    "Float16": "f16",
    "BFloat16": "bf16",
    "Int64": "i64",
    "Int32": "i32",
    "Int16": "i16",
    "Int8": "i8",
    "Bool": "i1",
    "UInt64": "ui64",
    "UInt32": "ui32",
    "UInt16": "ui16",
    "UInt8": "ui8",
}


class TorchFileError(Exception):
    """The file holds something other than a tensor or a list of tensors."""


@dataclass(frozen=True)
class Tensor:
    shape: tuple[int, ...]
    descr: str
    data: bytes  # C order
    device_type: str = ""  # "Float32", in the spelling of flatbuffers

    @property
    def item_bytes(self) -> int:
        return int(self.descr[2:])


@dataclass(frozen=True)
class _Storage:
    type: tuple[int, str, str]
    data: bytes


@dataclass(frozen=True)
class _DType:
    type: tuple[int, str, str]


def _rebuild(storage: _Storage, offset: int, shape: Sequence[int], stride: Sequence[int], *_: object) -> Tensor:
    dense = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    size, descr, name = storage.type
    count = math.prod(shape)
    if min([offset, *shape, *stride], default=0) < 0 or len(stride) != len(shape):
        raise TorchFileError(f"a tensor of shape {tuple(shape)} with strides {tuple(stride)} at {offset}")
    last = offset + sum((extent - 1) * step for extent, step in zip(shape, stride, strict=True))
    if count and (last + 1) * size > len(storage.data):
        raise TorchFileError(f"storage of {len(storage.data)} bytes is too short for shape {tuple(shape)}")
    if count == 0 or list(stride) == dense:
        data = storage.data[offset * size : (offset + count) * size]
    else:
        pieces = []
        for linear in range(count):
            at = offset + sum(linear // d % n * s for d, n, s in zip(dense, shape, stride, strict=True))
            pieces.append(storage.data[at * size : (at + 1) * size])
        data = b"".join(pieces)
    return Tensor(tuple(shape), descr, data, name)


def _rebuild_typed(
    storage: _Storage,
    offset: int,
    shape: Sequence[int],
    stride: Sequence[int],
    _grad: object,
    _hooks: object,
    dtype: object,
    *_: object,
) -> Tensor:
    if not isinstance(dtype, _DType):
        raise TorchFileError(f"expected the type of a tensor, found a {type(dtype).__name__}")
    return _rebuild(_Storage(dtype.type, storage.data), offset, shape, stride)


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, load: Callable[[str], bytes]) -> None:
        super().__init__(io.BytesIO(text))
        self._load = load

    def find_class(self, module: str, name: str) -> object:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if (module, name) == ("torch._utils", "_rebuild_tensor_v3"):
            return _rebuild_typed
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module == "torch" and name in STORAGES:
            return name
        if name == UNTYPED and module in ("torch", "torch.storage"):
            return name
        if module == "torch" and name in DTYPES:
            return _DType(DTYPES[name])
        raise TorchFileError(f"expected plain tensors, found a {module}.{name}")

    def persistent_load(self, pid: object) -> _Storage:
        kind, storage, key, _location, _count = pid  # type: ignore[misc]
        if kind != "storage":
            raise TorchFileError(f"expected a storage, found a {kind}")
        return _Storage(STORAGES.get(storage, BYTE), self._load(key))


def read(path: Path | str) -> list[Tensor]:
    """The shards of a saved tensor; one shard if it was saved as a plain tensor."""
    try:
        with zipfile.ZipFile(path) as archive:
            [pickled] = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            folder = pickled.removesuffix("data.pkl")
            saved = _Unpickler(archive.read(pickled), lambda key: archive.read(f"{folder}data/{key}")).load()
    except TorchFileError as error:
        raise TorchFileError(f"{path}: {error}") from error
    # A pickle can raise any of these, because the bytes of the file are untrusted.
    except (zipfile.BadZipFile, pickle.UnpicklingError, ArithmeticError, AttributeError, LookupError) as error:
        raise TorchFileError(f"{path}: no saved tensor: {error}") from error
    except (EOFError, NotImplementedError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise TorchFileError(f"{path}: no saved tensor: {error}") from error
    tensors = saved if isinstance(saved, list) else [saved]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TorchFileError(f"{path}: expected a tensor or a list of its shards, found a {type(tensor).__name__}")
    if not tensors:
        raise TorchFileError(f"{path}: the list of a tensor's shards is empty")
    if len({tensor.device_type for tensor in tensors}) > 1:
        raise TorchFileError(f"{path}: the shards of one tensor have different types")
    return tensors


def write_npy(path: Path | str, tensor: Tensor) -> None:
    dims = ", ".join(map(str, tensor.shape)) + ("," if len(tensor.shape) == 1 else "")
    header = f"{{'descr': '{tensor.descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + tensor.data)
