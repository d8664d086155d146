# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""IREE's runtime: VM flatbuffers on a HAL device, tensors in and out."""

from __future__ import annotations

from typing import Any

import iree.runtime as rt
import numpy as np

from opbyop_worker import tensors
from opbyop_worker.protocol import TensorType, unsupported

Element = rt.HalElementType

# As the compiler's ABI names them; integers without a sign are the signed ones.
ELEMENTS = {
    "i1": Element.BOOL_8,
    "i8": Element.SINT_8,
    "i16": Element.SINT_16,
    "i32": Element.SINT_32,
    "i64": Element.SINT_64,
    "ui8": Element.UINT_8,
    "ui16": Element.UINT_16,
    "ui32": Element.UINT_32,
    "ui64": Element.UINT_64,
    "f16": Element.FLOAT_16,
    "bf16": Element.BFLOAT_16,
    "f32": Element.FLOAT_32,
    "f64": Element.FLOAT_64,
    "f8E4M3FN": Element.FLOAT_8_E4M3_FN,
    "f8E4M3FNUZ": Element.FLOAT_8_E4M3_FNUZ,
    "f8E5M2": Element.FLOAT_8_E5M2,
    "f8E5M2FNUZ": Element.FLOAT_8_E5M2_FNUZ,
    "f8E8M0FNU": Element.FLOAT_8_E8M0_FNU,
    "complex<f32>": Element.COMPLEX_64,
    "complex<f64>": Element.COMPLEX_128,
}


def element_of(type_: TensorType) -> Any:
    try:
        return ELEMENTS[type_.dtype]
    except KeyError:
        raise unsupported(f"IREE's runtime has no buffer elements of type {type_.dtype}") from None


class Runtime:
    """A device and what all modules on it share."""

    def __init__(self, device: str):
        self._config = rt.Config(device)

    @property
    def device(self) -> Any:
        return self._config.device

    def load(self, flatbuffer: bytes) -> Module:
        instance = self._config.vm_instance
        module = rt.VmModule.copy_buffer(instance, flatbuffer)
        context = rt.VmContext(instance, modules=[*self._config.default_vm_modules, module])
        return Module(context, module)

    def upload(self, array: tensors.Array, type_: TensorType) -> Any:
        """A buffer view on the device. Void and Boolean elements cross as integers of their size."""
        element = element_of(type_)
        raw = array.view(f"u{array.dtype.itemsize}") if array.dtype.kind in "Vb" or not array.dtype.isbuiltin else array
        return self.device.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL,
            allowed_usage=rt.BufferUsage.DEFAULT,
            device=self.device,
            buffer=np.require(raw, requirements="C"),
            element_type=element,
        )

    def download(self, view: Any, type_: TensorType) -> tensors.Array:
        """The elements of a result, by its own shape and the declared type where that has the same size."""
        shape = tuple(view.shape)
        dtype = tensors.dtype_of(type_.dtype)
        size = int(np.prod(shape, dtype=np.int64))
        found = rt.HalElementType.dense_byte_count(view.element_type)
        if found != dtype.itemsize:
            raise ValueError(f"the result has elements of {found} bytes, {type_.dtype} is declared")
        if size == 0:
            return np.zeros(shape, dtype)
        return self._bytes(view)[: size * dtype.itemsize].view(dtype).reshape(shape)

    def holds(self, view: Any, array: tensors.Array) -> bool:
        """Whether an uploaded argument still is what was uploaded."""
        if array.nbytes == 0:
            return True
        uploaded = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return np.array_equal(self._bytes(view)[: array.nbytes], uploaded)

    def _bytes(self, view: Any) -> tensors.Array:
        buffer = view.get_buffer()
        flat = rt.HalBufferView(buffer, [buffer.byte_length()], Element.UINT_8)
        return rt.DeviceArray(self.device, flat).to_host()


class Module:
    """A loaded flatbuffer; its functions are called by name."""

    def __init__(self, context: Any, module: Any):
        self._context = context
        self._module = module

    def call(self, function: str, arguments: list[Any], results: int) -> list[Any]:
        """Buffer views in, buffer views out; returns when the device is done."""
        inputs = rt.VmVariantList(len(arguments))
        for argument in arguments:
            inputs.push_ref(argument)
        outputs = rt.VmVariantList(max(1, results))
        self._context.invoke(self._module.lookup_function(function), inputs, outputs)
        return [outputs.get_as_object(i, rt.HalBufferView) for i in range(len(outputs))]
