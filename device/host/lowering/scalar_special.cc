// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows for the special functions of CHLO. Real ones are computed in f64 for every element type, from libm's erf, log
// and pow and from published series and approximations, so that narrower results are right to the last bit.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "device/host/lowering/narrow_float.h"
#include "device/host/lowering/real.h"
#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

// B(2), B(4), ... for asymptotic series.
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
                                 5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
                                 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

// Uses Giles, "Approximating the erfinv function" (2012), in single precision, then two steps of Halley's method on
// erf, or on erfc where erf has no digits left. For arguments near 1, the first guess is the inverse of erfc's leading
// term.
Real ErfInv(Real x) {
  Real target = Abs(x);
  Real w = -Log((1.0 - target) * (1.0 + target));
  Real centre = Polynomial(w - 2.5, {1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087,
                                     -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08});
  Real tail = Polynomial(Sqrt(w) - 3.0, {2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773,
                                         -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257});
  Real far = w + std::numbers::ln2;
  for (int i = 0; i < 2; ++i) far = w + std::numbers::ln2 - 0.5 * Log(kPi * far);
  Real y = Select(w < 16.0, target * Select(w < 5.0, centre, tail), Sqrt(far));
  for (int i = 0; i < 2; ++i) {
    Real error = Select(target < 0.5, Erf(y) - target, (1.0 - target) - Erfc(y));
    Real step = error / (2 / std::sqrt(kPi) * Exp(-(y * y)));
    y = y - step / (1.0 + y * step);
  }
  y = Select(target == 1.0, kInf, y);
  return Select(x == 0.0, x, CopySign(Select(target <= 1.0, y, kNan), x));
}

// digamma(x) for x > 0: the recurrence up to 10, then the asymptotic series.
Real DigammaPositive(Real x) {
  Real sum = x.Number(0);
  for (int i = 0; i < 10; ++i) {
    Truth small = x < 10.0;
    sum = sum - Select(small, 1.0 / x, 0.0);
    x = Select(small, x + 1.0, x);
  }
  Real inverse = 1.0 / (x * x);
  double series[10] = {};
  for (int k = 0; k < 9; ++k) series[k + 1] = kBernoulli[k] / (2 * (k + 1));
  return sum + Log(x) - 0.5 / x - Polynomial(inverse, series);
}

Real Digamma(Real x) {
  Truth positive = x > 0.0;
  Real fraction = x - Floor(x);
  Real at = DigammaPositive(Select(positive, x, 1.0 - x));
  // The cotangent has a period of 1. Unlike the fraction, this distance is exact next to zero.
  Real distance = x - Floor(x + 0.5);
  Real reflected = at - kPi * Cos(kPi * distance) / Sin(kPi * distance);
  Real result = Select(positive, at, Select(fraction == 0.0, kNan, reflected));
  return Select(x == kInf, kInf, Select(x == -kInf, kNan, result));
}

// Uses Lanczos' sum for g = 7 and nine terms, and the reflection formula below 1/2.
Real Lgamma(Real x) {
  constexpr double kTerms[] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                               771.32342877765313,   -176.61502916214059,   12.507343278686905,
                               -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Truth reflect = x < 0.5;
  Real z = Select(reflect, -x, x - 1.0);
  Real sum = x.Number(kTerms[0]);
  for (int i = 1; i < 9; ++i) sum = sum + kTerms[i] / (z + i * 1.0);
  // (z + 1/2) log(t) - t with t = z + 7.5, as one product: both terms are large if x is.
  Real t = z + 7.5;
  Real gamma = 0.5 * std::log(2 * kPi) + ((z + 0.5) * (Log(t) - 1.0) - 7.0) + Log(sum);
  // Exact where the terms cancel: lgamma(1) = lgamma(2) = 0.
  gamma = Select((z == 0.0) || (z == 1.0), 0.0, Select(z == kInf, kInf, gamma));
  Real fraction = Abs(x) - Floor(Abs(x));
  Real sine = Sin(kPi * Select(fraction > 0.5, 1.0 - fraction, fraction));
  Real reflected = std::log(kPi) - Log(sine) - gamma;
  // Next to the pole, where pi x may have lost bits, -log|x| is enough: the next term, Euler's constant times x, is
  // below the last bit.
  reflected = Select(Abs(x) < 0x1p-60, -Log(Abs(x)), reflected);
  return Select(x == -kInf, kInf, Select(reflect, reflected, gamma));
}

