// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/special_functions.h"

#ifdef OPBYOP_HAS_LIBMVEC

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "reference/tensor/scalar_math.h"
#include "reference/tensor/special_values.h"
#include "reference/tensor/vector_math.h"

namespace opbyop::reference {
namespace {

using Block = std::array<double, kVectorBlock>;

// In f64.
constexpr std::array<double, std::size(kBernoulli)> kShortBernoulli = [] {
  std::array<double, std::size(kBernoulli)> all = {};
  for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<double>(kBernoulli[k]);
  return all;
}();
constexpr int kSeries = 10;         // terms of the series of digamma and of the logarithm of gamma
constexpr double kFar = 8;          // from here on they give all digits of f64
constexpr double kFarthest = 1e30;  // beyond, x times its logarithm is not of interest

OPBYOP_AVX2 FourDoubles Load(const double* from) {
  FourDoubles four;
  std::memcpy(&four, from, sizeof(four));
  return four;
}
OPBYOP_AVX2 void Store(FourDoubles four, double* to) { std::memcpy(to, &four, sizeof(four)); }

// An interpolation of a smooth function at the Chebyshev nodes of [-1, 1].
class Chebyshev {
 public:
  explicit Chebyshev(double (*f)(double)) {
    for (int k = 0; k < kNodes; ++k) {
      const double angle = std::numbers::pi * (k + 0.5) / kNodes;
      const double value = f(std::cos(angle));
      for (int j = 0; j < kNodes; ++j)
        coefficients_[static_cast<size_t>(j)] += value * std::cos(j * angle) * 2 / kNodes;
    }
  }
  // Clenshaw's recurrence.
  OPBYOP_AVX2 void Evaluate(const double* x, size_t count, double* out) const {
    for (size_t i = 0; i < count; i += 4) {
      const FourDoubles four = Load(x + i), twice = 2 * four;
      FourDoubles next = {}, after = {};
      for (size_t j = kNodes - 1; j > 0; --j) {
        const FourDoubles now = twice * next - after + coefficients_[j];
        after = next;
        next = now;
      }
      Store(four * next - after + coefficients_[0] / 2, out + i);
    }
  }

 private:
  static constexpr int kNodes = 32;
  std::array<double, kNodes> coefficients_ = {};
};

}  // namespace

OPBYOP_AVX2 void LogisticOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  Block negative;
  for (size_t i = 0; i < count; ++i) negative[i] = -x[i];
  OfOne<&Libmvec::exp>(negative.data(), nullptr, count, out);
  for (size_t i = 0; i < count; ++i) out[i] = 1 / (1 + out[i]);
}

OPBYOP_AVX2 void SqrtOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  for (size_t i = 0; i < count; i += 4) _mm256_storeu_pd(out + i, _mm256_sqrt_pd(_mm256_loadu_pd(x + i)));
}

OPBYOP_AVX2 void RsqrtOfMany(const double* x, const double* y, size_t count, double* out) {
  SqrtOfMany(x, y, count, out);
  for (size_t i = 0; i < count; ++i) out[i] = 1 / out[i];
}

// The library's own function takes more time.
OPBYOP_AVX2 void TanhOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  Block exponent;
  for (size_t i = 0; i < count; ++i) exponent[i] = -2 * std::fabs(x[i]);
  OfOne<&Libmvec::expm1>(exponent.data(), nullptr, count, out);
  for (size_t i = 0; i < count; ++i) out[i] = std::copysign(out[i] / (2 + out[i]), x[i]);
}

