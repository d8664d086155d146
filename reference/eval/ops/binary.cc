// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise arithmetic on two operands.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/free_zeros.h"
#include "reference/tensor/scalar_math.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// Takes the error of element i from worst(i, ex, ey) if its operands have errors ex and ey.
template <typename Fn>
Propagated Propagate(const Tensor& x, const Tensor& y, const Tensor& out, Fn&& worst) {
  if (!HasErrors(x) && !HasErrors(y)) return {};
  Propagated result;
  const Tensor* operands[] = {&x, &y};
  result.depth = DepthOf(operands);
  result.errors.resize(static_cast<size_t>(out.size()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const double ex = ErrorAt(x, i);
    const double ey = ErrorAt(y, i);
    // An unbounded operand may be NaN, whatever the other one is.
    if (ex != 0 || ey != 0) {
      result.errors[static_cast<size_t>(i)] = std::isinf(ex) || std::isinf(ey) ? kInf : worst(i, ex, ey);
    }
  }
  return result;
}

// For f(x, x) with the same value on both sides. It is monotone between the ends of the interval, zero and the largest
// finite numbers, so these points give the greatest error.
Propagated PropagateSame(const Tensor& x, const Tensor& out, double (*f)(double, double)) {
  const double greatest = FormatOf(x.type()).max_finite;
  return Propagate(x, x, out, [&](int64_t i, double e, double) {
    const double v = ValueAt<double>(x, i);
    const double center = f(v, v);
    double worst = CornerError([&](double moved) { return f(moved, moved); }, center, v, e);
    if (std::fabs(v) <= e) worst = std::max(worst, AbsoluteDifference(f(0, 0), center));
    if (v + e > greatest) worst = std::max(worst, AbsoluteDifference(f(kInf, kInf), center));
    if (v - e < -greatest) worst = std::max(worst, AbsoluteDifference(f(-kInf, -kInf), center));
    return worst;
  });
}

Propagated PropagateReal(const Tensor& x, const Tensor& y, const Tensor& out, double (*f)(double, double)) {
  return Propagate(x, y, out, [&](int64_t i, double ex, double ey) {
    const double a = ValueAt<double>(x, i);
    const double b = ValueAt<double>(y, i);
    const double exact = f(a, b);
    const double error = CornerError(f, exact, a, ex, b, ey);
    return KindOf(out.type()) == ElementKind::kFloat
               ? ErrorAtOverflow(error, exact, ValueAt<double>(out, i), FormatOf(out.type()))
               : error;
  });
}

// The error is infinite if the base may be negative and the exponent another one, or if the base may be zero and the
// exponent is negative.
Propagated PropagatePower(const Tensor& x, const Tensor& y, const Tensor& out, double (*f)(double, double)) {
  Propagated result = PropagateReal(x, y, out, f);
  for (size_t i = 0; i < result.errors.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double a = ValueAt<double>(x, at), b = ValueAt<double>(y, at), ea = ErrorAt(x, at), eb = ErrorAt(y, at);
    const bool pole = ea > 0 && std::fabs(a) <= ea && b < 0;
    if (pole || (a - ea <= 0 && eb > 0)) result.errors[i] = kInf;
  }
  return result;
}

// Angles of both signs are next to each other where the abscissa x may be negative and the ordinate y zero.
Propagated PropagateAngle(const Tensor& y, const Tensor& x, const Tensor& out, double (*f)(double, double)) {
  Propagated result = PropagateReal(y, x, out, f);
  for (size_t i = 0; i < result.errors.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double ey = ErrorAt(y, at), ex = ErrorAt(x, at);
    const bool either_side = std::fabs(ValueAt<double>(y, at)) <= ey && ValueAt<double>(x, at) - ex <= 0;
    if ((ey > 0 || ex > 0) && either_side) result.errors[i] = std::max(result.errors[i], 2 * std::numbers::pi);
  }
  return result;
}

// If the divisor may be zero, the error is infinite, and that of a remainder also if the dividend may be infinite. If the
// truncated quotient of a remainder may change by a step, the error is the modulus of the divisor.
Propagated PropagateQuotient(const Tensor& x, const Tensor& y, const Tensor& out, double (*f)(double, double),
                             bool remainder) {
  Propagated result = PropagateReal(x, y, out, f);
  for (size_t i = 0; i < result.errors.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double a = ValueAt<double>(x, at), b = ValueAt<double>(y, at), ea = ErrorAt(x, at), eb = ErrorAt(y, at);
    if (eb == 0 && ea == 0) continue;
    const bool may_be_infinite = ea > 0 && !(std::fabs(a) + ea <= FormatOf(x.type()).max_finite);
    // A number divided by zero itself is infinite, unless it may be zero too, and its remainder is NaN.
    const bool may_be_pole = eb > 0 ? std::fabs(b) <= eb : b == 0 && !remainder && std::fabs(a) <= ea;
    if (std::isinf(eb) || may_be_pole || (remainder && may_be_infinite)) {
      result.errors[i] = kInf;
    } else if (remainder) {
      if (b != 0 && (std::trunc((a - ea) / b) != std::trunc((a + ea) / b) || eb > 0)) {
        // Remainders have the sign of the dividend.
        result.errors[i] = (std::fabs(a) <= ea ? 2 : 1) * (std::fabs(b) + eb);
      }
    }
  }
  return result;
}

Propagated PropagateComplex(const Tensor& x, const Tensor& y, const Tensor& out, Complex (*f)(Complex, Complex)) {
  return Propagate(x, y, out, [&](int64_t i, double ex, double ey) {
    const Complex a = ValueAt<Complex>(x, i);
    const Complex b = ValueAt<Complex>(y, i);
    if (std::isinf(ex) || std::isinf(ey)) return kInf;
    const Complex center = f(a, b);
    double worst = 0;
    for (const Complex d : {Complex(1, 0), Complex(-1, 0), Complex(0, 1), Complex(0, -1)}) {
      worst = std::max(worst, std::abs(f(a + ex * d, b) - center) + std::abs(f(a, b + ey * d) - center));
    }
    return std::isnan(worst) ? kInf : std::numbers::sqrt2 * worst;
  });
}

enum class Kind { kPlain, kProduct, kQuotient, kRemainder, kPower, kFunction, kOrdered };

// Whether the value is used by a sum, possibly after a negation, reshape, broadcast or transpose.
bool IsUsedBySum(mlir::Value value, int depth = 0) {
  constexpr int kMostDepth = 4;
  return depth < kMostDepth &&
         llvm::any_of(
             value.getUsers(),
             [&](mlir::Operation* user) {
               const llvm::StringRef name = user->getName().getStringRef();
               if (name == "stablehlo.add" || name == "stablehlo.subtract" || name == "stablehlo.reduce") return true;
               const bool moves = name == "stablehlo.negate" || name == "stablehlo.reshape" ||
                                  name == "stablehlo.broadcast_in_dim" || name == "stablehlo.transpose";
               return moves && IsUsedBySum(user->getResult(0), depth + 1);
             });
}

// A device may fuse a product and the sum that uses it into a multiply-add. The product then differs by its own
// rounding error. This is less than the distance to a neighbour, so a product that is itself a result stays bit-exact.
// A product that overflows does not overflow inside a multiply-add: its sum with an infinity may be that infinity
// instead of NaN.
void AddContraction(const OpContext& context, const Tensor& x, const Tensor& y, Tensor& out) {
  if (context.op->getNumResults() != 1 || !IsUsedBySum(context.op->getResult(0))) return;
  const std::span<const double> rounded = std::as_const(out).data<double>();
  std::shared_ptr<Bound> bound;
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    const double a = ValueAt<double>(x, i), b = ValueAt<double>(y, i);
    const double error = std::fabs(std::fma(a, b, -rounded[at]));
    if (!(error > 0) || !std::isfinite(a) || !std::isfinite(b)) continue;
    if (!bound) {
      const int depth = out.bounds().empty() ? 1 : out.bound()->depth;
      bound = MakeBound(out.size(), out.bounds().empty() ? "exact, or fused with a sum" : out.bound()->rule, depth);
      std::ranges::copy(out.bounds(), MutableSpan(*bound).begin());
      bound->zero_sign_free = out.bound() != nullptr;
      bound->random = out.bound() && out.bound()->random;
    }
    MutableSpan(*bound)[at] += error;
  }
  if (bound) out.set_bound(std::move(bound));
}

