// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// fft of any length: radix two for powers of two, else Bluestein's algorithm. Roots of unity are computed in extended
// precision.
#include <cmath>
#include <numbers>

#include "ir/stablehlo/stablehlo.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

std::vector<Complex> Roots(int64_t n, int sign) {
  std::vector<Complex> roots(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n;
    roots[static_cast<size_t>(k)] = {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }
  return roots;
}

// Transforms in place; n must be a power of two. The sign is -1 for the forward and +1 for the unscaled inverse
// transform.
void RadixTwo(std::vector<Complex>& x, int sign) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  const std::vector<Complex> roots = Roots(static_cast<int64_t>(n), sign);
  for (size_t length = 2; length <= n; length *= 2) {
    const size_t step = n / length;
    for (size_t i = 0; i < n; i += length) {
      for (size_t k = 0; k < length / 2; ++k) {
        const Complex u = x[i + k];
        const Complex w = roots[k * step];
        const Complex t = x[i + k + length / 2];
        const Complex v = {t.real() * w.real() - t.imag() * w.imag(), t.real() * w.imag() + t.imag() * w.real()};
        x[i + k] = u + v;
        x[i + k + length / 2] = u - v;
      }
    }
  }
}

void Transform(std::vector<Complex>& x, int sign) {
  const auto n = static_cast<int64_t>(x.size());
  if (n <= 1) return;
  if ((n & (n - 1)) == 0) return RadixTwo(x, sign);
  if (n <= 256) {
    const std::vector<Complex> roots = Roots(n, sign);
    std::vector<Complex> out(x.size());
    for (int64_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += x[static_cast<size_t>(j)] * roots[static_cast<size_t>(j * k % n)];
      out[static_cast<size_t>(k)] = sum;
    }
    x = std::move(out);
    return;
  }
  // Bluestein's algorithm: a chirp turns the transform into a convolution whose length is a power of two.
  int64_t m = 1;
  while (m < 2 * n + 1) m *= 2;
  const std::vector<Complex> roots = Roots(2 * n, sign);
  std::vector<Complex> a(static_cast<size_t>(m));
  std::vector<Complex> b(static_cast<size_t>(m));
  const auto chirp = [&](int64_t k) {
    return roots[static_cast<size_t>(static_cast<int64_t>(static_cast<__int128>(k) * k % (__int128{2} * n)))];
  };
  for (int64_t k = 0; k < n; ++k) {
    a[static_cast<size_t>(k)] = x[static_cast<size_t>(k)] * chirp(k);
    b[static_cast<size_t>(k)] = std::conj(chirp(k));
    if (k > 0) b[static_cast<size_t>(m - k)] = std::conj(chirp(k));
  }
  RadixTwo(a, -1);
  RadixTwo(b, -1);
  for (size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  RadixTwo(a, 1);
  for (int64_t k = 0; k < n; ++k) {
    x[static_cast<size_t>(k)] = a[static_cast<size_t>(k)] / static_cast<double>(m) * chirp(k);
  }
}

// Transforms every line along `dimension`.
void TransformAlong(std::vector<Complex>& values, const Shape& shape, size_t dimension, int sign) {
  const int64_t n = shape[dimension];
  const int64_t stride = StridesOf(shape)[dimension];
  if (n == 0) return;
  const auto lines = static_cast<int64_t>(values.size()) / n;
  std::vector<Complex> line(static_cast<size_t>(n));
  for (int64_t l = 0; l < lines; ++l) {
    const int64_t base = l / stride * stride * n + l % stride;
    for (int64_t i = 0; i < n; ++i) line[static_cast<size_t>(i)] = values[static_cast<size_t>(base + i * stride)];
    Transform(line, sign);
    for (int64_t i = 0; i < n; ++i) {
      Complex v = line[static_cast<size_t>(i)];
      if (sign > 0) v /= static_cast<double>(n);
      values[static_cast<size_t>(base + i * stride)] = v;
    }
  }
}

Expected<Values> Fft(OpContext& context) {
  const Tensor& x = context.in(0);
  const std::vector<int64_t> length = context.Ints("fft_length");
  const auto kind = context.op->getAttrOfType<stablehlo::FftTypeAttr>("fft_type").getValue();
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const size_t rank = x.shape().size();
  const size_t first = rank - length.size();
  const bool inverse = kind == stablehlo::FftType::IFFT || kind == stablehlo::FftType::IRFFT;
  const int sign = inverse ? 1 : -1;
  std::vector<Complex> values(static_cast<size_t>(x.size()));
  WithStorage(x.kind(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
      std::ranges::copy(x.data<T>(), values.begin());
    }
  });
  Shape shape = x.shape();

  if (kind == stablehlo::FftType::IRFFT) {
    // Transforms all but the last dimension, then completes the half spectrum by symmetry.
    for (size_t d = first; d + 1 < rank; ++d) TransformAlong(values, shape, d, sign);
    const int64_t n = length.back();
    const int64_t have = shape.back();
    const int64_t lines = have == 0 ? 0 : static_cast<int64_t>(values.size()) / have;
    std::vector<Complex> full(static_cast<size_t>(lines * n));
    for (int64_t l = 0; l < lines; ++l) {
      for (int64_t k = 0; k < n; ++k) {
        const Complex v = k < have ? values[static_cast<size_t>(l * have + k)]
                                   : std::conj(values[static_cast<size_t>(l * have + n - k)]);
        // The transform of a real signal is real at 0 and at n/2.
        full[static_cast<size_t>(l * n + k)] = k == 0 || 2 * k == n ? Complex(v.real(), 0) : v;
      }
    }
    values = std::move(full);
    shape.back() = n;
    TransformAlong(values, shape, rank - 1, sign);
  } else {
    for (size_t d = rank; d-- > first;) TransformAlong(values, shape, d, sign);
    if (kind == stablehlo::FftType::RFFT) {
      const int64_t n = shape.back();
      const int64_t keep = n == 0 ? 0 : n / 2 + 1;
      const int64_t lines = n == 0 ? 0 : static_cast<int64_t>(values.size()) / n;
      std::vector<Complex> half;
      for (int64_t l = 0; l < lines; ++l) {
        for (int64_t k = 0; k < keep; ++k) half.push_back(values[static_cast<size_t>(l * n + k)]);
      }
      values = std::move(half);
      shape.back() = keep;
    }
  }
  const int64_t size = SizeOf(shape);
  Tensor out = Tensor::Make(*type, shape);
  if (out.size() != static_cast<int64_t>(values.size()) && size != 0) {
    return context.Fail(ExitCode::kBadInput, "fft_length does not fit the operand");
  }
  if (out.kind() == ElementKind::kComplex) {
    std::ranges::copy(values, out.Mutable<Complex>().begin());
  } else {
    for (size_t i = 0; i < values.size(); ++i) out.Mutable<double>()[i] = values[i].real();
  }
  RoundResult(out);
  if (context.bounds()) {
    // ||error||_2 <= L (u + gamma_4 (sqrt 2 + u)) ||result||_2 over L levels (Higham, theorem 24.2): 7 u a level. By
    // Parseval's theorem the norm of the result is sqrt(n) times that of the operand for the forward transform, and
    // 1 / sqrt(n) times for the inverse. Lengths that are not powers of two take three transforms of a length below 4 n
    // (Bluestein).
    double n = 1;
    bool direct = true;
    for (const int64_t l : length) {
      n *= static_cast<double>(l);
      direct = direct && (l & (l - 1)) == 0;
    }
    const double levels = direct ? std::log2(std::max(n, 2.0)) + 1 : 3 * (std::log2(std::max(n, 2.0)) + 3);
    const double norm_factor =
        (inverse ? 1 / std::sqrt(n) : std::sqrt(n)) * (kind == stablehlo::FftType::IRFFT ? std::numbers::sqrt2 : 1);
    int64_t blocks = 1;
    for (size_t d = 0; d < first; ++d) blocks *= x.shape()[d];
    std::vector<double> magnitudes(static_cast<size_t>(out.size()));
    std::vector<double> propagated(HasErrors(x) ? magnitudes.size() : 0);
    const int64_t from = blocks == 0 ? 0 : x.size() / blocks;
    const int64_t to = blocks == 0 ? 0 : out.size() / blocks;
    for (int64_t block = 0; block < blocks; ++block) {
      double squares = 0;
      double errors = 0;
      WithStorage(x.kind(), [&]<typename T>() {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
          for (int64_t i = block * from; i < (block + 1) * from; ++i) {
            squares += std::norm(Complex(x.data<T>()[static_cast<size_t>(i)]));
            errors += ErrorAt(x, i);
          }
        }
      });
      // Each element of the operand enters a result with a factor of modulus 1, or 1 / n for the inverse transform.
      // Elements of a half spectrum enter twice.
      errors *= inverse ? (kind == stablehlo::FftType::IRFFT ? 2 : 1) / n : 1;
      for (int64_t i = block * to; i < (block + 1) * to; ++i) {
        magnitudes[static_cast<size_t>(i)] = norm_factor * std::sqrt(squares);
        if (!propagated.empty()) propagated[static_cast<size_t>(i)] = errors;
      }
    }
    const Tensor* operands[] = {&x};
    SetAccumulationBound(out, {.magnitudes = magnitudes,
                               .propagated = propagated,
                               .terms = static_cast<int64_t>(std::ceil(levels)),
                               .unit = FormatOf(*type).UnitRoundoff(),
                               .factor = 7,
                               .underflow = n * AccumulationUnderflow(*type),
                               // A device may divide by n after the sum, whose modulus is n times as large before.
                               .greatest = inverse ? FormatOf(*type).max_finite / n : 0,
                               .depth = DepthOf(operands)});
  }
  return Values{std::move(out)};
}

}  // namespace

void AddFourier(EvalTableType& table) { table["stablehlo.fft"] = &Fft; }

}  // namespace opbyop::reference