// Hurwitz' zeta function by the Euler-Maclaurin formula: terms up to 16, then the integral and its corrections.
Real Zeta(Real s, Real q) {
  Real wanted = Maximum(-Floor(q - 16.0), q.Number(4));
  // Arguments further to the left are not computed, because no digit of the sum would be right.
  Truth near = wanted < 1e5;
  Real count = Select(near, wanted, 4.0);
  const auto direct = Repeat(count, {s.Number(0), q}, [&](Real, llvm::ArrayRef<Real> state) {
    Real power = Power(state[1], -Real(*state[1].b, s.value));
    return llvm::SmallVector<Real>{state[0] + power, state[1] + 1.0};
  });
  Real a = direct[1];
  Real power = Power(a, -s);
  Real tail = power * a / (s - 1.0) + 0.5 * power;
  Real factor = s * power / a;
  double factorial = 2;
  for (int k = 0; k < 12; ++k) {
    tail = tail + factor * (kBernoulli[k] / factorial);
    factor = factor * ((s + (2.0 * k + 1)) * (s + (2.0 * k + 2)) / (a * a));
    factorial *= (2.0 * k + 3) * (2.0 * k + 4);
  }
  Real result = direct[0] + Select(power == 0.0, 0.0, tail);
  result = Select(q == kInf, 0.0, result);
  result = Select(s == kInf, Select(q > 1.0, 0.0, Select(q == 1.0, q.Number(1), q.Number(kInf))), result);
  Truth pole = q == Floor(q);
  Real left = Select(pole, kInf, Select((s == Floor(s)) && near, result, kNan));
  result = Select(q <= 0.0, left, result);
  result = Select(s < 1.0, kNan, Select(s == 1.0, kInf, result));
  return Select(s != s, s, Select(q != q, q, result));
}

// (-1)^(n+1) n! zeta(n + 1, x)
Real Polygamma(Real n, Real x) {
  Real half = n * 0.5;
  Real sign = Select(half == Floor(half), n.Number(-1), n.Number(1));
  Real higher = sign * Exp(Lgamma(n + 1.0)) * Zeta(n + 1.0, x);
  Real result = Select(n == 0.0, Digamma(x), higher);
  return Select((n == Floor(n)) && (n >= 0.0) && (x == x), result, kNan);
}

// exp(-|x|) I1(x): the power series, whose terms are all positive, below 30; Hankel's expansion above.
Real BesselI1e(Real x) {
  Real a = Abs(x);
  Real near = Minimum(a, a.Number(30));
  Real quarter = near * near * 0.25;
  const auto series = Repeat(a.Number(64), {near * 0.5, near * 0.5}, [&](Real k, llvm::ArrayRef<Real> state) {
    Real term = state[0] * (Real(*k.b, quarter.value) / ((k + 1.0) * (k + 2.0)));
    return llvm::SmallVector<Real>{term, state[1] + term};
  });
  Real inside = series[1] * Exp(-near);
  double terms[21] = {1};
  for (int k = 1; k <= 20; ++k) terms[k] = -terms[k - 1] * (4 - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k);
  Real outside = Polynomial(1.0 / a, terms) / (std::sqrt(2 * kPi) * Sqrt(a));
  return CopySign(Select(a < 30.0, inside, Select(a == kInf, 0.0, outside)), x);
}

// Converts the arguments of a row to f64, and the result back to the type of the arguments.
template <auto fn>
Value InDouble(const ScalarOp& s, ValueRange args) {
  if (!mlir::isa<mlir::FloatType>(s.from)) return {};
  const auto wide = [&](unsigned i) { return Real(s.b, ConvertFloat(s.b, args[i], s.b.getF64Type())); };
  Value result;
  if constexpr (std::is_invocable_v<decltype(fn), Real, Real>) {
    result = fn(wide(0), wide(1)).value;
  } else {
    result = fn(wide(0)).value;
  }
  return ConvertFloat(s.b, result, args[0].getType());
}

