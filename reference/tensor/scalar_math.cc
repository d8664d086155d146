// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/scalar_math.h"

#include <cmath>
#include <numbers>

#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

using Wide = std::complex<long double>;

Wide Widen(std::complex<double> z) { return {z.real(), z.imag()}; }
std::complex<double> Narrow(const Wide& z) { return {static_cast<double>(z.real()), static_cast<double>(z.imag())}; }

long double DigammaPositive(long double x) {
  long double sum = 0;
  while (x < 20) {
    sum -= 1 / x;
    x += 1;
  }
  const long double inverse = 1 / (x * x);
  long double power = inverse;
  sum += std::log(x) - 0.5L / x;
  for (int k = 0; k < 12; ++k) {
    sum -= kBernoulli[k] / (2.0L * (k + 1)) * power;
    power *= inverse;
  }
  return sum;
}

}  // namespace

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Rsqrt(double x) { return 1 / std::sqrt(x); }

double Sign(double x) {
  if (std::isnan(x) || x == 0) return x;
  return x < 0 ? -1 : 1;
}

double RoundAwayFromZero(double x) { return std::round(x); }

double Maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double Minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

double ErfInv(double x) {
  if (std::isnan(x) || std::fabs(x) > 1) return kNan;
  if (std::fabs(x) == 1) return std::copysign(kInf, x);
  if (x == 0) return x;
  // Halley's method on erf, or on erfc if erf has run out of digits: f''/f' = -2y. Each step triples the number of
  // correct digits, so all steps but the last are taken in double.
  const auto halley = [](auto y, auto target) {
    using Real = decltype(y);
    const Real error = target < Real(0.5) ? std::erf(y) - target : (1 - target) - std::erfc(y);
    const Real slope = 2 * std::numbers::inv_sqrtpi_v<Real> * std::exp(-y * y);
    const Real step = error / slope;
    return y - step / (1 + y * step);
  };
  const double target = std::fabs(x);
  const double w = -std::log((1 - target) * (1 + target));
  double start =
      w < 5 ? target / std::numbers::inv_sqrtpi_v<double> / 2 * (1 + w * 0.25) : std::sqrt(w - 0.5 * std::log(w));
  constexpr int kMostSteps = 60;
  constexpr double kEnough = 1e-7;
  for (int i = 0; i < kMostSteps; ++i) {
    const double before = start;
    start = halley(start, target);
    if (std::fabs(start - before) <= kEnough * start) break;
  }
  const long double y = halley(static_cast<long double>(start), static_cast<long double>(target));
  return std::copysign(static_cast<double>(y), x);
}

double Digamma(double x) {
  if (std::isnan(x)) return x;
  if (x == kInf) return kInf;
  if (x == -kInf) return kNan;
  if (x > 0) return static_cast<double>(DigammaPositive(x));
  if (x == std::floor(x)) return kNan;
  // The cotangent has a period of 1. The distance to the nearest integer is exact, also next to zero.
  const long double angle = std::numbers::pi_v<long double> * (static_cast<long double>(x) - std::round(x));
  return static_cast<double>(DigammaPositive(1 - static_cast<long double>(x)) -
                             std::numbers::pi_v<long double> * std::cos(angle) / std::sin(angle));
}

double Lgamma(double x) {
  int sign = 0;
  return static_cast<double>(lgammal_r(x, &sign));
}

double Zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q)) return kNan;
  if (s == 1) return kInf;
  if (s < 1) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInf;
    if (s != std::floor(s)) return kNan;
  }
  if (s == kInf) return q > 1 ? 0 : (q == 1 ? 1 : kInf);
  if (q == kInf) return 0;
  // Euler-Maclaurin: direct terms up to a, then the integral and its corrections.
  long double sum = 0;
  long double a = q;
  int terms = 0;
  while (a < 16 || terms < 4) {
    sum += std::pow(a, -static_cast<long double>(s));
    a += 1;
    if (++terms > 100000) return kNan;
  }
  const long double power = std::pow(a, -static_cast<long double>(s));
  sum += power * a / (static_cast<long double>(s) - 1) + 0.5L * power;
  long double factor = s * power / a;
  long double factorial = 2;
  for (int k = 0; k < 12; ++k) {
    const long double term = kBernoulli[k] * factor / factorial;
    sum += term;
    if (std::fabs(term) < 1e-20L * std::fabs(sum)) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (a * a);
    factorial *= (2.0L * k + 3) * (2.0L * k + 4);
  }
  return static_cast<double>(sum);
}

