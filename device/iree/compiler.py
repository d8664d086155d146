# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libIREECompiler.so through its C embedding API: the few calls that a compilation phase by phase needs.

library = Library(find_library())
with library.invocation(flags, source) as invocation:
    for phase in PHASES:
        invocation.run(phase)          # raises CompileError with IREE's diagnostic
    flatbuffer = invocation.vm_bytecode()
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

PHASES = (
    "input",
    "abi",
    "preprocessing",
    "global-optimization",
    "dispatch-creation",
    "flow",
    "stream",
    "executable-sources",
    "executable-configurations",
    "executable-targets",
    "hal",
    "vm",
    "end",
)

# The artifact contains the name of the source buffer, so it must be the same for all: the same input gives the same
# bytes.
SOURCE_NAME = b"case.mlir"
# A program name and global flags of MLIR's printer.
GENERIC = (b"iree", b"--mlir-print-op-generic", b"--mlir-print-debuginfo", b"--mlir-print-local-scope")
SEVERITY_ERROR = 2
STANDARD_PIPELINE = 0
DIAGNOSTIC = ctypes.CFUNCTYPE(None, c_int, c_void_p, c_size_t, c_void_p)

# name -> (result, arguments); handles are opaque pointers, `ireeCompiler` is left out.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "GlobalInitialize": (None, []),
    "SetupGlobalCL": (None, [c_int, POINTER(c_char_p), c_char_p, c_bool]),
    "GetAPIVersion": (c_int, []),
    "GetRevision": (c_char_p, []),
    "ErrorGetMessage": (c_char_p, [c_void_p]),
    "ErrorDestroy": (None, [c_void_p]),
    "SessionCreate": (c_void_p, []),
    "SessionDestroy": (None, [c_void_p]),
    "SessionSetFlags": (c_void_p, [c_void_p, c_int, POINTER(c_char_p)]),
    "InvocationCreate": (c_void_p, [c_void_p]),
    "InvocationDestroy": (None, [c_void_p]),
    "InvocationEnableCallbackDiagnostics": (None, [c_void_p, c_int, DIAGNOSTIC, c_void_p]),
    "InvocationParseSource": (c_bool, [c_void_p, c_void_p]),
    "InvocationSetCompileFromPhase": (None, [c_void_p, c_char_p]),
    "InvocationSetCompileToPhase": (None, [c_void_p, c_char_p]),
    "InvocationPipeline": (c_bool, [c_void_p, c_int]),
    "InvocationOutputIR": (c_void_p, [c_void_p, c_void_p]),
    "InvocationOutputVMBytecode": (c_void_p, [c_void_p, c_void_p]),
    "SourceWrapBuffer": (c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_bool, POINTER(c_void_p)]),
    "SourceDestroy": (None, [c_void_p]),
    "OutputOpenMembuffer": (c_void_p, [POINTER(c_void_p)]),
    "OutputMapMemory": (c_void_p, [c_void_p, POINTER(c_void_p), POINTER(c_uint64)]),
    "OutputDestroy": (None, [c_void_p]),
}


class CompileError(Exception):
    """The compiler's diagnostic about the source or the flags."""


def find_library() -> Path:
    """libIREECompiler.so of the installed iree-base-compiler."""
    spec = importlib.util.find_spec("iree.compiler")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "_mlir_libs" / "libIREECompiler.so"
        if path.exists():
            return path
    raise FileNotFoundError("libIREECompiler.so: iree-base-compiler is not installed in this Python")