// The values that a complex product may have in a format: computed from four rounded products, or with one product of
// each pair fused with the sum.
std::array<Complex, 3> ProductsInFormat(Complex a, Complex b, const FloatFormat& format) {
  const auto r = [&](double v) { return RoundTo(format, v); };
  const auto fused = [&](double p, double q, double sum) { return r(std::fma(p, q, sum)); };
  const double rr = r(a.real() * b.real()), ii = r(a.imag() * b.imag());
  const double ri = r(a.real() * b.imag()), ir = r(a.imag() * b.real());
  return {Complex(r(rr - ii), r(ri + ir)), Complex(fused(a.real(), b.real(), -ii), fused(a.real(), b.imag(), ir)),
          Complex(fused(-a.imag(), b.imag(), rr), fused(a.imag(), b.real(), ri))};
}

// True if both are finite, both are the same infinity, or both are NaN.
bool IsSameKind(double a, double b) {
  if (std::isfinite(a) || std::isfinite(b)) return std::isfinite(a) && std::isfinite(b);
  return a == b || (std::isnan(a) && std::isnan(b));
}

// A complex power is exp(w log z). The exponent has an error relative to its size, and this absolute error of the
// exponent is a relative error of the result.
void AddExponentError(const Tensor& z, const Tensor& w, Tensor& out) {
  // Roundings of a logarithm and a product.
  constexpr double kRoundings = 8;
  const double unit = 2 * FormatOf(out.type()).UnitRoundoff();
  auto bound = CopyOfBound(out, "error of the exponent");
  const std::span<double> errors = MutableSpan(*bound);
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    const double exponent = std::abs(ValueAt<Complex>(w, i) * std::log(ValueAt<Complex>(z, i)));
    const double error = kRoundings * unit * exponent * std::abs(std::as_const(out).data<Complex>()[at]);
    if (std::isfinite(error)) errors[at] += error;
  }
  out.set_bound(std::move(bound));
}

