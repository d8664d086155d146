# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Generators of ops with windows, dimension numbers, bodies and matrices."""

import ml_dtypes
import numpy as np

from validation.oracle.differential_draw import (
    COMPLEX,
    FLOATS,
    NUMPY,
    SIGNED,
    WIDTH,
    Draw,
    Value,
    array,
    fold_region,
    region,
    tensor,
)
from validation.oracle.differential_ops import program


def fold_operation(draw: Draw, dtype: str) -> str:
    if dtype == "i1":
        return draw.pick(["and", "or", "xor"])
    if dtype.startswith("complex"):
        return draw.pick(["add", "multiply"])
    names = ["add", "add", "multiply", "maximum", "minimum"]
    return draw.pick(names + (["and", "or", "xor"] if dtype[0] in "iu" else []))


def fold_type(draw: Draw) -> str:
    kind = draw.pick(["float", "int", "complex", "i1"], [6, 3, 1, 0.5])
    if kind == "float":
        return draw.float_type()
    return {
        "int": draw.int_type,
        "complex": lambda: draw.pick(COMPLEX),
        "i1": lambda: "i1",
    }[kind]()


def identity(operation: str, dtype: str) -> object:
    """The value from which a fold by `operation` starts without changing anything."""
    if operation in ("add", "or", "xor"):
        return 0
    if operation == "multiply":
        return 1
    if operation == "and":
        return True if dtype == "i1" else -1 if dtype[0] == "i" else 2 ** WIDTH[dtype] - 1
    sign = -1 if operation == "maximum" else 1
    if dtype[0] == "i":
        return -(2 ** (WIDTH[dtype] - 1)) if sign < 0 else 2 ** (WIDTH[dtype] - 1) - 1
    if dtype[0] == "u":
        return 0 if sign < 0 else 2 ** WIDTH[dtype] - 1
    return sign * (np.inf if dtype in FLOATS else float(ml_dtypes.finfo(NUMPY[dtype]).max))


def initial(draw: Draw, operation: str, dtype: str) -> Value:
    """Usually the identity of the fold; any other value is an input and noted."""
    if draw.chance(0.25):
        draw.notes["monoid"] = False
        return draw.argument(dtype, ())
    return draw.constant(dtype, np.array(identity(operation, dtype)))


# --- contractions

DOT_TYPES = [
    ("f32", "f32", "f32"), ("f32", "f32", "f32"), ("f64", "f64", "f64"), ("f16", "f16", "f16"),
    ("bf16", "bf16", "bf16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"),
    ("i8", "i8", "i8"), ("i8", "i8", "i32"), ("ui8", "ui8", "ui32"), ("i32", "i32", "i32"),
    ("i64", "i64", "i64"), ("ui16", "ui16", "ui16"), ("complex<f32>",) * 3, ("complex<f64>",) * 3,
    ("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E5M2", "f8E5M2", "f32"),
]  # fmt: skip
PRECISIONS = ("DEFAULT", "HIGH", "HIGHEST")


def precision_config(draw: Draw) -> dict[str, str]:
    if draw.chance(0.7):
        return {}
    both = ", ".join(f"#stablehlo<precision {draw.pick(PRECISIONS)}>" for _ in range(2))
    return {"precision_config": f"[{both}]"}


