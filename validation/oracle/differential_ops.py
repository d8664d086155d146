# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The table of op generators, and the generators of elementwise and data movement ops.

Each generator draws one program of its op; `PROGRAMS` maps an op to its
generator and its share of the instances.
"""

from collections.abc import Callable

import numpy as np

from validation.oracle.differential_draw import (
    ALL,
    COMPLEX,
    FLOATS,
    INTS,
    NARROW,
    SIGNED,
    UNSIGNED,
    WIDTH,
    Draw,
    Value,
    array,
    region,
    tensor,
)

Generator = Callable[[Draw], None]
PROGRAMS: dict[str, tuple[Generator, float]] = {}

_GRIDS = "needs several processes; the interpret corpus has their expected values"
_STREAMS = "needs a peer or a queue; the interpret corpus has their expected values"
_QUANTIZED = "neither oracle takes quantized types; the quantized corpus has expected values"
_TOKENS = "has no value to compare"
NOT_DRAWN = {
    "all_gather": _GRIDS,
    "all_reduce": _GRIDS,
    "all_to_all": _GRIDS,
    "after_all": _TOKENS,
    "async_done": _GRIDS,
    "async_start": _GRIDS,
    "collective_broadcast": _GRIDS,
    "collective_permute": _GRIDS,
    "collective_reduce": _GRIDS,
    "create_token": _TOKENS,
    "cross-replica-sum": _GRIDS,
    "custom_call": "its meaning is the target's",
    "get_tuple_element": "drawn with tuple",
    "infeed": _STREAMS,
    "outfeed": _STREAMS,
    "partition_id": _GRIDS,
    "recv": _STREAMS,
    "reduce_scatter": _GRIDS,
    "replica_id": _GRIDS,
    "return": "drawn with every region",
    "rng": "only the distribution is prescribed",
    "send": _STREAMS,
    "set_dimension_size": "its result is dynamic, which neither oracle returns",
    "unary_einsum": "XLA refuses it, eval_module aborts",
    "uniform_dequantize": _QUANTIZED,
    "uniform_quantize": _QUANTIZED,
}


def program(*names: str, share: float = 1.0) -> Callable[[Generator], Generator]:
    """Registers a generator for ops; it finds the op's name in draw.name."""

    def register(generator: Generator) -> Generator:
        PROGRAMS.update(dict.fromkeys(names, (generator, share)))
        return generator

    return register


COMPLEX_UNARY = [
    "cosine",
    "exponential",
    "exponential_minus_one",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
]
REAL_UNARY = ["cbrt", "ceil", "floor", "round_nearest_afz", "round_nearest_even"]


@program(*COMPLEX_UNARY, *REAL_UNARY)
def unary(draw: Draw) -> None:
    dtype = draw.float_type()
    if draw.name in COMPLEX_UNARY and draw.chance(0.2):
        dtype = draw.pick(COMPLEX)
    elif draw.name in ("sign", "negate") and draw.chance(0.3):
        dtype = draw.pick(SIGNED if draw.name == "sign" else INTS)
    a = draw.argument(dtype, draw.shape())
    draw.result(draw.op(f"stablehlo.{draw.name}", [a], [a.type]))


@program("abs", "real", "imag")
def parts(draw: Draw) -> None:
    kinds = {"abs": [*FLOATS, *SIGNED, *COMPLEX], "real": [*FLOATS, *COMPLEX, *COMPLEX]}
    dtype = draw.pick(kinds.get(draw.name, kinds["real"]))
    a = draw.argument(dtype, draw.shape())
    part = {"complex<f32>": "f32", "complex<f64>": "f64"}.get(dtype, dtype)
    draw.result(draw.op(f"stablehlo.{draw.name}", [a], [(part, a.shape)]))


@program("complex")
def complex_(draw: Draw) -> None:
    part = draw.pick(["f32", "f64"])
    shape = draw.shape()
    a, b = draw.argument(part, shape), draw.argument(part, shape)
    draw.result(draw.op("stablehlo.complex", [a, b], [(f"complex<{part}>", shape)]))


@program("is_finite")
def is_finite(draw: Draw) -> None:
    a = draw.argument(draw.float_type(0.3), draw.shape(), style="edge")
    draw.result(draw.op("stablehlo.is_finite", [a], [("i1", a.shape)]))