bool HasNan(Complex a) { return std::isnan(a.real()) || std::isnan(a.imag()); }

// The specification orders complex numbers as pairs of numbers, but does not say where NaN is in that order.
void OpenWhereNanIsOrdered(const Tensor& x, const Tensor& y, Tensor& out) {
  OpenWhere(out, "any value: the order of NaN is open",
            [&](int64_t i) { return HasNan(ValueAt<Complex>(x, i)) || HasNan(ValueAt<Complex>(y, i)); });
}

// The specification does not say what a complex function gives for infinities, NaN and poles. The usual formulas for
// powers and functions also differ if a result overflows, and those for functions if the square of a part leaves the
// range of the format.
void OpenExceptions(const Tensor& x, const Tensor& y, Tensor& out, Kind kind) {
  const FloatFormat& format = FormatOf(out.type());
  const auto is_tame = [&](Complex z) { return kind != Kind::kFunction || HasTameSquares(format, z); };
  OpenWhere(out, "any value for exceptional operands", [&](int64_t i) {
    const auto a = ValueAt<Complex>(x, i), b = ValueAt<Complex>(y, i), result = ValueAt<Complex>(out, i);
    if (!IsFinite(a) || !IsFinite(b) || HasNan(result)) return true;
    return kind != Kind::kProduct && (!IsFinite(result) || !is_tame(a) || !is_tame(b));
  });
}

// Applies a function of two real numbers to each pair of elements and rounds the results. Returns those before rounding
// if the bound needs them.
template <auto kReal>
std::vector<double> MapReals(const OpContext& context, const Tensor& x, const Tensor& y, Tensor& out) {
  std::vector<double> exact;
  if (const VectorFunction* vector = VectorFunctionFor(context.name, out)) {
    MapToF32(*vector, {x.data<double>().data(), x.size() == 1}, {y.data<double>().data(), y.size() == 1}, out.size(),
             out.Mutable<double>().data(),
             [&](int64_t i) { return kReal(ValueAt<double>(x, i), ValueAt<double>(y, i)); });
  } else {
    MapBinary<double, double>(x, y, out, [](double a, double b) { return kReal(a, b); });
    if (context.bounds()) exact = BeforeRounding(context.name, out);
    RoundResult(out);
  }
  return exact;
}

