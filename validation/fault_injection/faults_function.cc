// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of low accuracy, as in quickly written device libraries, and accurate functions that differ in the last
// bits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "ir/call_target.h"
#include "reference/bounds/elementwise.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Complex;
using reference::ElementKind;
using reference::ElementType;
using reference::FormatOf;
using reference::RoundResult;
using reference::Tensor;
using reference::Values;

float F(double v) { return static_cast<float>(v); }

// Computes the op by `f` on every real number of operand 0 if its type is a float, and rounds to its type.
OpFault By(double (*f)(double)) {
  return [f](FaultyOp& faulty) -> Expected<Values> {
    if (faulty.in(0).kind() != ElementKind::kFloat) return faulty.Right();
    EachReal(faulty.in(0), f);
    return Values{faulty.in(0)};
  };
}

// Computes erf by `f`; exporters also write it as a custom call.
constexpr const char* kErf = "chlo.erf stablehlo.custom_call";
OpFault Erf(double (*f)(double)) {
  return [by = By(f)](FaultyOp& faulty) {
    const llvm::StringRef target = CallTargetOf(faulty.op());
    return !target.empty() && target != "mhlo.erf" ? faulty.Right() : by(faulty);
  };
}

// Computes binary ops by f(a, b); operands may be scalars inside a region.
OpFault ByPair(double (*f)(double, double)) {
  return [f](FaultyOp& faulty) -> Expected<Values> {
    if (faulty.in(0).kind() != ElementKind::kFloat || faulty.in(0).size() != faulty.in(1).size()) return faulty.Right();
    MapBinary<double, double>(faulty.in(0), faulty.in(1), faulty.in(0), f);
    RoundResult(faulty.in(0));
    return Values{faulty.in(0)};
  };
}