@program("count_leading_zeros", "popcnt", "not")
def bits(draw: Draw) -> None:
    dtype = "i1" if draw.name == "not" and draw.chance(0.2) else draw.int_type()
    a = draw.argument(dtype, draw.shape())
    draw.result(draw.op(f"stablehlo.{draw.name}", [a], [a.type]))


@program("add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum")
def arithmetic(draw: Draw) -> None:
    dtype = draw.number_type()
    if draw.name == "remainder" and dtype.startswith("complex"):
        dtype = "f32"
    if draw.name in ("add", "multiply", "maximum", "minimum") and draw.chance(0.1):
        dtype = "i1"
    shape = draw.shape()
    a, b = draw.argument(dtype, shape), draw.argument(dtype, shape)
    draw.result(draw.op(f"stablehlo.{draw.name}", [a, b], [a.type]))


@program("atan2")
def atan2(draw: Draw) -> None:
    dtype = draw.pick(COMPLEX) if draw.chance(0.1) else draw.float_type()
    shape = draw.shape()
    a, b = draw.argument(dtype, shape), draw.argument(dtype, shape)
    draw.result(draw.op("stablehlo.atan2", [a, b], [a.type]))


@program("and", "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical")
def bitwise(draw: Draw) -> None:
    shift = draw.name.startswith("shift")
    dtype = "i1" if not shift and draw.chance(0.3) else draw.int_type()
    shape = draw.shape()
    a = draw.argument(dtype, shape)
    amount = None
    if shift and draw.chance(0.7):
        size = int(np.prod(shape, dtype=int))
        amount = draw.random.integers(0, WIDTH[dtype] + 1, size).astype(np.int8).reshape(shape)
        amount = np.minimum(amount, 1) if WIDTH[dtype] == 2 else amount
    draw.result(draw.op(f"stablehlo.{draw.name}", [a, draw.argument(dtype, shape, amount)], [a.type]))


@program("compare", share=2)
def compare(draw: Draw) -> None:
    dtype = draw.any_type()
    shape = draw.shape()
    a, b = draw.argument(dtype, shape), draw.argument(dtype, shape, style=draw.style)
    directions = ["EQ", "NE"] if dtype.startswith("complex") else ["EQ", "NE", "LT", "LE", "GT", "GE"]
    attributes = {"comparison_direction": f"#stablehlo<comparison_direction {draw.pick(directions)}>"}
    if dtype[0] in "fbc":
        kind = "TOTALORDER" if dtype in FLOATS and draw.chance(0.3) else "FLOAT"
    else:
        kind = "UNSIGNED" if dtype == "i1" or dtype[0] == "u" else "SIGNED"
    if kind == "TOTALORDER" or draw.chance(0.5):
        attributes["compare_type"] = f"#stablehlo<comparison_type {kind}>"
    draw.result(draw.op("stablehlo.compare", [a, b], [("i1", shape)], attributes))


@program("select", "clamp")
def ternary(draw: Draw) -> None:
    shape = draw.shape()
    if draw.name == "select":
        dtype = draw.any_type()
        first = draw.argument("i1", () if draw.chance(0.3) else shape)
        operands = [first, draw.argument(dtype, shape), draw.argument(dtype, shape)]
    else:
        dtype = draw.pick([draw.float_type(), draw.int_type()])
        low, high = (() if draw.chance(0.3) else shape for _ in range(2))
        operands = [draw.argument(dtype, s) for s in (low, shape, high)]
    draw.result(draw.op(f"stablehlo.{draw.name}", operands, [(dtype, shape)]))


@program("convert", share=5)
def convert(draw: Draw) -> None:
    wide = [t for t in ALL if t not in NARROW]
    source, target = (draw.pick(NARROW if draw.chance(0.2) else wide) for _ in range(2))
    a = draw.argument(source, draw.shape())
    draw.result(draw.op("stablehlo.convert", [a], [(target, a.shape)]))