// Evaluates an op with one function per kind of element: kReal on doubles, kInteger(a, b, info) -> uint64_t bits,
// kBool, kComplex. nullptr: the op does not take that kind.
template <auto kReal, auto kInteger, auto kBool, auto kComplex, Kind kKind = Kind::kPlain>
Expected<Values> Arithmetic(OpContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& y = context.in(1);
  Tensor out = Tensor::Make(x.type(), WidestShape({&x, &y}));
  const ElementTypeInfo& info = Info(x.type());
  const auto absent = []<typename F>(F) { return std::is_same_v<F, std::nullptr_t>; };
  switch (info.kind) {
    case ElementKind::kFloat:
      if constexpr (!absent(kReal)) {
        const std::vector<double> exact = MapReals<kReal>(context, x, y, out);
        if (context.bounds()) {
          constexpr bool kSteps = kKind == Kind::kQuotient || kKind == Kind::kRemainder;
          // Both operands have the same error. PropagateSame does not apply to a power: x^x is not monotone around 1 /
          // e.
          Propagated propagated = kKind == Kind::kPower      ? PropagatePower(x, y, out, +kReal)
                                  : kKind == Kind::kFunction ? PropagateAngle(x, y, out, +kReal)
                                  : x.IsSameValueAs(y)       ? PropagateSame(x, out, +kReal)
                                  : kSteps ? PropagateQuotient(x, y, out, +kReal, kKind == Kind::kRemainder)
                                           : PropagateReal(x, y, out, +kReal);
          SetElementwiseBound(context.name, out, std::move(propagated), exact);
          if (kKind == Kind::kProduct) AddContraction(context, x, y, out);
          if (kKind == Kind::kOrdered) {
            FixZeroSigns(context, out, [&](int64_t i) {
              ZeroSigns signs;
              signs.Add(x, i);
              signs.Add(y, i);
              return signs.open();
            });
          }
        }
        return Values{std::move(out)};
      }
      break;
    case ElementKind::kInteger:
      if constexpr (!absent(kInteger)) {
        const auto apply = [&](int64_t a, int64_t b) { return WrapInteger(info, kInteger(a, b, info)); };
        MapBinary<int64_t, int64_t>(x, y, out, apply);
        if (context.bounds() && (HasErrors(x) || HasErrors(y))) {
          const auto at_ends = [&](int64_t i) {
            constexpr bool kMonotone = kKind == Kind::kPlain || kKind == Kind::kProduct || kKind == Kind::kOrdered;
            if constexpr (kMonotone && !absent(kReal)) return ErrorAtEnds(x, y, out, i, +kReal);
            return kInf;
          };
          SetElementwiseBound(context.name, out, IntegerErrors<int64_t>(x, y, out, apply, at_ends));
        }
        return Values{std::move(out)};
      }
      break;
    case ElementKind::kBool:
      if constexpr (!absent(kBool)) {
        const auto apply = [](int64_t a, int64_t b) -> uint8_t { return kBool(a != 0, b != 0); };
        MapBinary<uint8_t, uint8_t>(x, y, out, apply);
        if (context.bounds() && (HasErrors(x) || HasErrors(y))) {
          SetElementwiseBound(context.name, out, IntegerErrors<uint8_t>(x, y, out, apply, [](int64_t) { return 1.0; }));
        }
        return Values{std::move(out)};
      }
      break;
    case ElementKind::kComplex:
      if constexpr (!absent(kComplex)) {
        MapBinary<Complex, Complex>(x, y, out, [](Complex a, Complex b) { return kComplex(a, b); });
        RoundResult(out);
        if (context.bounds()) {
          SetElementwiseBound(context.name, out, PropagateComplex(x, y, out, +kComplex));
          if (kKind == Kind::kPower) AddExponentError(x, y, out);
          if (kKind == Kind::kProduct) OpenWhereProductsOverflow(x, y, out);
          if (kKind == Kind::kOrdered) OpenWhereNanIsOrdered(x, y, out);
          if (kKind != Kind::kPlain && kKind != Kind::kOrdered) OpenExceptions(x, y, out, kKind);
        }
        return Values{std::move(out)};
      }
      break;
  }
  return context.Unsupported(std::string(context.name) + " of " + std::string(info.name));
}

// Sets an infinite bound where the operands are outside of the domain of a function, or may be.
template <typename Fn>
Expected<Values> WithDomain(const OpContext& context, Expected<Values> results, Fn&& is_inside) {
  if (!results || !context.bounds()) return results;
  OpenWhere((*results)[0].tensor(), "any value outside of the domain", [&](int64_t i) {
    const double a = ValueAt<double>(context.in(0), i), b = ValueAt<double>(context.in(1), i);
    const double ea = ErrorAt(context.in(0), i), eb = ErrorAt(context.in(1), i);
    return !(std::isfinite(a) && std::isfinite(b) && is_inside(a - ea, b - eb) && is_inside(a - ea, b + eb) &&
             is_inside(a + ea, b - eb) && is_inside(a + ea, b + eb));
  });
  return results;
}

