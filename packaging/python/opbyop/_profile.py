# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""opbyop.profile."""

from __future__ import annotations

import csv
import html
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from ._export import Program, export, name_of
from ._programs import PASSED, UNEXPECTED, run


class Profile:
    """The time that a program takes on a target, op by op.

    `operators` are the lines of its table, slowest first, as dicts from column name to text; `page` is the whole
    profile for a browser, `trace` its record for `optrace` (docs/profile.md).
    """

    def __init__(self, name: str, target: str, folder: Path, text: str, operators: list[dict[str, str]]) -> None:
        self.name = name
        self.target = target
        self.folder = folder
        self.operators = operators
        self._text = text

    @property
    def page(self) -> Path:
        return self.folder / "profile.html"

    @property
    def trace(self) -> Path:
        return self.folder / "optrace.ndjson"

    def __repr__(self) -> str:
        return f"<opbyop.Profile {self.name} on {self.target}: {len(self.operators)} operators>"

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return f"<pre>{html.escape(self._text)}</pre>"


class profile:
    """Profiles programs that are called in a `with` block on a target.

    The object of the block profiles a program that it is called with; it takes the same programs as check(). Calls of
    torch.nn.Modules in the block are noticed automatically: each module that is not called by another one is profiled
    when the block ends, with the arguments of its first call.

        with opbyop.profile(target="host") as p:
            p(jax_function, x)    # a JAX function, StableHLO text or a file of it
            torch_module(x)       # noticed
        print(p.last)             # the table; p.profiles are all

    `target`, `out` as in check(); `iterations`: passes over the whole model; `compare`: also judge every result.

    >>> import opbyop
    >>> with opbyop.profile(target="host") as p:
    ...     done = p('''func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    ...       %0 = stablehlo.tanh %a : tensor<8xf32>
    ...       return %0 : tensor<8xf32>
    ...     }''')
    >>> p.last
    <opbyop.Profile program on host: 1 operators>
    """

    def __init__(
        self,
        target: str = "host",
        *,
        out: str | os.PathLike[str] | None = None,
        iterations: int = 1,
        compare: bool = True,
    ) -> None:
        self.target = target
        self.profiles: list[Profile] = []
        self._iterations = iterations
        self._compare = compare
        self._folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="opbyop-profile-"))
        if out is None:
            weakref.finalize(self, shutil.rmtree, str(self._folder), ignore_errors=True)
        self._called: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._hooks: list[Any] = []
        self._depth = 0

    @property
    def last(self) -> Profile:
        """The latest profile; raises LookupError if nothing was called."""
        if not self.profiles:
            raise LookupError("nothing was profiled: call p(function, *args) or a torch.nn.Module in the block")
        return self.profiles[-1]

    def __iter__(self) -> Iterator[Profile]:
        return iter(self.profiles)

    def __enter__(self) -> profile:
        torch = sys.modules.get("torch")
        if torch is not None:
            hooks = torch.nn.modules.module
            self._hooks = [
                hooks.register_module_forward_pre_hook(self._begin),
                hooks.register_module_forward_hook(self._end, always_call=True),
            ]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        if kind is None:
            for module, args in self._called.values():
                self(module, *args)
        self._called = {}

    def __call__(self, program: Program, *args: Any, name: str | None = None, **kwargs: Any) -> Profile:
        """Profiles a program now; raises opbyop.Error if it cannot be exported or run."""
        name = name or name_of(program)
        folder = self._folder / name
        if any(known.folder == folder for known in self.profiles):
            folder = self._folder / f"{name}_{len(self.profiles)}"
        model = export(program, args, folder / "model", name, kwargs)
        options = [] if self._compare else ["--no-compare"]
        text = run(
            "opbyop", "profile", model, f"--target={self.target}", f"--iterations={self._iterations}", *options,
            "-o", folder, accept=(PASSED, UNEXPECTED),
        )  # fmt: skip
        run("optrace", "export", folder / "optrace.ndjson", "--to", "csv", "-o", folder / "csv")
        self.profiles.append(Profile(name, self.target, folder, text, _operators(folder / "csv")))
        return self.profiles[-1]

    def _begin(self, module: Any, args: tuple[Any, ...]) -> None:
        if self._depth == 0:
            self._called.setdefault(id(module), (module, args))
        self._depth += 1

    def _end(self, module: Any, args: tuple[Any, ...], output: Any) -> None:
        self._depth -= 1


def _operators(folder: Path) -> list[dict[str, str]]:
    with (folder / "operator-hlo.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