class Library:
    """The loaded compiler; initialised once per process."""

    def __init__(self, path: Path):
        library = ctypes.CDLL(str(path))
        self.call: dict[str, Callable[..., Any]] = {}
        for name, (result, arguments) in PROTOTYPES.items():
            function = getattr(library, f"ireeCompiler{name}")
            function.restype, function.argtypes = result, arguments
            self.call[name] = function
        self.call["GlobalInitialize"]()

        self._prints_generic = False

    def print_generic(self) -> None:
        """Makes the process print IR in generic form with locations, which every reader of MLIR accepts."""
        if self._prints_generic:
            return
        flags = (c_char_p * len(GENERIC))(*GENERIC)
        self.call["SetupGlobalCL"](len(GENERIC), flags, b"", False)
        self._prints_generic = True

    def revision(self) -> str:
        api = self.call["GetAPIVersion"]() & 0xFFFFFFFF
        revision = (self.call["GetRevision"]() or b"").decode()
        return f"{revision or 'unknown revision'}, API {api >> 16}.{api & 0xFFFF}"

    def check(self, error: int | None) -> None:
        """Raises the message of an error object and frees it."""
        if not error:
            return
        message = (self.call["ErrorGetMessage"](error) or b"").decode(errors="replace")
        self.call["ErrorDestroy"](error)
        raise CompileError(message)

    @contextlib.contextmanager
    def invocation(self, flags: list[str], source: bytes) -> Iterator[Invocation]:
        """A new session with the flags and the source, which is not parsed yet."""
        with contextlib.ExitStack() as stack:
            session = self.call["SessionCreate"]()
            stack.callback(self.call["SessionDestroy"], session)
            argv = (c_char_p * len(flags))(*(flag.encode() for flag in flags))
            self.check(self.call["SessionSetFlags"](session, len(flags), argv))
            handle = c_void_p()
            # The length includes the terminating NUL, which ctypes' buffers have.
            self.check(
                self.call["SourceWrapBuffer"](session, SOURCE_NAME, source, len(source) + 1, True, byref(handle))
            )
            stack.callback(self.call["SourceDestroy"], handle)
            invocation = Invocation(self, session, handle)
            stack.callback(invocation.destroy)
            yield invocation


class Invocation:
    """One source on its way through the phases."""

    def __init__(self, library: Library, session: int, source: c_void_p):
        self._library = library
        self._call = library.call
        self._source = source
        self._previous: str | None = None
        self.messages: list[tuple[int, str]] = []
        self._handle = self._call["InvocationCreate"](session)
        self._callback = DIAGNOSTIC(self._on_diagnostic)  # must outlive the invocation
        self._call["InvocationEnableCallbackDiagnostics"](self._handle, 0, self._callback, None)

    def _on_diagnostic(self, severity: int, message: int, size: int, _user: int) -> None:
        self.messages.append((severity, ctypes.string_at(message, size).decode(errors="replace")))

    def destroy(self) -> None:
        self._call["InvocationDestroy"](self._handle)

    def _require(self, succeeded: bool, what: str) -> None:
        if succeeded:
            return
        errors = [text for severity, text in self.messages if severity >= SEVERITY_ERROR]
        raise CompileError(errors[0] if errors else f"{what} failed without a diagnostic")

    def parse(self) -> None:
        self._require(self._call["InvocationParseSource"](self._handle, self._source), "parsing")

    def run(self, phase: str) -> None:
        """Runs from the phase that ran last to the end of this one."""
        if self._previous is not None:
            self._call["InvocationSetCompileFromPhase"](self._handle, self._previous.encode())
        self._call["InvocationSetCompileToPhase"](self._handle, phase.encode())
        self._require(self._call["InvocationPipeline"](self._handle, STANDARD_PIPELINE), f"phase {phase}")
        self._previous = phase

    def ir(self) -> bytes:
        """The current module as text."""
        return self._output("InvocationOutputIR")

    def vm_bytecode(self) -> bytes:
        return self._output("InvocationOutputVMBytecode")

    def _output(self, how: str) -> bytes:
        output = c_void_p()
        self._library.check(self._call["OutputOpenMembuffer"](byref(output)))
        try:
            self._library.check(self._call[how](self._handle, output))
            contents, size = c_void_p(), c_uint64()
            self._library.check(self._call["OutputMapMemory"](output, byref(contents), byref(size)))
            return ctypes.string_at(contents, size.value) if contents.value else b""
        finally:
            self._call["OutputDestroy"](output)
