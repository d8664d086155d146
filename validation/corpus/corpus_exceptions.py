# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Proves that the listed files of the corpora expect values that no correct evaluation gives.

    python3 -m validation.corpus.corpus_exceptions --list reference/eval/corpus_exceptions.json

For each file one element is evaluated in rational or 60-digit decimal arithmetic and compared with the expected value
by the file's own check. Prints file, element, exact value, expected value and their distance. Exits with 0 if every
expected value fails its check, 1 if one holds, 77 (skipped) if the corpora are absent.
"""

import argparse
import json
import math
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction

from fixtures.corpora.folder import corpora_or_exit

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
Part = tuple[str, Decimal, float]  # position, exact, expected


def cos_sin(x: Decimal) -> tuple[Decimal, Decimal]:
    """By Taylor series after the argument is reduced to [-pi, pi]."""
    x = x - (x / (2 * PI)).to_integral_value() * 2 * PI
    parts = [Decimal(0), Decimal(0)]
    term, n = Decimal(1), 0
    while abs(term) > Decimal("1e-58"):
        parts[n % 2] += term * (-1 if n % 4 >= 2 else 1)
        n += 1
        term = term * x / n
    return parts[0], parts[1]


def atan2(y: Decimal, x: Decimal) -> Decimal:
    """Newton's method on the angle, from the double."""
    angle = Decimal(math.atan2(float(y), float(x)))
    r = (x * x + y * y).sqrt()
    for _ in range(4):
        c, s = cos_sin(angle)
        angle += (y * c - x * s) / r
    return angle