uint64_t U(int64_t v) { return static_cast<uint64_t>(v); }

bool Less(int64_t a, int64_t b, const ElementTypeInfo& info) { return info.is_signed ? a < b : U(a) < U(b); }

// Division by zero gives all ones, and the least number divided by -1 gives itself, as XLA's targets do.
uint64_t Quotient(int64_t a, int64_t b, const ElementTypeInfo& info) {
  if (b == 0) return ~uint64_t{0};
  if (!info.is_signed) return U(a) / U(b);
  return b == -1 ? uint64_t{0} - U(a) : U(a / b);
}
uint64_t Modulo(int64_t a, int64_t b, const ElementTypeInfo& info) {
  if (b == 0) return U(a);
  if (!info.is_signed) return U(a) % U(b);
  return b == -1 ? 0 : U(a % b);
}
uint64_t IntegerPower(int64_t base, int64_t exponent, const ElementTypeInfo& info) {
  if (info.is_signed && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return (exponent & 1) ? ~uint64_t{0} : 1;
    return 0;  // for base 0 too, as in upstream's interpreter and XLA
  }
  uint64_t result = 1;
  uint64_t square = U(base);
  for (uint64_t e = U(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= square;
    square *= square;
  }
  return result;
}
uint64_t MulHigh(int64_t a, int64_t b, const ElementTypeInfo& info) {
  if (info.is_signed) return static_cast<uint64_t>((static_cast<__int128>(a) * b) >> info.width);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(U(a)) * U(b)) >> info.width);
}

bool Before(Complex a, Complex b) { return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag()); }

// CHLO only names these functions. What they give outside of their domain is open: at poles, and where series do not
// converge.
Expected<Values> ZetaInDomain(OpContext& context) {
  Expected<Values> results =
      Arithmetic<[](double a, double b) { return Zeta(a, b); }, nullptr, nullptr, nullptr>(context);
  return WithDomain(context, std::move(results), [](double order, double q) { return order > 1 && q > 0; });
}
Expected<Values> PolygammaInDomain(OpContext& context) {
  Expected<Values> results =
      Arithmetic<[](double a, double b) { return Polygamma(a, b); }, nullptr, nullptr, nullptr>(context);
  return WithDomain(context, std::move(results),
                    [](double order, double x) { return order >= 0 && order == std::floor(order) && x > 0; });
}

// Gives the neighbour of x towards y in x's own format.
Expected<Values> NextAfter(OpContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& y = context.in(1);
  if (x.kind() != ElementKind::kFloat) return context.Unsupported("next_after of this type");
  Tensor out = Tensor::Make(x.type(), WidestShape({&x, &y}));
  const FloatFormat& format = FormatOf(x.type());
  MapBinary<double, double>(x, y, out, [&](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    if (a == b) return b;
    if (a == 0) return std::copysign(format.Ulp(0), b);
    const double least = format.Ulp(0);
    if (std::fabs(a) == least && (b > a) != (a > 0)) return std::copysign(0.0, a);
    const uint64_t code = EncodeFloat(format, a);
    return DecodeFloat(format, (b > a) == (a > 0) ? code + 1 : code - 1);
  });
  if (context.bounds()) {
    // The neighbour of another number is as far from that of this one, but for the distance between neighbours. It may
    // lie on the other side.
    SetElementwiseBound(context.name, out, Propagate(x, y, out, [&](int64_t i, double ex, double) {
                          return ex + 2 * format.Ulp(std::fabs(ValueAt<double>(x, i)) + ex);
                        }));
  }
  return Values{std::move(out)};
}

}  // namespace

bool HasTameSquares(const FloatFormat& format, Complex z) {
  const double normal = std::ldexp(1.0, format.min_exponent);
  const auto is_tame = [&](double v) { return v == 0 || (v * v <= format.max_finite && v * v >= normal); };
  return is_tame(z.real()) && is_tame(z.imag());
}