@program("dot_general", share=4)
def dot_general(draw: Draw) -> None:
    lhs_type, rhs_type, out_type = draw.pick(DOT_TYPES)

    def sizes(count):
        return [draw.integer(1, 5) for _ in range(count)]

    batch, inner = sizes(draw.integer(0, 2)), sizes(draw.integer(0, 2))
    left, right = sizes(draw.integer(0, 2)), sizes(draw.integer(0, 2))
    if inner and draw.chance(0.1):
        inner[0] = 40
    for group in (batch, inner, left, right):
        if group and draw.chance(0.04):
            group[0] = 0

    def laid_out(free: list[int]) -> tuple[list[int], list[int], list[int]]:
        dims = batch + inner + free
        order = draw.shuffled(range(len(dims)))  # position -> logical dimension
        position = {logical: at for at, logical in enumerate(order)}
        shape = [dims[logical] for logical in order]
        batching = [position[i] for i in range(len(batch))]
        contracting = [position[len(batch) + i] for i in range(len(inner))]
        return shape, batching, contracting

    lhs_shape, lhs_batch, lhs_inner = laid_out(left)
    rhs_shape, rhs_batch, rhs_inner = laid_out(right)
    lhs_free = [s for d, s in enumerate(lhs_shape) if d not in lhs_batch + lhs_inner]
    rhs_free = [s for d, s in enumerate(rhs_shape) if d not in rhs_batch + rhs_inner]
    a, b = draw.argument(lhs_type, lhs_shape), draw.argument(rhs_type, rhs_shape)
    numbers = (
        f"#stablehlo.dot<lhs_batching_dimensions = {lhs_batch}, rhs_batching_dimensions = {rhs_batch}, "
        f"lhs_contracting_dimensions = {lhs_inner}, rhs_contracting_dimensions = {rhs_inner}>"
    )
    attributes = {"dot_dimension_numbers": numbers, **precision_config(draw)}
    made = batch + lhs_free + rhs_free
    draw.result(draw.op("stablehlo.dot_general", [a, b], [(out_type, made)], attributes))


@program("dot", share=0.7)
def dot(draw: Draw) -> None:
    dtype = draw.pick([*FLOATS, "i32", "i8", *COMPLEX])
    k = draw.integer(0, 9)
    left, right = draw.shape(0, 1, 6), draw.shape(0, 1, 6)
    a, b = draw.argument(dtype, (*left, k)), draw.argument(dtype, (k, *right))
    draw.result(draw.op("stablehlo.dot", [a, b], [(dtype, left + right)], precision_config(draw)))


@program("einsum", share=0.5)
def einsum(draw: Draw) -> None:
    formula = draw.pick(["ab,bc->ac", "abc,acd->abd", "ab,cb->ac", "ab,ab->a", "a,b->ab", "abc,cb->a"])
    sizes = {letter: draw.integer(1, 5) for letter in "abcd"}
    inputs, output = formula.split("->")
    dtype = draw.pick([*FLOATS, "i32"])
    operands = [draw.argument(dtype, [sizes[c] for c in part]) for part in inputs.split(",")]
    made = [sizes[c] for c in output]
    draw.result(
        draw.op(
            "stablehlo.einsum",
            operands,
            [(dtype, made)],
            {"einsum_config": f'"{formula}"'},
        )
    )