double Polygamma(double n, double x) {
  if (n == 0) return Digamma(x);
  if (std::isnan(n) || std::isnan(x) || n != std::floor(n) || n < 0) return kNan;
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::exp(std::lgamma(n + 1)) * Zeta(n + 1, x);
}

double BesselI1e(double x) {
  const long double a = std::fabs(x);
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return std::copysign(0.0, x);
  long double value;
  if (a < 30) {
    // Power series of I1, all terms positive.
    long double term = a / 2;
    long double sum = term;
    const long double quarter = a * a / 4;
    for (int k = 1; k < 400; ++k) {
      term *= quarter / (static_cast<long double>(k) * (k + 1));
      sum += term;
      if (term < 1e-21L * sum) break;
    }
    value = sum * std::exp(-a);
  } else {
    // Hankel's asymptotic expansion for order 1.
    long double term = 1;
    long double sum = 1;
    for (int k = 1; k < 60; ++k) {
      const long double next = -term * (4 - (2.0L * k - 1) * (2.0L * k - 1)) / (k * 8 * a);
      if (std::fabs(next) >= std::fabs(term)) break;
      term = next;
      sum += term;
    }
    value = sum / std::sqrt(2 * std::numbers::pi_v<long double> * a);
  }
  return std::copysign(static_cast<double>(value), x);
}

std::complex<double> ComplexExp(std::complex<double> z) {
  const long double x = z.real();
  const long double y = z.imag();
  if (std::isinf(z.real()) && z.real() < 0 && std::isnan(z.imag())) return {0, 0};
  if (std::isinf(z.real()) && z.imag() == 0) return {z.real() > 0 ? kInf : 0, z.imag()};
  const long double scale = std::exp(x);
  return Narrow({scale * std::cos(y), y == 0 ? y : scale * std::sin(y)});
}

std::complex<double> ComplexLog(std::complex<double> z) {
  const double x = z.real();
  const double y = z.imag();
  const long double angle = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
  const double modulus = std::hypot(x, y);
  if (!(modulus > 0.5 && modulus < 2)) {
    const long double wide = std::hypot(static_cast<long double>(x), static_cast<long double>(y));
    return Narrow({std::log(wide), angle});
  }
  // Near |z| = 1 the logarithm cancels. x^2 + y^2 - 1 is therefore computed in quadruple precision and passed to log1p.
  const __float128 square = static_cast<__float128>(x) * x + static_cast<__float128>(y) * y - 1;
  return Narrow({0.5L * std::log1p(static_cast<long double>(square)), angle});
}

std::complex<double> ComplexLogistic(std::complex<double> z) {
  return Narrow(Wide(1) / (Wide(1) + std::exp(-Widen(z))));
}

std::complex<double> ComplexRsqrt(std::complex<double> z) {
  if (std::isinf(z.real()) || std::isinf(z.imag())) {
    return std::isnan(z.real()) || std::isnan(z.imag()) ? std::complex<double>(kNan, kNan) : std::complex<double>(0, 0);
  }
  return Narrow(Wide(1) / std::sqrt(Widen(z)));
}

std::complex<double> ComplexSign(std::complex<double> z) {
  if (std::isnan(z.real()) || std::isnan(z.imag())) return {kNan, kNan};
  if (z == 0.0) return {0, 0};
  const long double modulus = std::hypot(static_cast<long double>(z.real()), static_cast<long double>(z.imag()));
  return Narrow({z.real() / modulus, z.imag() / modulus});
}

std::complex<double> ComplexExpm1(std::complex<double> z) {
  const long double x = z.real();
  const long double y = z.imag();
  const long double half = std::sin(y / 2);
  const long double real = std::expm1(x) * std::cos(y) - 2 * half * half;
  const long double imag = y == 0 ? y : std::exp(x) * std::sin(y);
  return Narrow({real, imag});
}