OPBYOP_AVX2 void BesselI1eOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  // Up to the middle, the quotient of the function and x is smooth in x; beyond, the product with the root of x is
  // smooth in 1/x.
  constexpr double kMiddle = 8;
  static const Chebyshev near([](double u) {
    const double at = (u + 1) / 2 * kMiddle;
    return BesselI1e(at) / at;
  });
  static const Chebyshev far([](double u) {
    const double at = 2 * kMiddle / (u + 1);
    return BesselI1e(at) * std::sqrt(at);
  });
  Block place, of_far, root;
  for (size_t i = 0; i < count; ++i) place[i] = 2 * std::min(std::fabs(x[i]), kMiddle) / kMiddle - 1;
  near.Evaluate(place.data(), count, out);
  for (size_t i = 0; i < count; ++i) {
    root[i] = std::fabs(x[i]);
    place[i] = 2 * kMiddle / std::max(root[i], kMiddle) - 1;
  }
  far.Evaluate(place.data(), count, of_far.data());
  SqrtOfMany(root.data(), nullptr, count, root.data());
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::fabs(x[i]) <= kMiddle ? x[i] * out[i] : std::copysign(of_far[i] / root[i], x[i]);
  }
}

OPBYOP_AVX2 void DigammaOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  Block far, logarithm;
  for (size_t i = 0; i < count; ++i) {
    double at = x[i], sum = 0;
    for (int step = 0; step < static_cast<int>(kFar); ++step) {
      sum += at < kFar ? 1 / at : 0;
      at += at < kFar ? 1 : 0;
    }
    far[i] = at;
    out[i] = sum;
  }
  OfOne<&Libmvec::log>(far.data(), nullptr, count, logarithm.data());
  for (size_t i = 0; i < count; ++i) {
    const double inverse = 1 / (far[i] * far[i]);
    double series = 0;
    for (int k = kSeries; k-- > 0;) series = (series + kShortBernoulli[k] / (2.0 * (k + 1))) * inverse;
    const double value = logarithm[i] - 0.5 / far[i] - series - out[i];
    out[i] = x[i] > 0 ? value : kNan;
  }
}

OPBYOP_AVX2 void LgammaOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  Block far, logarithm, product;
  for (size_t i = 0; i < count; ++i) {
    double factors = x[i];
    for (int step = 1; step < static_cast<int>(kFar); ++step) factors *= x[i] + step;
    product[i] = x[i] < kFar ? factors : 1;
    far[i] = x[i] < kFar ? x[i] + kFar : x[i];
  }
  OfOne<&Libmvec::log>(far.data(), nullptr, count, logarithm.data());
  OfOne<&Libmvec::log>(product.data(), nullptr, count, product.data());
  const double constant = std::log(2 * std::numbers::pi) / 2;
  for (size_t i = 0; i < count; ++i) {
    const double square = 1 / (far[i] * far[i]);
    double series = 0;
    for (int k = kSeries; k-- > 0;) series = series * square + kShortBernoulli[k] / ((2.0 * k + 1) * (2.0 * k + 2));
    const double value = (far[i] - 0.5) * logarithm[i] - far[i] + constant + series / far[i] - product[i];
    out[i] = x[i] > 0 && x[i] < kFarthest ? value : kNan;
  }
}