template <int sign>
Value IsInfinite(const ScalarOp& s, ValueRange args) {
  Real x(s.b, args[0]);
  return ((sign == 0 ? Abs(x) : x) == (sign < 0 ? -kInf : kInf)).value;
}

// The neighbour of x towards y in x's own format. The next code is the neighbour away from zero.
Value NextAfter(const ScalarOp& s, ValueRange args) {
  auto format = mlir::cast<mlir::FloatType>(s.from);
  mlir::Type bits_type = s.b.getIntegerType(format.getWidth());
  const auto number = [&](Value v) {
    if (IsStoredFloat(format)) return Real(s.b, DecodeFloat(s.b, v, format));
    return Real(s.b, ConvertFloat(s.b, v, AccumulatorOf(format)));
  };
  const auto bits = [&](Value v) -> Value {
    return IsStoredFloat(format) ? v : arith::BitcastOp::create(s.b, bits_type, v).getResult();
  };
  const auto constant = [&](const llvm::APInt& value) -> Value {
    return arith::ConstantOp::create(s.b, mlir::IntegerAttr::get(bits_type, value));
  };
  const auto select = [&](Truth condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(s.b, condition.value, yes, no);
  };
  const unsigned width = format.getWidth();
  Real x = number(args[0]);
  Real y = number(args[1]);
  Value code = bits(args[0]);
  Value one = constant(llvm::APInt(width, 1));
  Truth up = {&s.b, arith::CmpIOp::create(s.b, arith::CmpIPredicate::eq, (x < y).value, (x > 0.0).value)};
  Value next = select(up, arith::AddIOp::create(s.b, code, one), arith::SubIOp::create(s.b, code, one));
  // From zero, the neighbour is the smallest subnormal number with the sign of y.
  Value sign = arith::AndIOp::create(s.b, bits(args[1]), constant(llvm::APInt::getSignMask(width)));
  next = select(x == 0.0, arith::OrIOp::create(s.b, sign, one), next);
  next = select(x == y, bits(args[1]), next);
  const auto nan = llvm::APFloat::semanticsHasNaN(format.getFloatSemantics());
  if (nan) {
    Value code_of_nan = constant(llvm::APFloat::getNaN(format.getFloatSemantics()).bitcastToAPInt());
    next = select((x != x) || (y != y), code_of_nan, next);
  }
  return IsStoredFloat(format) ? next : arith::BitcastOp::create(s.b, format, next).getResult();
}

// The upper half of the double-width product.
Value HighProduct(const ScalarOp& s, ValueRange args) {
  if (!mlir::isa<mlir::IntegerType>(s.from) || IsBool(s.from)) return {};
  if (IsUnsigned(s.from)) return arith::MulUIExtendedOp::create(s.b, args[0], args[1]).getHigh();
  return arith::MulSIExtendedOp::create(s.b, args[0], args[1]).getHigh();
}

constexpr ScalarRow kSpecialRows[] = {
    {"chlo.erf_inv", &InDouble<&ErfInv>},
    {"chlo.digamma", &InDouble<&Digamma>},
    {"chlo.lgamma", &InDouble<&Lgamma>},
    {"chlo.zeta", &InDouble<&Zeta>},
    {"chlo.polygamma", &InDouble<&Polygamma>},
    {"chlo.bessel_i1e", &InDouble<&BesselI1e>},
    {"chlo.is_inf", &IsInfinite<0>},
    {"chlo.is_pos_inf", &IsInfinite<1>},
    {"chlo.is_neg_inf", &IsInfinite<-1>},
    {"chlo.next_after", &NextAfter},
    {"chlo.mulhi", &HighProduct},
};

}  // namespace

llvm::ArrayRef<ScalarRow> SpecialRows() { return kSpecialRows; }

}  // namespace opbyop::host
