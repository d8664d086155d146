# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Uses IREE's runtime: loads VM flatbuffers on a HAL device and transfers tensors."""

from __future__ import annotations

import os
import re
from typing import Any

import iree.runtime as rt
import numpy as np

from opbyop_worker import tensors
from opbyop_worker.protocol import TensorType, first_line, unsupported

# The runtime's name of each element type in the compiler's ABI. Integers without a sign are treated as signed.
NAMES = {
    "i1": "BOOL_8",
    "i8": "SINT_8",
    "i16": "SINT_16",
    "i32": "SINT_32",
    "i64": "SINT_64",
    "ui8": "UINT_8",
    "ui16": "UINT_16",
    "ui32": "UINT_32",
    "ui64": "UINT_64",
    "f16": "FLOAT_16",
    "bf16": "BFLOAT_16",
    "f32": "FLOAT_32",
    "f64": "FLOAT_64",
    "f8E4M3FN": "FLOAT_8_E4M3_FN",
    "f8E4M3FNUZ": "FLOAT_8_E4M3_FNUZ",
    "f8E5M2": "FLOAT_8_E5M2",
    "f8E5M2FNUZ": "FLOAT_8_E5M2_FNUZ",
    "f8E8M0FNU": "FLOAT_8_E8M0_FNU",
    "complex<f32>": "COMPLEX_64",
    "complex<f64>": "COMPLEX_128",
}


def elements_of(types: Any) -> dict[str, Any]:
    """The element types that the runtime has; older runtimes lack some."""
    return {dtype: getattr(types, name) for dtype, name in NAMES.items() if hasattr(types, name)}


ELEMENTS = elements_of(rt.HalElementType)


def element_of(type_: TensorType) -> Any:
    try:
        return ELEMENTS[type_.dtype]
    except KeyError:
        raise unsupported(f"IREE's runtime has no buffer elements of type {type_.dtype}") from None


class DeviceAbsent(Exception):
    """The driver or the device is absent; the message is one sentence."""


def cause_of(error: Exception) -> str:
    """The first line of a runtime error, without the position in the runtime's sources."""
    line = first_line(str(error)).removesuffix(": ")
    return re.sub(r"^Error [a-z ]+: \S+:\d+: [A-Z_]+; ", "", line)


def is_mappable(buffer: Any) -> bool:
    visible, mapping = int(rt.MemoryType.HOST_VISIBLE), int(rt.BufferUsage.MAPPING_SCOPED)
    return bool(buffer.memory_type() & visible) and bool(buffer.allowed_usage() & mapping)


class Runtime:
    """A device and the objects that all modules on it share."""

    def __init__(self, device: str):
        driver = device.partition("://")[0]
        try:
            devices = rt.get_driver(driver).query_available_devices()
            if not devices:
                raise DeviceAbsent(f"IREE's driver {driver} finds no device")
            self._config = rt.Config(device)
        except (RuntimeError, ValueError) as error:
            raise DeviceAbsent(f"IREE has no device {device} here: {cause_of(error)}") from error
        # If there are several devices, the driver takes the first, unless the path names another.
        path = device.partition("://")[2]
        name = next((each["name"] for each in devices if path in (each["path"], "")), "")
        self.device_name = "" if name == "default" else name
        # llvmpipe is a Vulkan device that runs on the processor.
        threads = len(os.sched_getaffinity(0))
        on_processor = {"local-sync": 1, "local-task": threads}
        self.cores = threads if name.startswith("llvmpipe") else on_processor.get(driver, 0)

    @property
    def device(self) -> Any:
        return self._config.device

    def load(self, flatbuffer: bytes) -> Module:
        instance = self._config.vm_instance
        module = rt.VmModule.copy_buffer(instance, flatbuffer)
        context = rt.VmContext(instance, modules=[*self._config.default_vm_modules, module])
        return Module(context, module)

    def upload(self, array: tensors.Array, type_: TensorType) -> Any:
        """A buffer view on the device. Void and Boolean elements are transferred as integers of their size."""
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
        """The elements of a result in its own shape and the declared type, whose size must be that of the result's."""
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
        """Whether an uploaded argument is unchanged."""
        if array.nbytes == 0:
            return True
        uploaded = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return np.array_equal(self._bytes(view)[: array.nbytes], uploaded)

    def _bytes(self, view: Any) -> tensors.Array:
        buffer = view.get_buffer()
        size = buffer.byte_length()
        if not is_mappable(buffer):
            buffer = self._staged(buffer, size)
        flat = rt.HalBufferView(buffer, [size], ELEMENTS["ui8"])
        return rt.DeviceArray(self.device, flat).to_host()

    def _staged(self, source: Any, size: int) -> Any:
        """A copy in memory that the device allocated for the host. DeviceArray would import NumPy's own memory, whose
        alignment Vulkan does not accept."""
        copy = self.device.allocator.allocate_buffer(
            memory_type=rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
            allowed_usage=rt.BufferUsage.TRANSFER_TARGET | rt.BufferUsage.MAPPING_SCOPED,
            allocation_size=size,
        )
        done = self.device.create_semaphore(0)
        self.device.queue_copy(
            source,
            copy,
            wait_semaphores=rt.HalFence.create_at(done, 0),
            signal_semaphores=rt.HalFence.create_at(done, 1),
        )
        rt.HalFence.create_at(done, 1).wait()
        return copy


class Module:
    """A loaded flatbuffer; its functions are called by name."""

    def __init__(self, context: Any, module: Any):
        self._context = context
        self._module = module

    def call(self, function: str, arguments: list[Any], results: int) -> list[Any]:
        """Takes and returns buffer views; returns when the device is done."""
        inputs = rt.VmVariantList(len(arguments))
        for argument in arguments:
            inputs.push_ref(argument)
        outputs = rt.VmVariantList(max(1, results))
        self._context.invoke(self._module.lookup_function(function), inputs, outputs)
        return [outputs.get_as_object(i, rt.HalBufferView) for i in range(len(outputs))]