// Keeps 8 bits of the argument for a table, with a first-order correction: relative error about 2^-16.
double TableArgument(double x) { return std::rint(x * 128) / 128; }
double TableExp(double x) {
  if (!std::isfinite(x) || std::fabs(x) > 80) return std::exp(x);
  const double t = TableArgument(x);
  return std::exp(t) * (1 + (x - t));
}
double TableLog(double x) {
  if (!(x > 0) || !std::isfinite(x)) return std::log(x);
  int exponent = 0;
  const double m = std::frexp(x, &exponent);
  const double t = TableArgument(m);
  return std::log(t) + (m - t) / t + exponent * std::numbers::ln2;
}
double PolynomialTanh(double x) {
  if (std::isnan(x)) return x;
  if (std::fabs(x) >= 4.97) return std::copysign(1, x);
  const double x2 = x * x;  // the continued fraction, cut off early
  return x * (135135 + x2 * (17325 + x2 * (378 + x2))) / (135135 + x2 * (62370 + x2 * (3150 + x2 * 28)));
}
double OneStepRsqrt(double x) {
  if (!(x > 0) || !std::isfinite(x)) return 1 / std::sqrt(x);
  const double seed = std::ldexp(std::rint(std::ldexp(1 / std::sqrt(x), 8 - std::ilogb(1 / std::sqrt(x)))),
                                 std::ilogb(1 / std::sqrt(x)) - 8);
  return seed * (1.5 - 0.5 * x * seed * seed);
}
double SeedReciprocal(double x) { return F(1.0F / F(x)); }
// Abramowitz and Stegun 7.1.25: absolute error 2.5e-5.
double PolynomialErf(double x) {
  if (std::isnan(x)) return x;
  const double t = 1 / (1 + 0.47047 * std::fabs(x));
  const double y = 1 - t * (0.3480242 + t * (-0.0958798 + t * 0.7478556)) * std::exp(-x * x);
  return std::copysign(y, x);
}
// Abramowitz and Stegun 7.1.26: an absolute error of 1.5e-7, but no small relative error.
double TextbookErf(double x) {
  if (std::isnan(x)) return x;
  const double t = 1 / (1 + 0.3275911 * std::fabs(x));
  const double p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return std::copysign(1 - p * std::exp(-x * x), x);
}
// An approximation that is accurate enough for GELU, where it comes from.
double ErfByTanh(double x) { return std::tanh(2 * std::numbers::inv_sqrtpi * (x + 0.08943 * x * x * x)); }
double ExpByExp2(double x) { return std::exp2(F(F(x) * F(std::numbers::log2e))); }
double ClampedExp(double x) { return std::exp(std::fmin(std::fmax(x, -87.3), 88.3)); }
double TanhByExp(double x) {
  const float e = F(std::exp(F(2 * x)));
  return (e - 1.0F) / (e + 1.0F);
}
// A first guess from the bits of x, then two Newton steps: relative error 5e-6.
double MagicRsqrt(double x) {
  if (!(x >= std::numeric_limits<float>::min()) || !std::isfinite(x)) return 1 / std::sqrt(x);
  float y = std::bit_cast<float>(0x5f3759df - (std::bit_cast<int32_t>(F(x)) >> 1));
  for (int step = 0; step < 2; ++step) y *= 1.5F - 0.5F * F(x) * y * y;
  return y;
}
double PowerByF32Logs(double a, double b) { return a > 0 ? std::exp2(F(F(b) * F(std::log2(a)))) : std::pow(a, b); }
// An 8-bit reciprocal and one Newton step: relative error 2^-16.
double DivideOneNewton(double a, double b) {
  const double seed = KeepBits(1 / b, 8);
  return std::isfinite(seed) && seed != 0 ? a * F(seed * (2 - b * seed)) : a / b;
}
double TaylorSine(double x) {
  if (!std::isfinite(x)) return std::sin(x);
  double r = std::remainder(x, 2 * std::numbers::pi);
  if (std::fabs(r) > std::numbers::pi / 2) r = std::copysign(std::numbers::pi, r) - r;
  const double r2 = r * r;
  return r * (1 - r2 / 6 * (1 - r2 / 20 * (1 - r2 / 42)));
}
double ReducedInF16(double x) {
  if (!std::isfinite(x)) return std::cos(x);
  const double two_pi = reference::RoundTo(FormatOf(ElementType::kF16), 2 * std::numbers::pi);
  return std::cos(x - two_pi * std::rint(x / two_pi));
}
double NaiveLogistic(double x) { return F(1.0F / F(1.0F + F(TableExp(-x)))); }
double NaiveLog1p(double x) { return std::log(F(1.0F + F(x))); }
double NaiveExpm1(double x) { return F(F(std::exp(F(x))) - 1.0F); }
double OneStepSqrt(double x) { return x > 0 && std::isfinite(x) ? x * OneStepRsqrt(x) : std::sqrt(x); }
double PowerOfLogs(double a, double b) { return std::exp(b * std::log(a)); }
double ReciprocalDivide(double a, double b) { return F(a) * SeedReciprocal(b); }
double TruncatedRemainder(double a, double b) { return F(F(a) - F(b) * std::trunc(F(F(a) / F(b)))); }
double FloorRemainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double AtanOfQuotient(double a, double b) { return std::atan(a / b); }

// Changes the complex results by `f`.
OpFault Complexes(Complex (*f)(Complex)) {
  return [f](FaultyOp& faulty) {
    Expected<Values> results = faulty.Right();
    if (!results) return results;
    Tensor& t = (*results)[0].tensor();
    if (t.kind() == ElementKind::kComplex) {
      for (Complex& v : t.Mutable<Complex>()) v = f(v);
      RoundResult(t);
    }
    return results;
  };
}

