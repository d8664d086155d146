# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The performance baseline: a splitter in Python on jaxlib's bindings.

    python -m validation.peers.baseline_splitter fixtures/models/*.mlirbc
    python -m validation.peers.baseline_splitter --write DIR fixtures/models/*.mlirbc

Reads portable artifacts, walks @main, follows calls at every call site, folds
constants into the ops that use them, removes duplicates by a structural key and
prints how fast that was. `opbyop split` is measured against these figures.
"""

import argparse
import collections
import functools
import hashlib
import pathlib
import sys
import time
from collections.abc import Iterator

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

from fixtures.bindings import make_context

CONSTANT = "stablehlo.constant"
# An op of these kinds on only constants is folded into its users.
FOLDED = {
    "stablehlo.broadcast_in_dim",
    "stablehlo.convert",
    "stablehlo.reshape",
}
SKIPPED = {CONSTANT, "func.call", "func.return"}

# Attributes and types are unique within a context: each is printed once.
_text = functools.cache(str)


def main(argv: list[str]) -> int:
    options = _parse(argv)
    context = make_context()
    start = time.perf_counter()
    modules = {path.stem: read(context, path) for path in options.models}
    read_s = time.perf_counter() - start

    splitters = {}
    cases: dict[str, ir.Operation] = {}
    ops = 0
    start = time.perf_counter()
    for name, module in modules.items():
        splitter = splitters[name] = Splitter(module, cases)
        ops += splitter.split()
    walk_s = time.perf_counter() - start

    print(f"{'model':24}{'ops':>8}{'distinct':>10}")
    for name, splitter in splitters.items():
        print(f"{name:24}{splitter.ops:8}{len(splitter.seen):10}")
        if options.histogram:
            for op, count in splitter.histogram.most_common():
                print(f"    {op:36}{count:8}")
    print(f"{'all':24}{ops:8}{len(cases):10}")
    print(f"read: {read_s:.3f} s, {ops / read_s:,.0f} ops/s")
    print(f"walk + hash + dedupe: {walk_s:.3f} s, {ops / walk_s:,.0f} ops/s")
    if options.write:
        start = time.perf_counter()
        write(context, cases, options.write)
        total_s = read_s + walk_s + time.perf_counter() - start
        print(f"read + split + write: {total_s:.3f} s, {ops / total_s:,.0f} ops/s")
    return 0


def read(context: ir.Context, path: pathlib.Path) -> ir.Module:
    return stablehlo.deserialize_portable_artifact(context, path.read_bytes())


class Splitter:
    """Splits one module; `cases` collects the distinct ops of all modules."""

    def __init__(self, module: ir.Module, cases: dict[str, ir.Operation]):
        self.module = module  # keeps the ops in `cases` alive
        self.cases = cases
        self.seen: set[str] = set()
        self.histogram = collections.Counter()
        self.ops = 0
        self._functions = {
            op.attributes["sym_name"].value: op.operation
            for op in module.body.operations
            if op.operation.name == "func.func"
        }

    def split(self) -> int:
        for op in self._walk(self._functions["main"]):
            key = case_hash(op)
            self.seen.add(key)
            self.cases.setdefault(key, op)
            self.histogram[op.name] += 1
            self.ops += 1
        return self.ops

    def _walk(self, function: ir.Operation) -> Iterator[ir.Operation]:
        for view in function.regions[0].blocks[0].operations:
            op = view.operation
            name = op.name
            if name == "func.call":
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                yield from self._walk(self._functions[callee])
            elif name not in SKIPPED and not (name in FOLDED and constant_key(op) is not None):
                yield op


def case_hash(op: ir.Operation) -> str:
    """Equal for two ops exactly if they are the same case, on any machine."""
    return hashlib.sha256(repr(_case_key(op)).encode()).hexdigest()


def _case_key(op: ir.Operation) -> tuple:
    operands = []
    for operand in op.operands:
        constant = _constant_operand(operand)
        operands.append(_text(operand.type) if constant is None else constant)
    return (
        op.name,
        _attributes(op),
        tuple(operands),
        tuple(_text(result.type) for result in op.results),
        tuple(_region_key(region) for region in op.regions),
    )


def constant_key(op: ir.Operation) -> tuple | None:
    """The constant that `op` is, with its folded chain; None if it is none."""
    if op.name == CONSTANT:
        return (CONSTANT, _text(op.attributes["value"]))
    if op.name not in FOLDED:
        return None
    inner = _constant_operand(op.operands[0])
    if inner is None:
        return None
    return (op.name, _attributes(op), _text(op.results[0].type), inner)


def _constant_operand(value: ir.Value) -> tuple | None:
    owner = value.owner
    return None if isinstance(owner, ir.Block) else constant_key(owner.operation)


def _attributes(op: ir.Operation) -> tuple:
    return tuple((name, _text(op.attributes[name])) for name in op.attributes)


def _region_key(region: ir.Region) -> tuple:
    """The ops of a region, its values numbered in order of definition."""
    numbers = {}
    key = []
    for block in region.blocks:
        for argument in block.arguments:
            numbers[argument] = f"%{len(numbers)}"
            key.append(_text(argument.type))
        for view in block.operations:
            op = view.operation
            operands = tuple(numbers.get(o) or _text(o.type) for o in op.operands)
            for result in op.results:
                numbers[result] = f"%{len(numbers)}"
            key.append(
                (
                    op.name,
                    _attributes(op),
                    operands,
                    tuple(_text(result.type) for result in op.results),
                    tuple(_region_key(inner) for inner in op.regions),
                )
            )
    return tuple(key)


def write(context: ir.Context, cases: dict, folder: pathlib.Path) -> None:
    """One file with one @main per case."""
    folder.mkdir(parents=True, exist_ok=True)
    with context, ir.Location.unknown():
        for index, op in enumerate(cases.values()):
            name = f"{index:05}_{op.name.rpartition('.')[2]}.mlir"
            (folder / name).write_text(str(case_module(op)))


def case_module(op: ir.Operation) -> ir.Module:
    runtime = [value for value in op.operands if not _constant_operand(value)]
    module = ir.Module.create()
    results = [result.type for result in op.results]
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([value.type for value in runtime], results))
    block = main.add_entry_block()
    with ir.InsertionPoint(block):
        arguments = iter(block.arguments)
        values = [
            _clone_constant(value.owner.operation) if _constant_operand(value) else next(arguments)
            for value in op.operands
        ]
        clone = op.clone().operation
        for index, value in enumerate(values):
            clone.operands[index] = value
        func.ReturnOp(list(clone.results))
    return module


def _clone_constant(op: ir.Operation) -> ir.Value:
    if op.name == CONSTANT:
        return op.clone().operation.results[0]
    inner = _clone_constant(op.operands[0].owner.operation)
    clone = op.clone().operation
    clone.operands[0] = inner
    return clone.results[0]


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m validation.peers.baseline_splitter",
        description="Splits portable artifacts into ops and says how fast.",
    )
    parser.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL")
    parser.add_argument("--write", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--histogram", action="store_true", help="print each model's ops by name")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