std::complex<double> ComplexLog1p(std::complex<double> z) {
  const long double x = z.real();
  const long double y = z.imag();
  if (!std::isfinite(z.real()) || !std::isfinite(z.imag())) return Narrow(std::log(Widen(z) + Wide(1)));
  // log|1 + z| = log1p(x(x + 2) + y^2) / 2. The sum cancels near |1 + z| = 1, where __float128 keeps the digits. Close
  // to z = -1 the sum is close to -1, and only |1 + z| itself has the digits.
  const __float128 xq = x;
  const __float128 yq = y;
  long double real;
  if (std::fabs(x) < 1e300L && std::fabs(y) < 1e300L) {
    const __float128 q = xq * (xq + 2) + yq * yq;
    const auto narrow = static_cast<long double>(q);
    real = narrow > -0.5L && narrow < 1e30L ? 0.5L * std::log1p(narrow) : std::log(std::hypot(1 + x, y));
  } else {
    real = std::log(std::hypot(1 + x, y));
  }
  return Narrow({real, std::atan2(y, 1 + x)});
}

std::complex<double> ComplexPower(std::complex<double> z, std::complex<double> w) {
  if (w == 0.0) return {1, 0};
  if (z == 0.0) {
    if (w.real() > 0) return {0, 0};
    return {kNan, kNan};
  }
  if (w == 1.0) return z;
  return Narrow(std::exp(Widen(w) * std::log(Widen(z))));
}

std::complex<double> ComplexMultiply(std::complex<double> z, std::complex<double> w) {
  return {z.real() * w.real() - z.imag() * w.imag(), z.real() * w.imag() + z.imag() * w.real()};
}

std::complex<double> ComplexDivide(std::complex<double> z, std::complex<double> w) {
  return Narrow(Widen(z) / Widen(w));
}

std::complex<double> ComplexAtan2(std::complex<double> y, std::complex<double> x) {
  // -i log((x + iy) / sqrt(x^2 + y^2))
  const Wide a = Widen(x);
  const Wide b = Widen(y);
  const Wide i(0, 1);
  return Narrow(-i * std::log((a + i * b) / std::sqrt(a * a + b * b)));
}

std::complex<double> ComplexSquare(std::complex<double> z) {
  const double x = z.real();
  const double y = z.imag();
  const double imag = 2 * x * y;
  if (std::isinf(x) && std::isinf(y)) return {kNan, imag};
  // The range and the digits of long double keep (x - y)(x + y) finite and accurate.
  const auto a = static_cast<long double>(x);
  const auto b = static_cast<long double>(y);
  return {static_cast<double>((a - b) * (a + b)), static_cast<double>(2 * a * b)};
}

std::complex<double> ComplexCbrt(std::complex<double> z) {
  if (z == 0.0) return z;
  return Narrow(std::exp(std::log(Widen(z)) / 3.0L));
}

std::complex<double> AsinAcosKernel(std::complex<double> z) {
  // Hull, Fairgrieve and Tang 1997: with r = |z + 1|, s = |z - 1| and a = (r + s) / 2 the parts of asin(z) are
  // atan(x / sqrt(a^2 - x^2)) and log(a + sqrt(a^2 - 1)). The differences are written so that nothing cancels.
  using Wide = long double;
  const Wide x = std::fabs(static_cast<Wide>(z.real()));
  const Wide y = std::fabs(static_cast<Wide>(z.imag()));
  const Wide r = std::hypot(x + 1, y);
  const Wide s = std::hypot(x - 1, y);
  const Wide a = (r + s) / 2;
  const Wide above = r + (x + 1) > 0 ? y * y / (r + (x + 1)) : 0;    // r - (x + 1)
  const Wide beside = x <= 1 ? s + (1 - x) : y * y / (s + (x - 1));  // s - (x - 1)
  const Wide real = std::sqrt((above + beside) / 2 * (a + x));
  // a - 1, computed from the same two differences.
  const Wide below = x <= 1 ? (s + (1 - x) > 0 ? y * y / (s + (1 - x)) : 0) : s + (x - 1);  // s - (1 - x)
  const Wide beyond = (above + below) / 2;
  const Wide imag = std::log1p(beyond + std::sqrt(beyond * (a + 1)));
  return {static_cast<double>(real), static_cast<double>(imag)};
}

}  // namespace opbyop::reference