@program("convolution", "dynamic_conv", share=3)
def convolution(draw: Draw) -> None:
    dtype, _, out_type = draw.pick([t for t in DOT_TYPES if not t[0].startswith(("complex", "f8"))])
    rank = draw.integer(0, 3)
    spatial = [draw.integer(1, 6) for _ in range(rank)]
    window = [draw.integer(1, 3) for _ in range(rank)]
    strides = [draw.integer(1, 3) for _ in range(rank)]
    lhs_dilation = [draw.pick([1, 1, 2, 3]) for _ in range(rank)]
    rhs_dilation = [draw.pick([1, 1, 2]) for _ in range(rank)]
    reversal = [draw.chance(0.3) for _ in range(rank)]
    groups, batches = draw.pick([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    batch = batches * draw.integer(1, 2)
    per_group, out_per_group = draw.integer(1, 3), draw.integer(1, 3)
    features, outputs = groups * per_group, groups * batches * out_per_group
    padding, made = [], []
    for d in range(rank):
        low, high = draw.integer(-1, 2), draw.integer(-1, 2)
        dilated = (spatial[d] - 1) * lhs_dilation[d] + 1
        reach = (window[d] - 1) * rhs_dilation[d] + 1
        if dilated + low + high < 0:
            low, high = 0, 0
        padding.append((low, high))
        full = dilated + low + high
        made.append(0 if reach > full else (full - reach) // strides[d] + 1)
    if rank and draw.chance(0.04):
        spatial[0], lhs_dilation[0] = 0, 1
        low, high = (max(p, 0) for p in padding[0])
        padding[0] = (low, high)
        reach = (window[0] - 1) * rhs_dilation[0] + 1
        made[0] = 0 if reach > low + high else (low + high - reach) // strides[0] + 1

    def layout(letters: tuple[str, str], first: int, second: int, dims: list[int]) -> tuple[str, list[int]]:
        tokens = [letters[0], letters[1], *(str(i) for i in range(rank))]
        sizes = {letters[0]: first, letters[1]: second} | {str(i): s for i, s in enumerate(dims)}
        tokens = draw.shuffled(tokens)
        return f"[{', '.join(tokens)}]", [sizes[t] for t in tokens]

    lhs_text, lhs_shape = layout(("b", "f"), batch, features, spatial)
    rhs_text, rhs_shape = layout(("i", "o"), per_group, outputs, window)
    out_text, out_shape = layout(("b", "f"), batch // batches, outputs, made)
    a, b = draw.argument(dtype, lhs_shape), draw.argument(dtype, rhs_shape)
    attributes = {
        "dimension_numbers": f"#stablehlo.conv<{lhs_text}x{rhs_text}->{out_text}>",
        "window_strides": array(strides),
        "lhs_dilation": array(lhs_dilation),
        "rhs_dilation": array(rhs_dilation),
        "window_reversal": array(reversal) if rank else "array<i1>",
        "feature_group_count": f"{groups} : i64",
        "batch_group_count": f"{batches} : i64",
        **precision_config(draw),
    }
    operands = [a, b]
    pads = np.array(padding, np.int64).reshape(rank, 2)
    if draw.name == "convolution":
        attributes["padding"] = f"dense<{pads.tolist() if rank else ''}> : tensor<{rank}x2xi64>"
    else:
        operands.append(draw.constant("i64", pads))
    draw.result(draw.op(f"stablehlo.{draw.name}", operands, [(out_type, out_shape)], attributes))


# --- reductions and windows


@program("reduce", share=4)
def reduce(draw: Draw) -> None:
    shape = draw.shape(0, 4, 200)
    dims = draw.shuffled(draw.subset(range(len(shape))))
    made = [s for d, s in enumerate(shape) if d not in dims]
    attributes = {"dimensions": array(dims)}
    if draw.chance(0.2):  # the greatest element and its index
        dtype = draw.pick(["f32", "i32", "f64", "bf16", "ui8"])
        a = draw.argument(dtype, shape)
        where = draw.argument("i32", shape, np.arange(np.prod(shape, dtype=int)).reshape(shape))
        inits = [
            draw.constant(dtype, np.array(identity("maximum", dtype))),
            draw.constant("i32", np.array(2**31 - 1)),
        ]
        t, i = tensor(dtype), tensor("i32")
        lines = [
            f"%ge = stablehlo.compare GT, %x0, %x2 : ({t}, {t}) -> tensor<i1>",
            f"%eq = stablehlo.compare EQ, %x0, %x2 : ({t}, {t}) -> tensor<i1>",
            f"%lt = stablehlo.compare LT, %x1, %x3 : ({i}, {i}) -> tensor<i1>",
            "%tie = stablehlo.and %eq, %lt : tensor<i1>",
            "%first = stablehlo.or %ge, %tie : tensor<i1>",
            f"%v = stablehlo.select %first, %x0, %x2 : tensor<i1>, {t}",
            f"%w = stablehlo.select %first, %x1, %x3 : tensor<i1>, {i}",
        ]
        body = region([dtype, "i32", dtype, "i32"], *lines, returns=[("%v", dtype), ("%w", "i32")])
        draw.notes["body"] = "argmax"
        draw.result(
            *draw.op(
                "stablehlo.reduce",
                [a, where, *inits],
                [(dtype, made), ("i32", made)],
                attributes,
                [body],
            )
        )
        return
    dtype = fold_type(draw)
    operation = fold_operation(draw, dtype)
    draw.notes["body"] = operation
    a, init = draw.argument(dtype, shape), initial(draw, operation, dtype)
    draw.result(
        draw.op(
            "stablehlo.reduce",
            [a, init],
            [(dtype, made)],
            attributes,
            [fold_region(operation, dtype)],
        )
    )


@program("reduce_window", share=3)
def reduce_window(draw: Draw) -> None:
    dtype = fold_type(draw)
    shape = draw.shape(0, 4, 120)
    rank = len(shape)
    window = [draw.integer(1, 3) for _ in shape]
    strides = [draw.integer(1, 3) for _ in shape]
    base = [draw.pick([1, 1, 2]) for _ in shape]
    dilation = [draw.pick([1, 1, 2]) for _ in shape]
    padding, made = [], []
    for d, size in enumerate(shape):
        low, high = draw.integer(-1, 2), draw.integer(-1, 2)
        dilated = 0 if size == 0 else (size - 1) * base[d] + 1
        if dilated + low + high < 0:
            low, high = 0, 0
        full = dilated + low + high
        reach = (window[d] - 1) * dilation[d] + 1
        padding.append([low, high])
        made.append(0 if full == 0 or reach > full else (full - reach) // strides[d] + 1)
    attributes = {
        "window_dimensions": array(window),
        "window_strides": array(strides),
        "base_dilations": array(base),
        "window_dilations": array(dilation),
        "padding": f"dense<{padding if rank else ''}> : tensor<{rank}x2xi64>",
    }
    count = 2 if draw.chance(0.15) else 1
    inputs = [draw.argument(dtype, shape) for _ in range(count)]
    operations = [fold_operation(draw, dtype) for _ in range(count)]
    inits = [initial(draw, operation, dtype) for operation in operations]
    draw.notes["body"] = ",".join(operations)
    t = tensor(dtype)
    lines = [f"%y{i} = stablehlo.{name} %x{i}, %x{count + i} : {t}" for i, name in enumerate(operations)]
    body = region([dtype] * 2 * count, *lines, returns=[(f"%y{i}", dtype) for i in range(count)])
    made_all = [(dtype, made)] * count
    values = draw.op("stablehlo.reduce_window", inputs + inits, made_all, attributes, [body])
    draw.result(*(values if count > 1 else [values]))


@program("select_and_scatter", share=2)
def select_and_scatter(draw: Draw) -> None:
    dtype = draw.pick([*FLOATS, "i32", "i8", "ui8"])
    shape = [max(s, 1) for s in draw.shape(0, 4, 100)]
    window = [draw.integer(1, 3) for _ in shape]
    strides = [draw.integer(1, 3) for _ in shape]
    padding, made = [], []
    for d, size in enumerate(shape):
        # No window is entirely in the padding: its selection would be undefined.
        low, high = draw.integer(0, window[d] - 1), draw.integer(0, window[d] - 1)
        if window[d] > size + low + high:
            window[d] = 1
            low = high = 0
        padding.append([low, high])
        made.append((size + low + high - window[d]) // strides[d] + 1)
    rank = len(shape)
    attributes = {
        "window_dimensions": array(window),
        "window_strides": array(strides),
        "padding": f"dense<{padding if rank else ''}> : tensor<{rank}x2xi64>",
    }
    t = tensor(dtype)
    direction = draw.pick(["GE", "LE", "GT"])
    choose = region(
        [dtype, dtype],
        f"%c = stablehlo.compare {direction}, %x0, %x1 : ({t}, {t}) -> tensor<i1>",
        returns=[("%c", "i1")],
    )
    operation = draw.pick(["add", "add", "multiply", "maximum"])
    draw.notes["body"] = operation
    operands = [
        draw.argument(dtype, shape),
        draw.argument(dtype, made),
        initial(draw, operation, dtype),
    ]
    regions = [choose, fold_region(operation, dtype)]
    draw.result(
        draw.op(
            "stablehlo.select_and_scatter",
            operands,
            [(dtype, shape)],
            attributes,
            regions,
        )
    )


# --- gather and scatter


def indexed_dims(draw: Draw) -> tuple[list[int], list[int], list[int], list[int]]:
    """An operand shape, batching dims, dims without a window (sorted), and the indexed dims in order."""
    shape = [draw.integer(1, 5) for _ in range(draw.integer(1, 4))]
    dims = list(range(len(shape)))
    batching = draw.subset(dims, 0, 1 if draw.chance(0.4) else 0)
    rest = [d for d in dims if d not in batching]
    collapsed = draw.subset(rest)
    indexed = draw.shuffled(draw.subset(rest))
    return shape, batching, collapsed, indexed


def window_sizes(draw: Draw, shape: list[int], flat: list[int]) -> list[int]:
    """The window's size in each dimension: 1 in those without a window."""
    return [1 if d in flat else draw.integer(0 if draw.chance(0.05) else 1, s) for d, s in enumerate(shape)]


def index_operand(
    draw: Draw,
    shape: list[int],
    batching: list[int],
    indexed: list[int],
    sizes: list[int],
) -> tuple[list[int], list[int], int, Value]:
    """The index tensor's shape without its vector dim, its batching dims, the vector dim, and the tensor.

    Windows of `sizes` are inside, or wholly outside; in one program of five they may also cross the edge.
    """
    batch = [draw.integer(1, 4) for _ in range(draw.integer(0, 2))]
    if batch and draw.chance(0.05):
        batch[0] = 0
    at = [draw.integer(0, len(batch)) for _ in batching]
    for d, where in zip(batching, at, strict=True):
        batch.insert(where, shape[d])
    if len(indexed) == 1 and draw.chance(0.3):
        vector = len(batch)
        full = list(batch)
    else:
        vector = draw.integer(0, len(batch))
        full = [*batch[:vector], len(indexed), *batch[vector:]]
    positions = [d + (1 if d >= vector and len(full) > len(batch) else 0) for d in at]
    dtype = draw.pick(["i32", "i64", "ui32", "i8", "ui8"])
    least = 0 if dtype[0] == "u" else None
    across, outside = draw.chance(0.2), draw.chance(0.3)
    values = np.zeros([*batch, len(indexed)], np.int64)
    for at_index in np.ndindex(*batch):
        for i, d in enumerate(indexed):
            low, high = 0, shape[d] - sizes[d]
            if across:
                low, high = -2, shape[d] + 1
            elif outside and draw.chance(0.3):
                low, high = (-sizes[d] - 3, -sizes[d]) if draw.chance(0.5) else (shape[d], shape[d] + 3)
            value = draw.integer(low, high)
            values[(*at_index, i)] = value if least is None or value >= 0 else shape[d] + 1
            draw.notes["across"] = draw.notes.get("across", False) or across
    if len(full) > len(batch):
        values = np.moveaxis(values, -1, vector)
    indices = draw.argument(dtype, full, values.reshape(full))
    return batch, positions, vector, indices


def among_batch(draw: Draw, batch: list[int], window: list[int]) -> tuple[list[int], list[int]]:
    """The positions of the window's dimensions among those of the batch, and the shape of both."""
    rank = len(batch) + len(window)
    offsets = draw.subset(range(rank), len(window), len(window))
    rest, inner = iter(batch), iter(window)
    return offsets, [next(inner) if d in offsets else next(rest) for d in range(rank)]


@program("gather", "dynamic_gather", share=3)
def gather(draw: Draw) -> None:
    shape, batching, collapsed, indexed = indexed_dims(draw)
    a = draw.argument(draw.any_type(), shape)
    sizes = window_sizes(draw, shape, collapsed + batching)
    batch, positions, vector, indices = index_operand(draw, shape, batching, indexed, sizes)
    offsets, made = among_batch(draw, batch, [s for d, s in enumerate(sizes) if d not in collapsed + batching])
    numbers = (
        f"#stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = {collapsed}, "
        f"operand_batching_dims = {batching}, start_indices_batching_dims = {positions}, "
        f"start_index_map = {indexed}, index_vector_dim = {vector}>"
    )
    attributes = {"dimension_numbers": numbers}
    operands = [a, indices]
    if draw.name == "gather":
        attributes["slice_sizes"] = array(sizes)
    else:
        operands.append(draw.constant("i64", np.array(sizes, np.int64)))
    draw.result(draw.op(f"stablehlo.{draw.name}", operands, [(a.dtype, made)], attributes))


@program("scatter", share=4)
def scatter(draw: Draw) -> None:
    shape, batching, inserted, indexed = indexed_dims(draw)
    count = 2 if draw.chance(0.15) else 1
    dtype = fold_type(draw)
    inputs = [draw.argument(dtype, shape) for _ in range(count)]
    sizes = window_sizes(draw, shape, inserted + batching)
    batch, positions, vector, indices = index_operand(draw, shape, batching, indexed, sizes)
    offsets, made = among_batch(draw, batch, [s for d, s in enumerate(sizes) if d not in inserted + batching])
    updates = [draw.argument(dtype, made) for _ in range(count)]
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {offsets}, inserted_window_dims = {inserted}, "
        f"input_batching_dims = {batching}, scatter_indices_batching_dims = {positions}, "
        f"scatter_dims_to_operand_dims = {indexed}, index_vector_dim = {vector}>"
    )
    operations = [draw.pick([fold_operation(draw, dtype), "second"], [3, 1]) for _ in range(count)]
    draw.notes["body"] = ",".join(operations)
    lines, returned = [], []
    for i, name in enumerate(operations):
        if name == "second":
            returned.append((f"%x{count + i}", dtype))
            continue
        lines.append(f"%y{i} = stablehlo.{name} %x{i}, %x{count + i} : {tensor(dtype)}")
        returned.append((f"%y{i}", dtype))
    body = region([dtype] * 2 * count, *lines, returns=returned)
    attributes = {
        "scatter_dimension_numbers": numbers,
        "indices_are_sorted": "false",
        "unique_indices": "false",
    }
    values = draw.op(
        "stablehlo.scatter",
        [*inputs, indices, *updates],
        [i.type for i in inputs],
        attributes,
        [body],
    )
    draw.result(*(values if count > 1 else [values]))


# --- sort


@program("sort", share=3)
def sort(draw: Draw) -> None:
    shape = draw.shape(1, 3, 150)
    dim = draw.integer(0, len(shape) - 1)
    count = draw.pick([1, 1, 2, 3])
    dtypes = [draw.pick([draw.float_type(), draw.int_type()]) for _ in range(count)]
    operands = [draw.argument(t, shape) for t in dtypes]
    key = draw.integer(0, count - 1)
    t = tensor(dtypes[key])
    direction = draw.pick(["LT", "GT"])
    total = f", TOTALORDER : ({t}, {t})" if dtypes[key] in FLOATS and draw.chance(0.6) else f" : ({t}, {t})"
    draw.notes["total"] = "TOTALORDER" in total or dtypes[key][0] in "iu"
    line = f"%c = stablehlo.compare {direction}, %x{2 * key}, %x{2 * key + 1}{total} -> tensor<i1>"
    body = region([d for d in dtypes for _ in range(2)], line, returns=[("%c", "i1")])
    attributes = {"dimension": f"{dim} : i64", "is_stable": "true"}
    values = draw.op("stablehlo.sort", operands, [o.type for o in operands], attributes, [body])
    draw.result(*(values if count > 1 else [values]))


# --- matrices, transforms, statistics


@program("fft", share=2)
def fft(draw: Draw) -> None:
    kind = draw.pick(["FFT", "IFFT", "RFFT", "IRFFT"])
    part = draw.pick(["f32", "f64"])
    lengths = [draw.integer(1, 9 if i else 17) for i in range(draw.integer(1, 3))]
    batch = list(draw.shape(0, 1, 4))
    halved = [*lengths[:-1], lengths[-1] // 2 + 1]
    style = "plain" if draw.style == "edge" else draw.style
    if kind == "RFFT":
        a = draw.argument(part, batch + lengths, style=style)
        made = (f"complex<{part}>", batch + halved)
    elif kind == "IRFFT":
        a = draw.argument(f"complex<{part}>", batch + halved, style=style)
        made = (part, batch + lengths)
    else:
        a = draw.argument(f"complex<{part}>", batch + lengths, style=style)
        made = (a.dtype, a.shape)
    attributes = {
        "fft_type": f"#stablehlo<fft_type {kind}>",
        "fft_length": array(lengths),
    }
    draw.result(draw.op("stablehlo.fft", [a], [made], attributes))


def matrices(draw: Draw, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    values = draw.values(dtype, shape, "small")
    return values.astype(np.complex128 if "complex" in dtype else np.float64)


@program("cholesky")
def cholesky(draw: Draw) -> None:
    dtype = draw.pick(["f32", "f64", *COMPLEX])
    n = draw.integer(1, 6)
    batch = draw.shape(0, 2, 6)
    root = matrices(draw, dtype, (*batch, n, n))
    a = root @ np.conj(np.swapaxes(root, -1, -2)) + n * np.eye(n)
    value = draw.argument(dtype, a.shape, a)
    lower = draw.chance(0.5)
    draw.notes["lower"] = lower
    draw.result(draw.op("stablehlo.cholesky", [value], [value.type], {"lower": str(lower).lower()}))


@program("triangular_solve", share=1.5)
def triangular_solve(draw: Draw) -> None:
    dtype = draw.pick(["f32", "f64", *COMPLEX])
    n, m = draw.integer(1, 6), draw.integer(0, 4)
    batch = draw.shape(0, 2, 6)
    left, lower, unit = (draw.chance(0.5) for _ in range(3))
    a = matrices(draw, dtype, (*batch, n, n)) + 8 * np.eye(n)
    a = np.tril(a) if lower else np.triu(a)
    kinds = ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]
    operands = [
        draw.argument(dtype, a.shape, a / 8 if unit else a),
        draw.argument(dtype, (*batch, n, m) if left else (*batch, m, n), style="plain"),
    ]
    attributes = {
        "left_side": str(left).lower(),
        "lower": str(lower).lower(),
        "unit_diagonal": str(unit).lower(),
        "transpose_a": f"#stablehlo<transpose {draw.pick(kinds)}>",
    }
    draw.result(draw.op("stablehlo.triangular_solve", operands, [operands[1].type], attributes))


@program("batch_norm_inference", "batch_norm_training", "batch_norm_grad")
def batch_norm(draw: Draw) -> None:
    dtype = draw.pick(["f32", "f64", "f16", "bf16"])
    shape = [max(s, 1) for s in draw.shape(1, 4, 100)]
    feature = draw.integer(0, len(shape) - 1)
    channel = (shape[feature],)
    style = "plain" if draw.style == "edge" else draw.style
    positive = np.abs(draw.values("f32", channel, "plain")) + 0.5
    attributes = {
        "epsilon": f"{draw.pick(['1.0e-3', '1.0e-2', '0.5'])} : f32",
        "feature_index": f"{feature} : i64",
    }
    a = draw.argument(dtype, shape, style=style)
    scale = draw.argument(dtype, channel, style=style)
    if draw.name == "batch_norm_inference":
        operands = [
            a,
            scale,
            draw.argument(dtype, channel, style=style),
            draw.argument(dtype, channel, style=style),
        ]
        operands.append(draw.argument(dtype, channel, positive))
        draw.result(draw.op("stablehlo.batch_norm_inference", operands, [a.type], attributes))
        return
    if draw.name == "batch_norm_training":
        operands = [a, scale, draw.argument(dtype, channel, style=style)]
        made = [a.type, scale.type, scale.type]
    else:
        operands = [
            a,
            scale,
            draw.argument(dtype, channel, style=style),
            draw.argument(dtype, channel, positive),
        ]
        operands.append(draw.argument(dtype, shape, style=style))
        made = [a.type, scale.type, scale.type]
    draw.result(*draw.op(f"stablehlo.{draw.name}", operands, made, attributes))


@program("rng_bit_generator")
def rng_bit_generator(draw: Draw) -> None:
    algorithm = draw.pick(["THREE_FRY", "PHILOX"])
    words = 2 if algorithm == "THREE_FRY" else draw.integer(2, 3)
    dtype = draw.pick(["ui8", "ui16", "ui32", "ui64", *SIGNED])
    state = draw.argument("ui64", (words,), style=draw.pick(["plain", "edge"]))
    attributes = {"rng_algorithm": f"#stablehlo<rng_algorithm {algorithm}>"}
    draw.notes["algorithm"] = algorithm
    made = [state.type, (dtype, draw.shape())]
    draw.result(*draw.op("stablehlo.rng_bit_generator", [state], made, attributes))