class Program:
    """The constants of a file, in order: (element type, shape, numbers)."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.constants: list[tuple[str, list[int], list[float]]] = []
        for value, kind in re.findall(r'stablehlo\.constant dense<("0x[0-9A-F]*"|[^>]*)> : tensor<([^ ]*)>', self.text):
            if not value.startswith('"'):
                continue
            *shape, element = re.split(r"x(?=\d|f|c)", kind, flags=0)
            raw = bytes.fromhex(value[3:-1])
            code = "d" if "f64" in element else "f"
            size = 8 if code == "d" else 4
            numbers = [n for (n,) in struct.iter_unpack("<" + code, raw[: len(raw) // size * size])]
            self.constants.append((element, [int(d) for d in shape], numbers))

    def check(self) -> str:
        return re.findall(r"@check\.(\w+)", self.text)[0]

    def is_double(self) -> bool:
        return "f64" in self.constants[0][0]


def bits(value: float, double: bool) -> int:
    return (
        struct.unpack("<Q", struct.pack("<d", abs(value)))[0]
        if double
        else int.from_bytes(struct.pack("<f", abs(value)), "little")
    )


def nearest(exact: Decimal, double: bool) -> float:
    wide = float(exact)
    return wide if double else float(struct.unpack("<f", struct.pack("<f", wide))[0])


def distance(exact: Decimal, expected: float, double: bool) -> int:
    right = nearest(exact, double)
    if (right < 0) != (expected < 0):
        return bits(right, double) + bits(expected, double)
    return abs(bits(right, double) - bits(expected, double))


def fails(program: Program, exact: Decimal, expected: float) -> bool:
    """Whether the correctly rounded result, which is nearer to the exact one than the expected value, fails the
    check."""
    double = program.is_double()
    if program.check() == "expect_close":
        return distance(exact, expected, double) > 3
    right = nearest(exact, double)
    return abs(right - expected) > 1e-3 and abs(exact - Decimal(expected)) > abs(exact - Decimal(right))


def hyperbolic(sign: int) -> Callable[[Program], Iterator[Part]]:
    def parts(program: Program) -> Iterator[Part]:
        inputs, expected = program.constants[0][2], program.constants[1][2]
        for i, (x, want) in enumerate(zip(inputs, expected)):
            yield f"[{i // 20},{i % 20}]", (Decimal(x).exp() + sign * (-Decimal(x)).exp()) / 2, want

    return parts


def sine(program: Program) -> Iterator[Part]:
    inputs, expected = program.constants[0][2], program.constants[1][2]
    for i in range(0, len(inputs), 2):
        c, s = cos_sin(Decimal(inputs[i]))
        up, down = Decimal(inputs[i + 1]).exp(), (-Decimal(inputs[i + 1])).exp()
        where = f"[{i // 40},{i // 2 % 20}]"
        yield where + " real", s * (up + down) / 2, expected[i]
        yield where + " imaginary", c * (up - down) / 2, expected[i + 1]


def power(program: Program) -> Iterator[Part]:
    bases, exponents, expected = (c[2] for c in program.constants[:3])
    for i in range(0, len(bases), 2):
        x, y = Decimal(bases[i]), Decimal(bases[i + 1])
        u, v = Decimal(exponents[i]), Decimal(exponents[i + 1])
        log_r, angle = (x * x + y * y).ln() / 2, atan2(y, x)
        r = (u * log_r - v * angle).exp()
        c, s = cos_sin(v * log_r + u * angle)
        where = f"[{i // 60},{i // 2 % 30}]"
        yield where + " real", r * c, expected[i]
        yield where + " imaginary", r * s, expected[i + 1]


def forward_fft(program: Program) -> Iterator[Part]:
    """RFFT of length 17 along the last dimension."""
    inputs, expected = program.constants[0][2], program.constants[1][2]
    table = [cos_sin(2 * PI * k / 17) for k in range(17)]
    for row in range(len(inputs) // 17):
        x = [Decimal(v) for v in inputs[17 * row : 17 * row + 17]]
        for k in range(9):
            at = 2 * (9 * row + k)
            yield f"row {row} [{k}] real", sum(v * table[k * n % 17][0] for n, v in enumerate(x)), expected[at]
            if k > 0:
                yield f"row {row} [{k}] imag", -sum(v * table[k * n % 17][1] for n, v in enumerate(x)), expected[at + 1]


def inverse_fft(program: Program) -> Iterator[Part]:
    """IRFFT of length 33 along the last dimension, of 17 complex numbers."""
    inputs, expected = program.constants[0][2], program.constants[1][2]
    table = [cos_sin(2 * PI * k / 33) for k in range(33)]
    for row in range(len(inputs) // 34):
        x = [(Decimal(inputs[34 * row + 2 * k]), Decimal(inputs[34 * row + 2 * k + 1])) for k in range(17)]
        for n in range(33):
            pairs = sum(re * table[k * n % 33][0] - im * table[k * n % 33][1] for k, (re, im) in enumerate(x) if k > 0)
            yield f"row {row} [{n}]", (x[0][0] + 2 * pairs) / 33, expected[33 * row + n]


def solve(program: Program) -> Iterator[Part]:
    """x a = b with an upper triangular a, for each row of b."""
    a, b, expected = (c[2] for c in program.constants[:3])
    for batch in range(2):
        for row in range(10):
            x: list[Fraction] = []
            for j in range(8):
                rest = Fraction(b[80 * batch + 8 * row + j])
                rest -= sum((x[i] * Fraction(a[64 * batch + 8 * i + j]) for i in range(j)), Fraction(0))
                x.append(rest / Fraction(a[64 * batch + 8 * j + j]))
                exact = Decimal(x[j].numerator) / Decimal(x[j].denominator)
                yield f"[{batch},{row},{j}]", exact, expected[80 * batch + 8 * row + j]


PROOFS: dict[str, Callable[[Program], Iterator[Part]]] = {
    "cosh_float32_20_20_chlo.mlir": hyperbolic(1),
    "fft_complex128_14_15_16_17.mlir": inverse_fft,
    "fft_float32_14_15_16_17.mlir": forward_fft,
    "fft_float64_14_15_16_17.mlir": forward_fft,
    "pow_complex64_20_30_complex64_20_30.mlir": power,
    "sin_complex64_20_20.mlir": sine,
    "sinh_float32_20_20_chlo.mlir": hyperbolic(-1),
    "triangular_solve_float32_2_8_8_float32_2_10_8.mlir": solve,
}


def prove(folder: str, name: str) -> str | None:
    """One line of proof, or None if the expected values hold."""
    program = Program(os.path.join(folder, name))
    if name == "sort_float32_5.mlir":
        expected = re.findall(r"func.func private @expected.*?dense<\[(.*?)\]", program.text, re.DOTALL)[0]
        if program.check() == "expect_eq" and "0x7FC00000" in expected:
            return f"{name}: expects equality with NaN, which equals nothing"
        return None
    for where, exact, expected in PROOFS[name](program):
        if fails(program, exact, expected):
            away = distance(exact, expected, program.is_double())
            found = f"{name}: {where} is exactly {exact:.12g}, expected {expected:.12g}"
            return f"{found}, {away} ULP away ({program.check()})"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", required=True, help="JSON object: file -> reason")
    arguments = parser.parse_args()
    folder = str(corpora_or_exit("corpora/stablehlo/testdata"))
    with open(arguments.list, encoding="utf-8") as file:
        names = sorted(json.load(file))
    unproven = 0
    for name in names:
        line = prove(folder, name)
        unproven += line is None
        print(line or f"{name}: the expected values hold: no exception", flush=True)
    print(f"exceptions: {len(names) - unproven} proven, {unproven} not")
    return 1 if unproven else 0


if __name__ == "__main__":
    sys.exit(main())