void OpenWhereProductsOverflow(const Tensor& x, const Tensor& y, Tensor& out) {
  const FloatFormat& format = FormatOf(out.type());
  const auto size = [](Complex v) { return std::fabs(v.real()) + std::fabs(v.imag()); };
  OpenWhere(out, "any value if a product of parts overflows", [&](int64_t i) {
    const auto a = ValueAt<Complex>(x, i), b = ValueAt<Complex>(y, i), product = ValueAt<Complex>(out, i);
    if (!(size(a) * size(b) > format.max_finite) || !std::isfinite(size(a)) || !std::isfinite(size(b))) return false;
    return !std::ranges::all_of(ProductsInFormat(a, b, format), [&](Complex v) {
      return IsSameKind(v.real(), product.real()) && IsSameKind(v.imag(), product.imag());
    });
  });
}

void AddBinary(EvalTableType& table) {
  table["stablehlo.add"] =
      &Arithmetic<[](double a, double b) { return a + b; },
                  [](int64_t a, int64_t b, const ElementTypeInfo&) { return U(a) + U(b); },
                  [](bool a, bool b) { return a || b; }, [](Complex a, Complex b) { return a + b; }>;
  table["stablehlo.subtract"] = &Arithmetic<[](double a, double b) { return a - b; },
                                            [](int64_t a, int64_t b, const ElementTypeInfo&) { return U(a) - U(b); },
                                            nullptr, [](Complex a, Complex b) { return a - b; }>;
  table["stablehlo.multiply"] = &Arithmetic<[](double a, double b) { return a * b; },
                                            [](int64_t a, int64_t b, const ElementTypeInfo&) { return U(a) * U(b); },
                                            [](bool a, bool b) { return a && b; },
                                            [](Complex a, Complex b) { return ComplexMultiply(a, b); }, Kind::kProduct>;
  table["stablehlo.divide"] =
      &Arithmetic<[](double a, double b) { return a / b; },
                  [](int64_t a, int64_t b, const ElementTypeInfo& i) { return Quotient(a, b, i); }, nullptr,
                  [](Complex a, Complex b) { return ComplexDivide(a, b); }, Kind::kQuotient>;
  table["stablehlo.remainder"] =
      &Arithmetic<[](double a, double b) { return std::fmod(a, b); },
                  [](int64_t a, int64_t b, const ElementTypeInfo& i) { return Modulo(a, b, i); }, nullptr, nullptr,
                  Kind::kRemainder>;
  table["stablehlo.maximum"] =
      &Arithmetic<[](double a, double b) { return Maximum(a, b); },
                  [](int64_t a, int64_t b, const ElementTypeInfo& i) { return U(Less(a, b, i) ? b : a); },
                  [](bool a, bool b) { return a || b; },
                  [](Complex a, Complex b) { return HasNan(a)      ? a
                                                    : HasNan(b)    ? b
                                                    : Before(a, b) ? b
                                                                   : a; },
                  Kind::kOrdered>;
  table["stablehlo.minimum"] =
      &Arithmetic<[](double a, double b) { return Minimum(a, b); },
                  [](int64_t a, int64_t b, const ElementTypeInfo& i) { return U(Less(b, a, i) ? b : a); },
                  [](bool a, bool b) { return a && b; },
                  [](Complex a, Complex b) { return HasNan(a)      ? a
                                                    : HasNan(b)    ? b
                                                    : Before(b, a) ? b
                                                                   : a; },
                  Kind::kOrdered>;
  table["stablehlo.power"] =
      &Arithmetic<[](double a, double b) { return std::pow(a, b); },
                  [](int64_t a, int64_t b, const ElementTypeInfo& i) { return IntegerPower(a, b, i); }, nullptr,
                  [](Complex a, Complex b) { return ComplexPower(a, b); }, Kind::kPower>;
  table["stablehlo.atan2"] = &Arithmetic<[](double a, double b) { return std::atan2(a, b); }, nullptr, nullptr,
                                         [](Complex a, Complex b) { return ComplexAtan2(a, b); }, Kind::kFunction>;
  table["chlo.mulhi"] =
      &Arithmetic<nullptr, [](int64_t a, int64_t b, const ElementTypeInfo& i) { return MulHigh(a, b, i); }, nullptr,
                  nullptr>;
  table["chlo.zeta"] = &ZetaInDomain;
  table["chlo.polygamma"] = &PolygammaInDomain;
  table["chlo.next_after"] = &NextAfter;
}

}  // namespace opbyop::reference