@program("bitcast_convert", share=2)
def bitcast_convert(draw: Draw) -> None:
    kinds = [t for t in ALL if t not in ("i1", "i2", "ui2") and t[:2] not in ("f6", "f4")]
    source, target = draw.pick(kinds), draw.pick(kinds)
    widths = WIDTH[source], WIDTH[target]
    shape = draw.shape(0, 3, 30)
    given, made = shape, shape
    if widths[0] > widths[1]:
        made = (*shape, widths[0] // widths[1])
    elif widths[0] < widths[1]:
        given = (*shape, widths[1] // widths[0])
    if ("complex" in source) != ("complex" in target) and widths[0] != widths[1]:
        target, given, made = source, shape, shape
    a = draw.argument(source, given)
    draw.result(draw.op("stablehlo.bitcast_convert", [a], [(target, made)]))


@program("reduce_precision")
def reduce_precision(draw: Draw) -> None:
    a = draw.argument(draw.pick(FLOATS), draw.shape())
    exponent, mantissa = draw.integer(1, 11), draw.integer(0, 24)
    attributes = {
        "exponent_bits": f"{exponent} : i32",
        "mantissa_bits": f"{mantissa} : i32",
    }
    draw.notes["exponent_bits"], draw.notes["mantissa_bits"] = exponent, mantissa
    draw.result(draw.op("stablehlo.reduce_precision", [a], [a.type], attributes))


# --- constants and shapes


@program("constant")
def constant(draw: Draw) -> None:
    dtype = draw.pick([t for t in ALL if t[:2] not in ("f6", "f4")])
    shape = draw.shape()
    draw.result(draw.constant(dtype, draw.values(dtype, shape)))


@program("iota")
def iota(draw: Draw) -> None:
    shape = draw.shape(1, 4)
    dtype = draw.number_type()
    dim = draw.integer(0, len(shape) - 1)
    draw.result(draw.op("stablehlo.iota", [], [(dtype, shape)], {"iota_dimension": f"{dim} : i64"}))


@program("broadcast_in_dim", "dynamic_broadcast_in_dim", share=1.5)
def broadcast_in_dim(draw: Draw) -> None:
    made = draw.shape(0, 4)
    kept = draw.subset(range(len(made)))
    if draw.chance(0.3):
        kept = draw.shuffled(kept)
    given = [made[d] if draw.chance(0.7) else 1 for d in kept]
    a = draw.argument(draw.any_type(), given)
    attributes = {"broadcast_dimensions": array(kept)}
    operands = [a]
    if draw.name.startswith("dynamic"):
        operands.append(draw.constant("i64", np.array(made, np.int64)))
    draw.result(draw.op(f"stablehlo.{draw.name}", operands, [(a.dtype, made)], attributes))


@program("broadcast", share=0.5)
def broadcast(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape(0, 3, 20))
    sizes = draw.shape(0, 2, 8)
    attributes = {"broadcast_sizes": array(sizes)}
    draw.result(draw.op("stablehlo.broadcast", [a], [(a.dtype, sizes + a.shape)], attributes))


@program("concatenate")
def concatenate(draw: Draw) -> None:
    shape = list(draw.shape(1, 4))
    dim = draw.integer(0, len(shape) - 1)
    dtype = draw.any_type()
    operands = []
    for _ in range(draw.integer(1, 4)):
        operands.append(
            draw.argument(
                dtype,
                [draw.integer(0, 4) if d == dim else s for d, s in enumerate(shape)],
            )
        )
    shape[dim] = sum(o.shape[dim] for o in operands)
    draw.result(
        draw.op(
            "stablehlo.concatenate",
            operands,
            [(dtype, shape)],
            {"dimension": f"{dim} : i64"},
        )
    )


@program("reshape", "dynamic_reshape")
def reshape(draw: Draw) -> None:
    shape = draw.shape()
    factors = [d for s in shape for d in ([2, s // 2] if s % 2 == 0 and s > 0 and draw.chance(0.5) else [s])]
    made: list[int] = []
    for factor in draw.shuffled(factors):
        if made and draw.chance(0.4):
            made[-1] *= factor
        else:
            made += [1, factor] if draw.chance(0.1) else [factor]
    a = draw.argument(draw.any_type(), shape)
    operands = [a]
    if draw.name.startswith("dynamic"):
        operands.append(draw.constant(draw.pick(["i32", "i64"]), np.array(made, np.int64)))
    draw.result(draw.op(f"stablehlo.{draw.name}", operands, [(a.dtype, made)]))


@program("reverse", "transpose")
def permuted(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape())
    rank = len(a.shape)
    if draw.name == "reverse":
        dims = draw.shuffled(draw.subset(range(rank)))
        draw.result(draw.op("stablehlo.reverse", [a], [a.type], {"dimensions": array(dims)}))
        return
    order = draw.shuffled(range(rank))
    made = [a.shape[d] for d in order]
    draw.result(draw.op("stablehlo.transpose", [a], [(a.dtype, made)], {"permutation": array(order)}))


@program("slice", "real_dynamic_slice")
def slice_(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape())
    start = [draw.integer(0, s) for s in a.shape]
    limit = [draw.integer(b, s) for b, s in zip(start, a.shape, strict=True)]
    strides = [draw.integer(1, 3) for _ in a.shape]
    made = [-(-(e - b) // s) for b, e, s in zip(start, limit, strides, strict=True)]
    if draw.name == "slice":
        attributes = {
            "start_indices": array(start),
            "limit_indices": array(limit),
            "strides": array(strides),
        }
        draw.result(draw.op("stablehlo.slice", [a], [(a.dtype, made)], attributes))
        return
    bounds = [draw.constant("i64", np.array(v, np.int64)) for v in (start, limit, strides)]
    draw.result(draw.op("stablehlo.real_dynamic_slice", [a, *bounds], [(a.dtype, made)]))


def start_indices(draw: Draw, shape: tuple[int, ...], sizes: list[int]) -> list[Value]:
    """One scalar per dimension, some out of bounds."""
    dtype = draw.pick(["i32", "i64", "ui32", "i8", "ui8"])
    low = 0 if dtype[0] == "u" else -3
    return [
        draw.argument(dtype, (), np.array(draw.integer(low, max(s, size) + 3)))
        for s, size in zip(shape, sizes, strict=True)
    ]


@program("dynamic_slice", "dynamic_update_slice", share=1.5)
def dynamic_slices(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape())
    sizes = [draw.integer(0, s) for s in a.shape]
    if draw.name == "dynamic_slice":
        starts = start_indices(draw, a.shape, sizes)
        attributes = {"slice_sizes": array(sizes)}
        draw.result(draw.op("stablehlo.dynamic_slice", [a, *starts], [(a.dtype, sizes)], attributes))
        return
    update = draw.argument(a.dtype, sizes)
    starts = start_indices(draw, a.shape, sizes)
    draw.result(draw.op("stablehlo.dynamic_update_slice", [a, update, *starts], [a.type]))


@program("pad", "dynamic_pad", share=1.5)
def pad(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape())
    value = draw.argument(a.dtype, ())
    low, high, interior, made = [], [], [], []
    for size in a.shape:
        inner = draw.integer(0, 2)
        full = size + max(size - 1, 0) * inner
        before = draw.integer(-2, 3)
        after = draw.integer(-2, 3)
        if full + before + after < 0:
            before, after = 0, 0
        interior.append(inner)
        low.append(before)
        high.append(after)
        made.append(full + before + after)
    if draw.name == "pad":
        attributes = {
            "edge_padding_low": array(low),
            "edge_padding_high": array(high),
            "interior_padding": array(interior),
        }
        draw.result(draw.op("stablehlo.pad", [a, value], [(a.dtype, made)], attributes))
        return
    paddings = [draw.constant("i64", np.array(v, np.int64)) for v in (low, high, interior)]
    draw.result(draw.op("stablehlo.dynamic_pad", [a, value, *paddings], [(a.dtype, made)]))


@program("dynamic_iota", share=0.5)
def dynamic_iota(draw: Draw) -> None:
    shape = draw.shape(1, 4)
    dim = draw.integer(0, len(shape) - 1)
    size = draw.constant("i64", np.array(shape, np.int64))
    draw.result(
        draw.op(
            "stablehlo.dynamic_iota",
            [size],
            [(draw.number_type(), shape)],
            {"iota_dimension": f"{dim} : i64"},
        )
    )


@program("get_dimension_size", share=0.3)
def get_dimension_size(draw: Draw) -> None:
    a = draw.argument(draw.any_type(), draw.shape(1, 4))
    dim = draw.integer(0, len(a.shape) - 1)
    draw.result(
        draw.op(
            "stablehlo.get_dimension_size",
            [a],
            [("i32", ())],
            {"dimension": f"{dim} : i64"},
        )
    )


@program("torch_index_select", share=0.5)
def torch_index_select(draw: Draw) -> None:
    shape = tuple(max(s, 1) for s in draw.shape(1, 4))
    batch = draw.integer(0, min(1, len(shape) - 1))
    dim = draw.integer(batch, len(shape) - 1)
    chosen = draw.shape(0, 2, 12)
    index = (*shape[:batch], *chosen)
    a = draw.argument(draw.any_type(), shape)
    positions = draw.random.integers(0, shape[dim], index)
    i = draw.argument(draw.pick(["i32", "i64"]), index, positions)
    made = (*shape[:dim], *chosen, *shape[dim + 1 :])
    attributes = {"dim": f"{dim} : i64", "batch_dims": f"{batch} : i64"}
    draw.result(draw.op("stablehlo.torch_index_select", [a, i], [(a.dtype, made)], attributes))


# --- control flow


@program("if", "case")
def branches(draw: Draw) -> None:
    dtype = draw.number_type()
    a = draw.argument(dtype, draw.shape())
    b = draw.argument(dtype, a.shape)
    names = ["add", "subtract", "multiply"]
    count = 2 if draw.name == "if" else draw.integer(1, 4)
    regions = []
    for i in range(count):
        operation = f'%y{i} = "stablehlo.{draw.pick(names)}"({a.name}, {b.name}) : ({a.type}, {a.type}) -> {a.type}'
        regions.append(f"{{\n{operation}\nstablehlo.return %y{i}, {a.name} : {a.type}, {a.type}\n}}")
    if draw.name == "if":
        which = draw.argument("i1", ())
    else:
        which = draw.argument("i32", (), np.array(draw.integer(-2, count + 1)))
    draw.result(*draw.op(f"stablehlo.{draw.name}", [which], [a.type, a.type], regions=regions))


@program("while")
def while_(draw: Draw) -> None:
    dtype = draw.pick(["f32", "f64", "i32", "i64", "ui8", "f16"])
    a = draw.argument(dtype, draw.shape(0, 2, 12), style="small")
    step = draw.argument(dtype, a.shape, style="small")
    count = draw.argument("i32", (), np.array(draw.integer(-1, 7)))
    start = draw.constant("i32", np.array(0))
    operation = draw.pick(["add", "subtract", "maximum"])
    scalar = tensor("i32")
    condition = (
        f"{{\n^bb0(%i: {scalar}, %x: {a.type}):\n"
        f"%c = stablehlo.compare LT, %i, {count.name} : ({scalar}, {scalar}) -> tensor<i1>\n"
        f"stablehlo.return %c : tensor<i1>\n}}"
    )
    body = (
        f"{{\n^bb0(%i: {scalar}, %x: {a.type}):\n%one = stablehlo.constant dense<1> : {scalar}\n"
        f"%n = stablehlo.add %i, %one : {scalar}\n%y = stablehlo.{operation} %x, {step.name} : {a.type}\n"
        f"stablehlo.return %n, %y : {scalar}, {a.type}\n}}"
    )
    draw.result(*draw.op("stablehlo.while", [start, a], [scalar, a.type], regions=[condition, body]))


@program("map", share=0.5)
def map_(draw: Draw) -> None:
    dtype = draw.number_type()
    shape = draw.shape()
    a, b = draw.argument(dtype, shape), draw.argument(dtype, shape)
    lines = [
        f"%s = stablehlo.{draw.pick(['add', 'multiply', 'subtract'])} %x0, %x1 : {tensor(dtype)}",
        f"%t = stablehlo.{draw.pick(['maximum', 'subtract'])} %s, %x1 : {tensor(dtype)}",
    ]
    body = region([dtype, dtype], *lines, returns=[("%t", dtype)])
    draw.result(
        draw.op(
            "stablehlo.map",
            [a, b],
            [a.type],
            {"dimensions": array(range(len(shape)))},
            [body],
        )
    )


@program("call", "composite", share=0.5)
def calls(draw: Draw) -> None:
    dtype = draw.number_type()
    a = draw.argument(dtype, draw.shape())
    b = draw.argument(dtype, a.shape)
    kind = a.type
    symbol = draw.helper(
        "helper",
        f"(%x: {kind}, %y: {kind}) -> ({kind}, {kind})",
        f"%s = stablehlo.subtract %x, %y : {kind}",
        f"%t = stablehlo.add %x, %x : {kind}",
        f"return %s, %t : {kind}, {kind}",
    )
    if draw.name == "call":
        draw.result(*draw.op("func.call", [a, b], [kind, kind], {"callee": symbol}))
        return
    attributes = {
        "name": '"differential.two"',
        "decomposition": symbol,
        "version": "1 : i32",
    }
    draw.result(*draw.op("stablehlo.composite", [a, b], [kind, kind], attributes))


@program("optimization_barrier", "tuple", share=0.3)
def passes_through(draw: Draw) -> None:
    values = [draw.argument(draw.any_type(), draw.shape()) for _ in range(draw.integer(2, 3))]
    if draw.name == "optimization_barrier":
        draw.result(*draw.op("stablehlo.optimization_barrier", values, [v.type for v in values]))
        return
    kind = f"tuple<{', '.join(v.type for v in values)}>"
    names = ", ".join(v.name for v in values)
    draw.raw(f'%tuple = "stablehlo.tuple"({names}) : ({", ".join(v.type for v in values)}) -> {kind}')
    at = draw.integer(0, len(values) - 1)
    got = values[at]
    draw.result(
        draw.line(
            f"stablehlo.get_tuple_element %tuple[{at}] : ({kind}) -> {got.type}",
            got.dtype,
            got.shape,
        )
    )


# --- CHLO

CHLO_UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "lgamma",
    "sinh",
    "tan",
]


@program(*(f"chlo.{name}" for name in CHLO_UNARY))
def chlo_unary(draw: Draw) -> None:
    dtype = draw.pick(FLOATS, [4, 2, 2, 2])
    complex_too = (
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cosh",
        "sinh",
        "tan",
    )
    if draw.name.removeprefix("chlo.") in complex_too and draw.chance(0.2):
        dtype = draw.pick(COMPLEX)
    a = draw.argument(dtype, draw.shape())
    draw.result(draw.op(draw.name, [a], [a.type]))


@program("chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf", share=0.3)
def chlo_infinities(draw: Draw) -> None:
    a = draw.argument(draw.pick(FLOATS), draw.shape(), style="edge")
    draw.result(draw.op(draw.name, [a], [("i1", a.shape)]))


@program("chlo.next_after", "chlo.polygamma", "chlo.zeta", share=0.7)
def chlo_binary(draw: Draw) -> None:
    dtype = draw.pick(["f32", "f64"])
    shape = draw.shape()
    if draw.name == "chlo.polygamma":
        a = draw.argument(dtype, shape, np.abs(draw.values("i8", shape, "small")).astype(np.float64))
    else:
        a = draw.argument(dtype, shape)
    b = draw.argument(dtype, shape)
    draw.result(draw.op(draw.name, [a, b], [a.type]))


BROADCASTING = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "power",
    "atan2",
]


@program(*(f"chlo.broadcast_{name}" for name in BROADCASTING), share=0.3)
def chlo_broadcast(draw: Draw) -> None:
    dtype = draw.pick(FLOATS)
    made = draw.shape(0, 4)
    shapes = [tuple(1 if draw.chance(0.3) else s for s in made) for _ in range(2)]
    cut = draw.integer(0, len(made))
    shapes[1] = shapes[1][cut:]
    result = np.broadcast_shapes(*shapes)
    a, b = draw.argument(dtype, shapes[0]), draw.argument(dtype, shapes[1])
    draw.result(draw.op(draw.name, [a, b], [(dtype, result)]))


@program("chlo.top_k")
def chlo_top_k(draw: Draw) -> None:
    dtype = draw.pick([*FLOATS, *SIGNED, *UNSIGNED])
    shape = tuple(max(s, 1) for s in draw.shape(1, 3))
    a = draw.argument(dtype, shape)
    k = draw.integer(0, shape[-1])
    made = (*shape[:-1], k)
    draw.result(*draw.op("chlo.top_k", [a], [(dtype, made), ("i32", made)], {"k": f"{k} : i64"}))