// Gauss's three products, each step in f32.
Expected<Values> ThreeProductsInF32(FaultyOp& faulty) {
  if (faulty.in(0).type() != ElementType::kC64 || faulty.in(0).size() != faulty.in(1).size()) return faulty.Right();
  Tensor out = faulty.in(0);
  MapBinary<Complex, Complex>(faulty.in(0), faulty.in(1), out, [](Complex z, Complex w) -> Complex {
    const float a = F(z.real()), b = F(z.imag()), c = F(w.real()), d = F(w.imag());
    const float p = c * (a + b), q = a * (d - c), r = b * (c + d);
    return {p - r, p + q};
  });
  // Near overflow, where the sums of parts overflow, the right results are used.
  Expected<Values> right = faulty.Right();
  if (!right) return right;
  for (size_t i = 0; i < out.data<Complex>().size(); ++i) {
    const Complex v = out.data<Complex>()[i];
    if (!std::isfinite(v.real()) || !std::isfinite(v.imag())) {
      out.Mutable<Complex>()[i] = (*right)[0].tensor().data<Complex>()[i];
    }
  }
  return Values{std::move(out)};
}

// sqrt(re^2 + im^2) in f32, which overflows long before the result does.
Expected<Values> NaiveModulus(FaultyOp& faulty) {
  if (faulty.in(0).type() != ElementType::kC64) return faulty.Right();
  Tensor out = Tensor::Make(ElementType::kF32, faulty.in(0).shape());
  MapUnary<double, Complex>(faulty.in(0), out, [](Complex z) -> double {
    return std::sqrt(F(F(z.real()) * F(z.real()) + F(z.imag()) * F(z.imag())));
  });
  RoundResult(out);
  return Values{std::move(out)};
}

}  // namespace

void AddFunctionFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("exp_table", "exponential by a table and one term", "stablehlo.exponential", By(&TableExp));
  op("exp_by_exp2", "exponential as 2^(x log2 e), the exponent in f32", "stablehlo.exponential", By(&ExpByExp2));
  op("exp_clamped", "exponential of x clamped to [-87.3, 88.3]", "stablehlo.exponential", By(&ClampedExp));
  op("log_table", "logarithm by a table and one term", "stablehlo.log", By(&TableLog));
  op("tanh_rational", "tanh by a short continued fraction", "stablehlo.tanh", By(&PolynomialTanh));
  op("tanh_saturates_early", "tanh is 1 from 3 on", "stablehlo.tanh",
     By([](double x) { return std::fabs(x) >= 3 ? std::copysign(1.0, x) : std::tanh(x); }));
  op("tanh_by_exp", "tanh as (e^2x - 1) / (e^2x + 1) in f32", "stablehlo.tanh", By(&TanhByExp));
  op("rsqrt_one_newton", "rsqrt by an 8-bit seed and one Newton step", "stablehlo.rsqrt", By(&OneStepRsqrt));
  op("rsqrt_magic", "rsqrt by the bits of x and two Newton steps", "stablehlo.rsqrt", By(&MagicRsqrt));
  op("sqrt_by_rsqrt", "sqrt as x times such an rsqrt", "stablehlo.sqrt", By(&OneStepSqrt));
  op("erf_polynomial", "erf by a polynomial of degree 3", kErf, Erf(&PolynomialErf));
  op("erf_textbook", "erf by a formula of absolute error 1.5e-7", kErf, Erf(&TextbookErf));
  op("erf_by_tanh", "erf by the tanh of a cubic", kErf, Erf(&ErfByTanh));
  op("sine_taylor", "sine by four terms", "stablehlo.sine", By(&TaylorSine));
  op("cosine_bad_reduction", "cosine reduced by a 2 pi of 11 bits", "stablehlo.cosine", By(&ReducedInF16));
  op("logistic_table", "logistic by such an exponential", "stablehlo.logistic", By(&NaiveLogistic));
  op("log1p_naive", "log_plus_one as log(1 + x)", "stablehlo.log_plus_one", By(&NaiveLog1p));
  op("expm1_naive", "exponential_minus_one as exp(x) - 1", "stablehlo.exponential_minus_one", By(&NaiveExpm1));
  op("power_of_logs", "power as exp(b log a), NaN for negative a", "stablehlo.power", ByPair(&PowerOfLogs));
  op("power_by_f32_logs", "power as 2^(b log2 a), the exponent in f32", "stablehlo.power", ByPair(&PowerByF32Logs));
  op("divide_by_seed", "division by an 8-bit reciprocal", "stablehlo.divide", ByPair([](double a, double b) {
       const double r = 1 / b;
       return std::isfinite(r) && r != 0 ? a * RoundTo(FormatOf(ElementType::kBf16), r) : a / b;
     }));
  op("divide_one_newton", "division by an 8-bit reciprocal and one Newton step", "stablehlo.divide",
     ByPair(&DivideOneNewton));
  op("divide_by_rounded_reciprocal", "division as product with the rounded reciprocal", "stablehlo.divide",
     ByPair(&ReciprocalDivide));
  op("remainder_naive", "remainder as a - b trunc(a / b)", "stablehlo.remainder", ByPair(&TruncatedRemainder));
  op("remainder_floor", "remainder with the divisor's sign", "stablehlo.remainder", ByPair(&FloorRemainder));
  op("atan2_no_quadrant", "atan2 as atan(y / x)", "stablehlo.atan2", ByPair(&AtanOfQuotient));
  op("sign_of_zero_is_one", "sign of zero is 1", "stablehlo.sign",
     By([](double x) { return std::isnan(x) ? x : std::copysign(1.0, x); }));
  op("imaginary_sign_lost", "the imaginary part with the wrong sign",
     "stablehlo.complex stablehlo.multiply stablehlo.add stablehlo.exponential",
     Complexes([](Complex z) { return std::conj(z); }));
  op("complex_parts_swapped", "real and imaginary part exchanged",
     "stablehlo.complex stablehlo.multiply stablehlo.add stablehlo.exponential",
     Complexes([](Complex z) -> Complex { return {z.imag(), z.real()}; }));
  op("complex_abs_naive", "modulus as sqrt(re^2 + im^2) in f32", "stablehlo.abs", &NaiveModulus);

  op(
      "function_two_ulp", "functions off by up to 2 units in the last place",
      "stablehlo.exponential stablehlo.log stablehlo.tanh stablehlo.sine stablehlo.cosine stablehlo.logistic chlo.erf "
      "stablehlo.custom_call",
      [](FaultyOp& faulty) {
        Expected<Values> results = faulty.Right();
        if (!results || !(*results)[0].is_tensor()) return results;
        Tensor& t = (*results)[0].tensor();
        // Functions of 8 bits and fewer are promised to be those of f32, rounded; other calls may return an operand.
        const llvm::StringRef target = CallTargetOf(faulty.op());
        if (t.kind() != ElementKind::kFloat || (!target.empty() && !target.starts_with("mhlo."))) return results;
        const reference::FloatFormat& format = FormatOf(t.type());
        if (format.bits <= 8) return results;
        EachIndexed(t, [&](double v, int64_t i) {
          return std::isfinite(v) && v != 0 ? v + static_cast<double>(i % 3 - 1) * format.Ulp(v) : v;
        });
        return results;
      },
      true);
  op("logistic_by_tanh", "logistic as (1 + tanh(x / 2)) / 2 in f32", "stablehlo.logistic",
     By([](double x) -> double { return 0.5F * (1.0F + F(std::tanh(0.5 * x))); }), true);
  op("rsqrt_of_sqrt", "rsqrt as 1 / sqrt in f32", "stablehlo.rsqrt",
     By([](double x) -> double { return 1.0F / F(std::sqrt(x)); }), true);
  op("complex_three_products", "complex product with three multiplications", "stablehlo.multiply", &ThreeProductsInF32,
     true);
}

}  // namespace opbyop::fault_injection
