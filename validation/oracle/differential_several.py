# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of several ops: each op uses results of those before it.

Numbers have magnitudes between about 2^-4 and 2^4: products are scaled, so that a program of many ops neither overflows
nor vanishes.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from validation.oracle.differential_draw import FLOATS, Draw, Value, array, fold_region, tensor
from validation.oracle.differential_ops import program

FEWEST, MOST = 4, 12  # steps, of one to six ops each
MOST_ELEMENTS = 600
UNARY = ("abs", "cosine", "exponential_minus_one", "floor", "logistic", "negate", "sign", "sine", "tanh")
BINARY = ("add", "maximum", "minimum", "multiply", "subtract")


class Chain:
    """The results so far; each step uses some and adds one."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.values: list[Value] = []

    def take(self, least_rank: int = 0) -> Value:
        """Usually the last result, otherwise one of those before it or a new argument."""
        draw = self.draw
        known = [v for v in self.values[-4:] if len(v.shape) >= least_rank]
        if known and draw.chance(0.95):
            return known[-1] if draw.chance(0.7) else draw.pick(known)
        dtype = self.values[-1].dtype if self.values else draw.pick(FLOATS, [6, 1, 1, 1])
        return self.argument(dtype, [draw.integer(1, 9) for _ in range(draw.integer(max(1, least_rank), 3))])

    def argument(self, dtype: str, shape: Sequence[int], scale: float = 1) -> Value:
        values = self.draw.random.uniform(-2, 2, tuple(shape)) * scale
        return self.draw.argument(dtype, shape, values)

    def op(self, name: str, operands: Sequence[Value], shape: Sequence[int], **attributes: str) -> Value:
        return self.draw.op(f"stablehlo.{name}", operands, [(operands[0].dtype, shape)], attributes)

    def scalar(self, dtype: str, number: float) -> Value:
        return self.draw.constant(dtype, np.array(number))

    def broadcast(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        return self.op("broadcast_in_dim", [value], shape, broadcast_dimensions=array(dims))

    def filled(self, like: Value, number: float) -> Value:
        return self.broadcast(self.scalar(like.dtype, number), like.shape, [])

    def reduce(self, operation: str, value: Value, dim: int) -> Value:
        start = self.scalar(value.dtype, -np.inf if operation == "maximum" else 0)
        shape = [d for i, d in enumerate(value.shape) if i != dim]
        return self.draw.op(
            "stablehlo.reduce",
            [value, start],
            [(value.dtype, shape)],
            {"dimensions": array([dim])},
            [fold_region(operation, value.dtype)],
        )

    def spread(self, value: Value, shape: Sequence[int], dim: int) -> Value:
        """Broadcasts the result of a reduction of `dim` along it again."""
        return self.broadcast(value, shape, [i for i in range(len(shape)) if i != dim])


def unary(chain: Chain) -> Value:
    a = chain.take()
    return chain.op(chain.draw.pick(UNARY), [a], a.shape)


def positive(chain: Chain) -> Value:
    """A function of numbers that are at least 1."""
    a = chain.take()
    squares = chain.op("multiply", [a, a], a.shape)
    above = chain.op("add", [squares, chain.filled(a, 1)], a.shape)
    return chain.op(chain.draw.pick(("log", "rsqrt", "sqrt", "cbrt")), [above], a.shape)


def binary(chain: Chain) -> Value:
    a = chain.take()
    known = [v for v in chain.values if (v.dtype, v.shape) == (a.dtype, a.shape)]
    b = chain.draw.pick(known) if known and chain.draw.chance(0.7) else chain.argument(a.dtype, a.shape)
    return chain.op(chain.draw.pick(BINARY), [a, b], a.shape)


def divide(chain: Chain) -> Value:
    """Divides by numbers that are not near zero."""
    a = chain.take()
    b = chain.take()
    if b.shape != a.shape or b.dtype != a.dtype:
        b = a
    size = chain.op("add", [chain.op("abs", [b], a.shape), chain.filled(a, 0.5)], a.shape)
    return chain.op("divide", [a, size], a.shape)


def choose(chain: Chain) -> Value:
    draw, a = chain.draw, chain.take()
    b = chain.argument(a.dtype, a.shape)
    direction = f"#stablehlo<comparison_direction {draw.pick(('LT', 'GE'))}>"
    predicate = draw.op("stablehlo.compare", [a, b], [("i1", a.shape)], {"comparison_direction": direction})
    return draw.op("stablehlo.select", [predicate, a, b], [a.type])


def product(chain: Chain) -> Value:
    """Multiplies the last dimension by a new matrix; the results have about the same size."""
    draw, a = chain.draw, chain.take(1)
    inner = a.shape[-1]
    columns = draw.integer(1, max(1, min(24, MOST_ELEMENTS * inner // max(1, math.prod(a.shape)))))
    b = chain.argument(a.dtype, (inner, columns), 1 / math.sqrt(inner))
    if draw.chance(0.3):
        b = chain.op("tanh", [b], b.shape)
    last = len(a.shape) - 1
    numbers = (
        "#stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], "
        f"lhs_contracting_dimensions = [{last}], rhs_contracting_dimensions = [0]>"
    )
    return chain.op("dot_general", [a, b], [*a.shape[:-1], columns], dot_dimension_numbers=numbers)


def mean(chain: Chain) -> Value:
    a = chain.take(1)
    dim = chain.draw.integer(0, len(a.shape) - 1)
    total = chain.reduce(chain.draw.pick(("add", "maximum")), a, dim)
    return chain.op("multiply", [total, chain.filled(total, 1 / a.shape[dim])], total.shape)


def softmax(chain: Chain) -> Value:
    a = chain.take(1)
    dim = chain.draw.integer(0, len(a.shape) - 1)
    top = chain.spread(chain.reduce("maximum", a, dim), a.shape, dim)
    powers = chain.op("exponential", [chain.op("subtract", [a, top], a.shape)], a.shape)
    return chain.op("divide", [powers, chain.spread(chain.reduce("add", powers, dim), a.shape, dim)], a.shape)


def normalize(chain: Chain) -> Value:
    a = chain.take(1)
    dim = chain.draw.integer(0, len(a.shape) - 1)
    share = 1 / a.shape[dim]

    def average(value: Value) -> Value:
        total = chain.reduce("add", value, dim)
        return chain.op("multiply", [total, chain.filled(total, share)], total.shape)

    centred = chain.op("subtract", [a, chain.spread(average(a), a.shape, dim)], a.shape)
    variance = average(chain.op("multiply", [centred, centred], a.shape))
    above = chain.op("add", [variance, chain.filled(variance, 0.1)], variance.shape)
    factor = chain.spread(chain.op("rsqrt", [above], above.shape), a.shape, dim)
    return chain.op("multiply", [centred, factor], a.shape)


def move(chain: Chain) -> Value:
    draw, a = chain.draw, chain.take(1)
    rank = len(a.shape)
    kind = draw.pick(("transpose", "reverse", "slice", "reshape", "concatenate"))
    if kind == "transpose":
        order = draw.shuffled(range(rank))
        return chain.op(kind, [a], [a.shape[i] for i in order], permutation=array(order))
    if kind == "reverse":
        return chain.op(kind, [a], a.shape, dimensions=array(draw.subset(range(rank), 1)))
    if kind == "slice":
        begin = [draw.integer(0, d - 1) for d in a.shape]
        end = [draw.integer(b + 1, d) for b, d in zip(begin, a.shape, strict=True)]
        bounds = {"start_indices": array(begin), "limit_indices": array(end), "strides": array([1] * rank)}
        return chain.op(kind, [a], [e - b for b, e in zip(begin, end, strict=True)], **bounds)
    if kind == "reshape" or 2 * math.prod(a.shape) > MOST_ELEMENTS:
        return chain.op("reshape", [a], [math.prod(a.shape[:-1]), a.shape[-1]])
    dim = draw.integer(0, rank - 1)
    shape = [2 * d if i == dim else d for i, d in enumerate(a.shape)]
    return chain.op(kind, [a, a], shape, dimension=f"{dim} : i64")


def convert(chain: Chain) -> Value:
    a = chain.take()
    return chain.draw.op("stablehlo.convert", [a], [(chain.draw.pick(FLOATS, [4, 2, 1, 1]), a.shape)])


def call(chain: Chain) -> Value:
    a = chain.take()
    kind = tensor(a.dtype, a.shape)
    first, second = chain.draw.pick(UNARY), chain.draw.pick(BINARY)
    symbol = chain.draw.helper(
        f"helper{len(chain.values)}",
        f"(%x: {kind}) -> {kind}",
        f"  %y = stablehlo.{first} %x : {kind}",
        f"  %z = stablehlo.{second} %y, %x : {kind}",
        f"  return %z : {kind}",
    )
    return chain.draw.line(f"func.call {symbol}({a.name}) : ({kind}) -> {kind}", a.dtype, a.shape)


STEPS: dict[Callable[[Chain], Value], float] = {
    unary: 4,
    positive: 2,
    binary: 5,
    divide: 2,
    choose: 2,
    product: 5,
    mean: 3,
    softmax: 1.5,
    normalize: 1.5,
    move: 3,
    convert: 1,
    call: 1,
}


@program("several", share=4)
def several(draw: Draw) -> None:
    draw.style = "plain"
    chain = Chain(draw)
    for _ in range(draw.integer(FEWEST, MOST)):
        chain.values.append(draw.pick(list(STEPS), list(STEPS.values()))(chain))
    draw.result(*chain.values[-draw.integer(1, 2) :])
