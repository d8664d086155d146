// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows for logarithms, powers, trigonometric and hyperbolic functions, their inverses, cube roots and the modulus. Real
// numbers use libm. Complex numbers use real functions in f64, so that intermediate results of f32 parts neither
// overflow nor cancel.
#include <mlir/Dialect/Complex/IR/Complex.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <numbers>
#include <utility>

#include "device/host/lowering/real.h"
#include "device/host/lowering/scalar.h"
#include "device/host/lowering/scalar_ops.h"

namespace opbyop::host {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace complex = mlir::complex;
namespace math = mlir::math;

using Parts = std::pair<Real, Real>;  // real, imaginary

// The squares of numbers beyond these are outside of the range of f64.
constexpr double kLarge = 1e150;
constexpr double kSmall = 1e-150;

// Let asin(|x| + i|y|) = p + iq. Returns sqrt(a^2 - x^2) and q; p is the arc tangent of |x| / sqrt(a^2 - x^2). Uses
// Hull, Fairgrieve, Tang (1997): r = |z + 1|, s = |z - 1|, a = (r + s) / 2. Differences are written so that nothing
// cancels.
Parts Kernel(Real real, Real imag) {
  Real x = Abs(real);
  Real y = Abs(imag);
  Real r = Hypot(x + 1.0, y);
  Real s = Hypot(x - 1.0, y);
  Real a = (r + s) * 0.5;
  Real y2 = y * y;
  Truth inside = x <= 1.0;
  Real above = y2 / (r + (x + 1.0));              // r - (x + 1)
  Real far = s + Abs(x - 1.0);                    // the sum that does not cancel
  Real near = Select(far == 0.0, 0.0, y2 / far);  // the difference, without its cancellation
  Real beside = Select(inside, far, near);        // s - (x - 1)
  Real below = Select(inside, near, far);         // s - (1 - x)
  Real p = Sqrt((above + beside) * 0.5 * (a + x));
  Real beyond = (above + below) * 0.5;  // a - 1
  Real q = Log1p(beyond + Sqrt(beyond * (a + 1.0)));
  q = Select((y < kSmall) && (x < 1.0), y / Sqrt((1.0 - x) * (1.0 + x)), q);
  Truth large = Maximum(x, y) > kLarge;
  return {Select(large, y, p), Select(large, Log(Hypot(x * 0.5, y * 0.5)) + 2 * std::numbers::ln2, q)};
}

Parts Asin(Real x, Real y) {
  const auto [p, q] = Kernel(x, y);
  return {Atan2(x, p), CopySign(q, y)};
}

Parts Acos(Real x, Real y) {
  const auto [p, q] = Kernel(x, y);
  return {Atan2(p, x), -CopySign(q, y)};
}

Parts Acosh(Real x, Real y) {
  const auto [p, q] = Kernel(x, y);
  return {q, CopySign(Atan2(p, x), y)};
}

// -i asin(iz)
Parts Asinh(Real x, Real y) {
  const auto [p, q] = Kernel(y, x);
  return {CopySign(q, x), Atan2(y, p)};
}

// log((1 + z) / (1 - z)) / 2
Parts Atanh(Real x, Real y) {
  Real a = Abs(x);
  Real distance = (1.0 - a) * (1.0 - a) + y * y;
  Real h = Hypot(x, y);
  Truth large = h > kLarge;
  Real real = Select(large, a / h / h, 0.25 * Log1p(4.0 * a / distance));
  Real angle = 0.5 * Atan2(2.0 * y, (1.0 - a) * (1.0 + a) - y * y);
  return {CopySign(real, x), Select(large, CopySign(x.Number(std::numbers::pi / 2), y), angle)};
}

// -i atanh(iz)
Parts Atan(Real x, Real y) {
  const auto [real, imag] = Atanh(-y, x);
  return {imag, -real};
}

Parts Sinh(Real x, Real y) { return {Sinh(x) * Cos(y), Cosh(x) * Sin(y)}; }
Parts Cosh(Real x, Real y) { return {Cosh(x) * Cos(y), Sinh(x) * Sin(y)}; }

Parts Sin(Real x, Real y) { return {Sin(x) * Cosh(y), Cos(x) * Sinh(y)}; }

// If the modulus is close to 1, log|z| cancels; it is then log1p(|z|^2 - 1) / 2.
Parts Log(Real x, Real y) {
  Real h = Hypot(x, y);
  Real near = 0.5 * Log1p((x - 1.0) * (x + 1.0) + y * y);
  return {Select((h > 0.5) && (h < 2.0), near, Log(h)), Atan2(y, x)};
}

Parts LogPlusOne(Real x, Real y) {
  Real near = 0.5 * Log1p(x * (x + 2.0) + y * y);
  return {Select((Abs(x) < 0.5) && (Abs(y) < 0.5), near, Log(Hypot(x + 1.0, y))), Atan2(y, x + 1.0)};
}

// exp(w log z). If z is 0, the result is the limit.
Parts Power(Real x, Real y, Real u, Real v) {
  const auto [log, angle] = Log(x, y);
  Real size = Exp(u * log - v * angle);
  Real turn = v * log + u * angle;
  Truth one = (u == 0.0) && (v == 0.0);
  Truth zero = (x == 0.0) && (y == 0.0) && (u > 0.0);
  return {Select(one, 1.0, Select(zero, 0.0, size * Cos(turn))), Select(one || zero, 0.0, size * Sin(turn))};
}

// The root whose angle is a third of the principal angle.
Parts Cbrt(Real x, Real y) {
  Real h = Hypot(x, y);
  Real root = Real(*h.b, math::CbrtOp::create(*h.b, h.value));
  Real angle = Atan2(y, x) / 3.0;
  return {root * Cos(angle), root * Sin(angle)};
}

// Calls fn with the real and imaginary parts of all arguments, in f64.
template <typename Fn>
Value OfParts(const ScalarOp& s, ValueRange args, Fn&& fn) {
  auto type = mlir::cast<mlir::ComplexType>(args[0].getType());
  llvm::SmallVector<Real, 4> parts;
  const auto widen = [&](Value part) { parts.emplace_back(s.b, ConvertFloat(s.b, part, s.b.getF64Type())); };
  for (Value arg : args) {
    widen(complex::ReOp::create(s.b, arg));
    widen(complex::ImOp::create(s.b, arg));
  }
  const auto [real, imag] = fn(parts);
  const auto narrow = [&](Real part) { return ConvertFloat(s.b, part.value, type.getElementType()); };
  return complex::CreateOp::create(s.b, type, narrow(real), narrow(imag));
}

template <typename FloatT, auto fn>
Value Function(const ScalarOp& s, ValueRange args) {
  if constexpr (!std::is_void_v<FloatT>) {
    if (mlir::isa<mlir::FloatType>(s.from)) return FloatT::create(s.b, args[0]);
  }
  if (!mlir::isa<mlir::ComplexType>(args[0].getType())) return {};
  return OfParts(s, args, [](llvm::ArrayRef<Real> z) { return static_cast<Parts (*)(Real, Real)>(fn)(z[0], z[1]); });
}

constexpr ScalarRow kComplexRows[] = {
    {"chlo._asin_acos_kernel", &Function<void, &Kernel>},
    {"chlo.acos", &Function<math::AcosOp, &Acos>},
    {"chlo.acosh", &Function<math::AcoshOp, &Acosh>},
    {"chlo.asin", &Function<math::AsinOp, &Asin>},
    {"chlo.asinh", &Function<math::AsinhOp, &Asinh>},
    {"chlo.atan", &Function<math::AtanOp, &Atan>},
    {"chlo.atanh", &Function<math::AtanhOp, &Atanh>},
    {"chlo.cosh", &Function<math::CoshOp, static_cast<Parts (*)(Real, Real)>(&Cosh)>},
    {"chlo.sinh", &Function<math::SinhOp, static_cast<Parts (*)(Real, Real)>(&Sinh)>},
    {"stablehlo.cbrt", &Function<math::CbrtOp, &Cbrt>},
    {"stablehlo.log", &Function<math::LogOp, static_cast<Parts (*)(Real, Real)>(&Log)>},
    {"stablehlo.log_plus_one", &Function<math::Log1pOp, &LogPlusOne>},
    {"stablehlo.sine", &Function<math::SinOp, static_cast<Parts (*)(Real, Real)>(&Sin)>},
};

}  // namespace

Value ComplexPower(const ScalarOp& s, ValueRange args) {
  return OfParts(s, args, [](llvm::ArrayRef<Real> z) { return Power(z[0], z[1], z[2], z[3]); });
}

Value ComplexModulus(const ScalarOp& s, Value arg) {
  const auto part = [&](Value v) { return Real(s.b, ConvertFloat(s.b, v, s.b.getF64Type())); };
  Real h = Hypot(part(complex::ReOp::create(s.b, arg)), part(complex::ImOp::create(s.b, arg)));
  return ConvertFloat(s.b, h.value, mlir::cast<mlir::ComplexType>(arg.getType()).getElementType());
}

llvm::ArrayRef<ScalarRow> ComplexRows() { return kComplexRows; }

}  // namespace opbyop::host
