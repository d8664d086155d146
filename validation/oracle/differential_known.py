# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Known differences between right evaluators, each with its rule and its reason.

A rule says which elements it explains; a difference is explained if every element beyond its bound is covered by some
rule.
"""

import dataclasses
import re
from collections.abc import Callable

import ml_dtypes
import numpy as np

from validation.oracle.differential_draw import NARROW, NUMPY, WIDTH, Instance, parse_type


@dataclasses.dataclass(frozen=True)
class Difference:
    """One output of one oracle that the reference's comparison did not accept."""

    instance: Instance
    oracle: str
    output: int
    dtype: str
    got: np.ndarray
    expected: np.ndarray
    bound: np.ndarray
    exact: bool  # no bound at all: even the sign of zero counts


@dataclasses.dataclass(frozen=True)
class Rule:
    """`covers` returns the explained elements; `reason` cites the specification if it leaves room."""

    name: str
    oracles: str
    ops: tuple[str, ...]  # empty: all
    reason: str
    covers: Callable[[Difference], np.ndarray]


# Ops whose result element depends on operand elements elsewhere.
GATHERING = [
    "dot",
    "dot_general",
    "einsum",
    "convolution",
    "reduce",
    "reduce_window",
    "select_and_scatter",
    "scatter",
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "fft",
    "cholesky",
    "triangular_solve",
    "sort",
]
COMPLEX_SPECIAL = 1e15


def info(dtype: str) -> ml_dtypes.finfo | None:
    part = {"complex<f32>": "f32", "complex<f64>": "f64"}.get(dtype, dtype)
    return None if part[0] in "iu" else ml_dtypes.finfo(NUMPY[part])


def components(values: np.ndarray) -> list[np.ndarray]:
    values = wide(values)
    return [values.real, values.imag] if values.dtype.kind == "c" else [values]


def subnormal(values: np.ndarray, limit: float) -> np.ndarray:
    """Elements with a part that is not zero and below `limit`."""
    return np.any([(p != 0) & (np.abs(p) < limit) for p in components(values)], axis=0)


def operands(d: Difference, test: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The elements of which an operand passes the test; for scalars and ops that gather, any operand element counts."""
    out = np.zeros(d.got.shape, bool)
    for data in d.instance.inputs:
        if wide(data).dtype.kind not in "fc":
            continue
        found = test(data)
        same = data.shape == d.got.shape and d.instance.op not in GATHERING
        if not same and data.size > 1 and d.instance.op.startswith("chlo.broadcast"):
            try:
                found, same = np.broadcast_to(found, d.got.shape), True
            except ValueError:
                same = False
        out |= found if same else np.any(found)
    return out


def flushed(d: Difference) -> np.ndarray:
    """Subnormal operands or results, of any type in which XLA may compute."""
    limits = [float(info(t).smallest_normal) for t in ("f32", "f64")]
    own = info(d.dtype)
    if own is None:
        return operands(d, lambda v: subnormal(v, limits[1] if v.dtype == np.float64 else limits[0]))
    limit = float(own.smallest_normal)
    limit = max(
        limit,
        limits[1] if ("64" in d.dtype and d.dtype != "complex<f32>") or d.dtype == "f64" else limits[0],
    )
    small = np.any([np.abs(p) <= 2 * limit for p in components(d.expected)], axis=0)
    return small | operands(
        d,
        lambda v: subnormal(v, limits[1] if v.dtype in (np.float64, np.complex128) else limits[0]),
    )


def everywhere(d: Difference) -> np.ndarray:
    return np.ones(d.got.shape, bool)


def where(
    condition: Callable[[Difference], bool],
) -> Callable[[Difference], np.ndarray]:
    """All elements of the programs that meet the condition."""
    return lambda d: np.full(d.got.shape, bool(condition(d)))


def special_complex(d: Difference) -> np.ndarray:
    if not d.dtype.startswith("complex") and d.instance.op != "abs":
        return np.zeros(d.got.shape, bool)

    def extreme(values: np.ndarray) -> np.ndarray:
        return np.any([~np.isfinite(p) | (np.abs(p) > COMPLEX_SPECIAL) for p in components(values)], axis=0)

    return operands(d, extreme) | extreme(d.expected)


def complex_within(d: Difference, room: float) -> np.ndarray:
    """Errors of a complex result of at most `room` roundings of one, or of its modulus."""
    if not d.dtype.startswith("complex") or d.instance.op in GATHERING:
        return np.zeros(d.got.shape, bool)
    scale = np.maximum(np.abs(wide(d.expected)), 1)
    with np.errstate(invalid="ignore"):
        apart = np.abs(wide(d.got) - wide(d.expected))
    return apart <= room * float(info(d.dtype).eps) * scale


def within(d: Difference, room: np.ndarray | float) -> np.ndarray:
    """Errors of at most `room` units of roundoff relative to the reference."""
    got, want = wide(d.got), wide(d.expected)
    with np.errstate(invalid="ignore"):
        return np.abs(got - want) <= room * 0.5 * float(info(d.dtype).eps) * np.abs(want)


def within_sums(d: Difference, unit: float) -> np.ndarray:
    """Errors that sums of the operands' products may have if they are rounded to `unit`."""
    a, b = (np.abs(wide(data)) for data in d.instance.inputs[:2])
    return np.abs(wide(d.got) - wide(d.expected)) <= a.size * unit * a.max(initial=0) * b.max(initial=0)


def kind_of_first(d: Difference) -> str:
    """The dtype of the first operand."""
    return parse_type(d.instance.input_types[0])[0]


def unrepresentable(d: Difference) -> np.ndarray:
    """Operands of a conversion beyond an integer type, or beyond a float type with neither infinity nor NaN."""
    source = d.instance.inputs[0]
    if d.dtype != "i1" and d.dtype[0] in "iu" and wide(source).dtype.kind in "fc":
        value = np.trunc(components(source)[0])
        width = WIDTH[d.dtype]
        low, high = (0.0, 2.0**width) if d.dtype[0] == "u" else (-(2.0 ** (width - 1)), 2.0 ** (width - 1))
        return ~((value >= low) & (value < high))
    if d.dtype in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):
        return ~(np.abs(components(source)[0]) <= float(info(d.dtype).max))
    return np.zeros(d.got.shape, bool)