OPBYOP_AVX2 void ErfInvOfMany(const double* x, const double* /*y*/, size_t count, double* out) {
  // The polynomials of M. Giles, Approximating the erfinv function, 2012, are right to seven digits. A step of Halley's
  // method on erf, or on erfc where erf has run out of digits, triples them.
  constexpr double kNear[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                              -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                              -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  constexpr double kMiddle = 5;
  Block root, minus_square, of_erf, of_erfc, slope;
  for (size_t i = 0; i < count; ++i) root[i] = (1 - x[i]) * (1 + x[i]);
  OfOne<&Libmvec::log>(root.data(), nullptr, count, slope.data());
  for (size_t i = 0; i < count; ++i) root[i] = -slope[i];
  SqrtOfMany(root.data(), nullptr, count, root.data());
  for (size_t i = 0; i < count; ++i) {
    const double near = -slope[i] - 2.5, tail = root[i] - 3;
    double of_near = 0, of_tail = 0;
    for (const double c : kNear) of_near = of_near * near + c;
    for (const double c : kTail) of_tail = of_tail * tail + c;
    out[i] = (-slope[i] < kMiddle ? of_near : of_tail) * std::fabs(x[i]);
    minus_square[i] = -out[i] * out[i];
  }
  OfOne<&Libmvec::erf>(out, nullptr, count, of_erf.data());
  OfOne<&Libmvec::erfc>(out, nullptr, count, of_erfc.data());
  OfOne<&Libmvec::exp>(minus_square.data(), nullptr, count, slope.data());
  for (size_t i = 0; i < count; ++i) {
    const double target = std::fabs(x[i]), y = out[i];
    const double error = target < 0.5 ? of_erf[i] - target : (1 - target) - of_erfc[i];
    const double step = error / (2 * std::numbers::inv_sqrtpi_v<double> * slope[i]);
    out[i] = std::copysign(y - step / (1 + y * step), x[i]);
  }
}

OPBYOP_AVX2 void ZetaOfMany(const double* s, const double* q, size_t count, double* out) {
  // Euler-Maclaurin: direct terms, then the integral and its corrections.
  constexpr int kDirect = 5;
  constexpr double kGreatestPower = 16;
  constexpr double kGreatestExponent = 64;  // of e, in a direct term: the error of the exponent is one of the result
  constexpr double kEnough = 0x1p-46;
  Block base, power, first;
  std::fill_n(out, count, 0.0);
  for (int k = 0; k <= kDirect; ++k) {
    for (size_t i = 0; i < count; ++i) base[i] = q[i] + k;
    OfOne<&Libmvec::log>(base.data(), nullptr, count, power.data());
    for (size_t i = 0; i < count; ++i) power[i] *= -s[i];
    if (k == 0) first = power;
    OfOne<&Libmvec::exp>(power.data(), nullptr, count, power.data());
    if (k == kDirect) break;
    for (size_t i = 0; i < count; ++i) out[i] += power[i];
  }
  for (size_t i = 0; i < count; i += 4) {
    const FourDoubles order = Load(s + i), at = Load(&base[i]), last = Load(&power[i]), exponent = Load(&first[i]);
    const FourDoubles inverse = 1 / at, square = inverse * inverse;
    FourDoubles sum = Load(out + i) + last * at / (order - 1) + 0.5 * last;
    FourDoubles factor = order * last * inverse, term = {};
    double factorial = 2;
    for (size_t k = 0; k < kShortBernoulli.size(); ++k) {
      const auto twice = static_cast<double>(2 * k);
      term = kShortBernoulli[k] / factorial * factor;
      sum += term;
      factor *= (order + (twice + 1)) * (order + (twice + 2)) * square;
      factorial *= (twice + 3) * (twice + 4);
    }
    const FourDoubles size = exponent < 0 ? -exponent : exponent, rest = term < 0 ? -term : term;
    const auto known = (order > 1) & (order <= kGreatestPower) & (Load(q + i) > 0) & (size <= kGreatestExponent) &
                       (rest <= kEnough * sum);
    Store(known ? sum : FourDoubles{} + kNan, out + i);
  }
}

OPBYOP_AVX2 void PolygammaOfMany(const double* n, const double* x, size_t count, double* out) {
  // (-1)^(n+1) n!
  constexpr std::array<double, 9> kFactors = {kNan, 1, -2, 6, -24, 120, -720, 5040, -40320};
  Block order = {};
  for (size_t i = 0; i < count; ++i) order[i] = n[i] + 1;
  ZetaOfMany(order.data(), x, count, out);
  for (size_t i = 0; i < count; ++i) {
    const bool known = n[i] >= 1 && n[i] < static_cast<double>(kFactors.size()) && n[i] == std::floor(n[i]);
    out[i] *= kFactors[known ? static_cast<size_t>(n[i]) : 0];
  }
}

}  // namespace opbyop::reference

#endif