def saturated(d: Difference) -> np.ndarray:
    """Elements whose expected value is the largest number of a format of f6 and f4, which have no infinities."""
    if d.dtype not in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN"):
        return np.zeros(d.got.shape, bool)
    return np.abs(wide(d.expected)) == float(info(d.dtype).max)


def overflowed_in_bits(d: Difference) -> np.ndarray:
    """Elements where the largest number, or NaN of f8E4M3FN, is expected, and the number with only the largest
    exponent was returned."""
    if d.dtype == "f8E4M3FN":
        return np.isnan(wide(d.expected)) & (np.abs(wide(d.got)) == 256)
    exponent = 2.0 ** np.floor(np.log2(np.abs(wide(d.expected)), where=saturated(d), out=np.zeros(d.got.shape)))
    return saturated(d) & (wide(d.got) == np.sign(wide(d.expected)) * exponent)


RULES: tuple[Rule, ...] = (
    Rule(
        "XLA flushes subnormals",
        "xla",
        (),
        "XLA CPU runs its kernels with denormals-are-zero and flush-to-zero; the specification does not speak of it",
        flushed,
    ),
    Rule(
        "the initial value is not the identity",
        "xla xla_f64",
        ("reduce", "reduce_window"),
        "spec, reduce: the implementation may use init_values any number of times; XLA once or never",
        where(lambda d: d.instance.notes.get("monoid") is False),
    ),
    Rule(
        "eval_module uses the initial value twice",
        "eval_module",
        ("select_and_scatter",),
        "spec, select_and_scatter: reduce(source_values, init_value); any number of init values is allowed there",
        where(lambda d: d.instance.notes.get("monoid") is False),
    ),
    Rule(
        "XLA drops a window that crosses the edge",
        "xla",
        ("scatter",),
        "spec, scatter: each element is tested by itself; XLA tests the window as a whole",
        where(lambda d: bool(d.instance.notes.get("across"))),
    ),
    Rule(
        "XLA spreads updates without an index over the operand",
        "xla xla_f64",
        ("scatter",),
        "spec, scatter: all of them go to index 0 of an inserted dimension; eval_module agrees",
        where(lambda d: not re.search(r"scatter_dims_to_operand_dims = \[\d", d.instance.text)),
    ),
    Rule(
        "XLA's integer power",
        "xla",
        ("power",),
        "spec, power: integer exponentiation; negative exponents have no integer result, and XLA uses the low six bits",
        where(lambda d: d.dtype[0] in "iu"),
    ),
    Rule(
        "eval_module multiplies in the operands' type",
        "eval_module",
        ("convolution", "dynamic_conv"),
        "spec, dot_general: the sum is in the result's type; the product's type is not prescribed",
        where(lambda d: d.instance.inputs[0].dtype != d.got.dtype),
    ),
    Rule(
        "eval_module's IRFFT of an odd length",
        "eval_module",
        ("fft",),
        "NumPy and XLA agree with the reference",
        where(lambda d: d.dtype in ("f32", "f64") and d.instance.results[0][1][-1] % 2 == 1),
    ),
    Rule(
        "eval_module rounds every partial sum",
        "eval_module",
        ("dot_general", "convolution", "dynamic_conv", "several"),
        "spec, dot_general: the type of the partial sums is not prescribed; n roundings to the operands' type",
        lambda d: (
            np.abs(wide(d.got) - wide(d.expected)) <= d.bound * 0.5 * 2**24 * float(info(d.dtype).eps)
            if d.dtype in ("f16", "bf16") and (d.instance.op != "several" or "dot_general" in d.instance.text)
            else np.full(d.got.shape, d.dtype in NARROW)
        ),
    ),
    Rule(
        "neither accumulates in f64 because an algorithm says so",
        "eval_module xla",
        ("dot_general",),
        "spec, dot_general: accumulation_type f64 of f32 operands; both sum in f32",
        lambda d: (
            within_sums(d, float(info("f32").eps)) & np.full(d.got.shape, "accumulation_type = f64" in d.instance.text)
        ),
    ),
    Rule(
        "XLA combines in the operand's type",
        "xla",
        ("scatter",),
        "spec, scatter: the body may be of a wider type than the operand, and so is the result",
        where(lambda d: kind_of_first(d) != d.dtype),
    ),
    Rule(
        "XLA's functions of f8E8M0FNU",
        "xla",
        tuple(f"chlo.{name}" for name in ("acos", "acosh", "asin", "asinh", "atanh", "sinh", "square")),
        "formulas by way of zero and negative numbers, which the format has not; the result is a number",
        lambda d: np.full(d.got.shape, d.dtype == "f8E8M0FNU") & np.isnan(wide(d.got)),
    ),
    Rule(
        "eval_module's direct transform",
        "eval_module",
        ("fft",),
        "a sum of n products instead of log2(n) levels: errors grow with n",
        lambda d: np.abs(wide(d.got) - wide(d.expected)) <= d.bound * 8 * np.prod(d.got.shape),
    ),
    Rule(
        "eval_module ignores TOTALORDER in sort",
        "eval_module",
        ("sort",),
        "spec, compare: TOTALORDER puts -0 before +0 and orders NaN; openxla/stablehlo issue 2497",
        where(lambda d: any(unordered(data) for data in d.instance.inputs)),
    ),
    Rule(
        "eval_module ignores TOTALORDER in compare",
        "eval_module",
        ("compare",),
        "the same; XLA agrees with the reference",
        lambda d: (
            operands(d, lambda v: np.isnan(wide(v)) | (wide(v) == 0))
            & np.full(d.got.shape, "TOTALORDER" in d.instance.text)
        ),
    ),
    Rule(
        "eval_module drops the sign of what becomes f8E8M0FNU",
        "eval_module",
        ("convert",),
        "the format has no sign; XLA and the reference give NaN",
        lambda d: (
            np.signbit(components(d.instance.inputs[0])[0]) & np.full(d.got.shape, d.dtype == "f8E8M0FNU")
            if wide(d.instance.inputs[0]).dtype.kind in "fc"
            else (wide(d.instance.inputs[0]) < 0) & np.full(d.got.shape, d.dtype == "f8E8M0FNU")
        ),
    ),
    Rule(
        "eval_module computes log(1 + z) and exp(z) - 1 of complex numbers as written",
        "eval_module",
        ("log_plus_one", "exponential_minus_one"),
        "in f64: 2^-53 next to 1, and -0 + 0 on the other side of the cut; XLA agrees with the reference",
        lambda d: (
            np.full(d.got.shape, d.dtype.startswith("complex"))
            & (
                (np.abs(wide(d.got) - wide(d.expected)) <= 4 * float(info("f64").eps))
                | (
                    (np.abs(wide(d.got) - np.conj(wide(d.expected))) <= 4 * float(info("f64").eps))
                    & operands(d, lambda v: components(v)[-1] == 0)
                )
            )
        ),
    ),
    Rule(
        "eval_module rounds f8E3M4 to NaN",
        "eval_module",
        ("floor", "ceil", "round_nearest_afz", "round_nearest_even"),
        "numbers such as -1 come out as NaN; XLA agrees with the reference",
        where(lambda d: d.dtype == "f8E3M4"),
    ),
    Rule(
        "conversion of what the type cannot represent",
        "eval_module xla",
        ("convert",),
        "spec, convert: the behavior is TBD; the reference saturates integers, and floats without infinity and NaN",
        unrepresentable,
    ),
    Rule(
        "XLA does not multiply what lies in the padding",
        "xla",
        ("convolution",),
        "spec, convolution: zeros of the padding are factors too, and zero times infinity or NaN is NaN; "
        "eval_module agrees",
        lambda d: np.isnan(wide(d.expected)) & bool((~np.isfinite(wide(d.instance.inputs[1]))).any()),
    ),
    Rule(
        "XLA lets a NaN of one batch group into another",
        "xla",
        ("convolution",),
        "where the stride is above 1, as if every batch met every group; eval_module agrees with the reference",
        lambda d: (
            np.isnan(wide(d.got))
            & ("batch_group_count = 1" not in d.instance.text)
            & ~np.isfinite(wide(d.instance.inputs[1])).all()
        ),
    ),
    Rule(
        "the payload of a NaN",
        "eval_module xla",
        ("bitcast_convert",),
        "the reference holds one NaN of each sign; IEEE-754 leaves the payload to the operation",
        where(lambda d: bool(np.any([np.isnan(p) for p in components(d.instance.inputs[0])]))),
    ),
    Rule(
        "a comparator without an order",
        "eval_module xla",
        ("sort",),
        "spec, sort: comparator must be a strict weak order, which < is not where there is a NaN",
        where(lambda d: not d.instance.notes["total"] and any(unordered(v) for v in d.instance.inputs)),
    ),
    Rule(
        "XLA's integers of 2 and 4 bits",
        "xla",
        ("sort", "popcnt", "chlo.mulhi"),
        "held in bytes: the sign is counted or compared with them; eval_module agrees with the reference",
        where(lambda d: any(v.dtype.name in ("int2", "int4", "uint2", "uint4") for v in d.instance.inputs)),
    ),
    Rule(
        "eval_module's logistic in formats without infinity",
        "eval_module",
        ("logistic",),
        "1 / (1 + exp(-x)), where exp(-x) overflows to NaN although the result is small",
        lambda d: np.full(d.got.shape, d.dtype.startswith("f8")) & np.isnan(wide(d.got)),
    ),
    Rule(
        "eval_module's logistic in formats with an infinity",
        "eval_module",
        ("logistic",),
        "1 / (1 + exp(-x)), where the sum overflows although the result is a number: zero comes",
        lambda d: (
            operands(d, lambda v: 1 + np.exp(-wide(v)) > float(info(d.dtype).max))
            & np.full(d.got.shape, d.dtype.startswith("f8"))
            & (wide(d.got) == 0)
        ),
    ),
    Rule(
        "eval_module has no NaN of f8E8M0FNU",
        "eval_module",
        (),
        "neither of an operand nor for a negative result: an end of the range comes; XLA agrees with the reference",
        lambda d: (
            np.isnan(wide(d.expected))
            & (
                np.full(d.got.shape, d.dtype == "f8E8M0FNU")
                | operands(d, lambda v: np.isnan(wide(v)) & (v.dtype == NUMPY["f8E8M0FNU"]))
            )
            if wide(d.expected).dtype.kind == "f"
            else np.zeros(d.got.shape, bool)
        ),
    ),
    Rule(
        "eval_module overflows to the bits of an infinity where the format has none",
        "eval_module",
        ("reduce_precision",),
        "an exponent of ones and no mantissa, which is a number of f8E4M3FN, f6 and f4; XLA, where it has the type, "
        "and the reference give NaN or the largest",
        overflowed_in_bits,
    ),
    Rule(
        "eval_module's reduce_precision in formats without a negative zero",
        "eval_module",
        ("reduce_precision",),
        "by the bits of IEEE's formats: another bias, an infinity, and -0, which is NaN here; XLA agrees",
        where(lambda d: d.dtype.endswith("FNUZ")),
    ),
    Rule(
        "eval_module's reduce_precision of f8E8M0FNU",
        "eval_module",
        ("reduce_precision",),
        "the first bit is taken for a sign: 1 comes of what is up to 1, 2 of what is above; XLA agrees",
        lambda d: np.full(d.got.shape, d.dtype == "f8E8M0FNU") & np.isin(wide(d.got), (1, 2)),
    ),
    Rule(
        "eval_module makes zero of an infinity where the format has none",
        "eval_module",
        ("divide", "log", "log_plus_one", "power", "rsqrt"),
        "f6 and f4, which saturate what is finite; the reference gives the largest number",
        lambda d: saturated(d) & (wide(d.got) == 0),
    ),
    Rule(
        "eval_module rounds f6 to zero",
        "eval_module",
        ("ceil", "floor", "round_nearest_afz", "round_nearest_even"),
        "-1.875 becomes -0, as -1 of f8E3M4 becomes NaN; XLA does not compute with the type",
        lambda d: np.full(d.got.shape, d.dtype.startswith("f6")) & (wide(d.got) == 0),
    ),
    Rule(
        "XLA takes the first bit of f8E8M0FNU for a sign",
        "xla",
        ("chlo.next_after", "chlo.broadcast_next_after"),
        "the format has none; docs/findings.md",
        where(lambda d: d.dtype == "f8E8M0FNU"),
    ),
    Rule(
        "XLA's acosh in f16 without optimisation",
        "xla",
        ("chlo.acosh",),
        "each step is rounded to f16; as XLA compiles it by itself all numbers of f16 are within 2 ULP",
        lambda d: within(d, 8) & np.full(d.got.shape, d.dtype == "f16"),
    ),
    Rule(
        "XLA takes numbers of f4E2M1FN for an infinity",
        "xla",
        ("chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf"),
        "the format has none: the largest one with optimisation (docs/findings.md), zeros without",
        where(lambda d: kind_of_first(d) == "f4E2M1FN"),
    ),
    Rule(
        "XLA takes the other side of a branch cut",
        "xla",
        tuple(f"chlo.{name}" for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")),
        "the sign of a zero part tells the side (Kahan); XLA's formulas lose it",
        lambda d: (
            operands(d, lambda v: np.any([p == 0 for p in components(v)], axis=0))
            & np.full(d.got.shape, d.dtype.startswith("complex"))
        ),
    ),
    Rule(
        "XLA's atanh in f64",
        "xla",
        ("chlo.atanh",),
        "half the difference of two logarithms; beyond the 5 ULP of OpenCL",
        lambda d: within(d, 256),
    ),
    Rule(
        "XLA's complex atanh at its poles",
        "xla",
        ("chlo.atanh",),
        "1 - z underflows and is divided by; the result is finite",
        lambda d: (
            operands(d, lambda v: np.abs(components(v)[0]) == 1)
            & np.full(d.got.shape, d.dtype.startswith("complex"))
            & np.isinf(components(d.got)[0])
        ),
    ),
    Rule(
        "XLA's exponential_minus_one in f32",
        "xla",
        ("exponential_minus_one",),
        "up to 5.4 ULP for arguments from -1/2 to 1/2; beyond the 3 ULP of OpenCL",
        lambda d: (
            within(d, 12) & operands(d, lambda v: np.full(v.shape, v.dtype == np.float32) & (np.abs(wide(v)) <= 0.5))
        ),
    ),
    Rule(
        "XLA's log_plus_one in f64",
        "xla",
        ("log_plus_one",),
        "beyond the 2 ULP of OpenCL for arguments below -1/4",
        lambda d: within(d, 512) & operands(d, lambda v: np.full(v.shape, v.dtype == np.float64) & (wide(v) < -0.25)),
    ),
    Rule(
        "complex functions of infinities, NaN and extremes",
        "xla eval_module",
        (),
        "spec: complex functions are those of IEEE-754 by name only; their special values are not prescribed",
        special_complex,
    ),
    Rule(
        "XLA loses tiny parts of complex functions",
        "xla",
        (),
        "formulas with absolute errors: exp(y) - exp(-y) for sinh(y), 1 + x for log1p(x), and the like",
        lambda d: complex_within(d, 64),
    ),
    Rule(
        "XLA computes sinh and cosh as exp(x - log 2)",
        "xla",
        ("chlo.sinh", "chlo.cosh"),
        "the rounding of the argument grows with |x|; beyond the 4 ULP of OpenCL",
        lambda d: within(d, 8 + 2 * np.arcsinh(np.abs(wide(d.expected)))),
    ),
    Rule(
        "XLA computes cbrt as a power",
        "xla",
        ("cbrt",),
        "the rounding of the logarithm grows with the exponent; beyond the 2 ULP of OpenCL",
        lambda d: within(d, 512),
    ),
    Rule(
        "poles and other sides of special functions",
        "xla",
        ("chlo.digamma", "chlo.lgamma", "chlo.polygamma", "chlo.zeta"),
        "chlo.md defines them by name; conventions at poles and for arguments below zero differ",
        lambda d: outside_domain(d),  # noqa: PLW0108 defined below
    ),
)


def unordered(data: np.ndarray) -> bool:
    """Whether `<` gives no total order for the floats: NaN, or zeros of both signs."""
    values = wide(data)
    if values.dtype.kind != "f":
        return False
    zeros = np.signbit(values[values == 0])
    return bool(np.isnan(values).any() or zeros.any() != zeros.all())


def outside_domain(d: Difference) -> np.ndarray:
    last = wide(d.instance.inputs[-1])
    out = ~(last > 0) | ~np.isfinite(last)
    # Series that are cut off at an absolute error, or products of a power that underflows.
    with np.errstate(invalid="ignore"):
        out |= np.abs(wide(d.got) - wide(d.expected)) < 1e-30
    # x to the power of -s in f32, which underflows before it is multiplied; polygamma of n takes s = n + 1.
    order = wide(d.instance.inputs[0]) + (d.instance.op == "chlo.polygamma")
    if d.instance.op in ("chlo.polygamma", "chlo.zeta"):
        with np.errstate(all="ignore"):
            out |= (np.abs(last) ** -order < float(info("f32").smallest_normal)) & (wide(d.got) == 0)
    if d.instance.op == "chlo.zeta":
        first = wide(d.instance.inputs[0])
        out |= ~(first > 1) | (first > 100)
    return out


def beyond(d: Difference) -> np.ndarray:
    """The elements that the comparison refuses."""
    got, want = wide(d.got), wide(d.expected)
    if got.dtype.kind == "c":
        pairs = [(got.real, want.real), (got.imag, want.imag)]
    else:
        pairs = [(got, want)]
    out = np.zeros(d.got.shape, bool)
    for g, w in pairs:
        if g.dtype.kind in "iub":
            out |= (g != w) & ~(np.abs(g.astype(float) - w.astype(float)) <= d.bound)
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            close = (g == w) | (np.abs(g - w) <= d.bound) | (np.isnan(g) & np.isnan(w))
        if d.exact:
            close &= (g != 0) | (w != 0) | (np.signbit(g) == np.signbit(w))
        out |= ~(close | (d.bound == np.inf))
    return out


def wide(values: np.ndarray) -> np.ndarray:
    """The values in a type with NumPy's arithmetic that holds every value."""
    if values.dtype.kind == "c":
        with np.errstate(invalid="ignore"):
            return values.astype(np.complex128)
    if values.dtype.kind in "iub":
        return values
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64)


def explain(d: Difference) -> tuple[set[str], str | None]:
    """Names of the rules that explain `d`, and the first element that no rule explains."""
    left = beyond(d)
    used: set[str] = set()
    for rule in RULES:
        if d.oracle not in rule.oracles.split() or (rule.ops and d.instance.op not in rule.ops):
            continue
        covered = left & np.broadcast_to(rule.covers(d), left.shape)
        if covered.any():
            used.add(rule.name)
            left &= ~covered
    if not left.any():
        return (
            used,
            None if used else "refused by the comparison, but no element differs",
        )
    at = tuple(int(i) for i in np.argwhere(left)[0])
    return used, (
        f"output {d.output}{list(at)} of {d.dtype}: got {d.got[at]!r}, the reference says {d.expected[at]!r}"
        f" within {d.bound[at]:.3g}; {int(left.sum())} of {left.size} elements"
    )
