// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops of StableHLO and CHLO with one operand.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <numbers>

#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/tensor/scalar_math.h"

namespace opbyop::reference {
namespace {

using Wide = std::complex<long double>;

Complex Narrow(const Wide& z) { return {static_cast<double>(z.real()), static_cast<double>(z.imag())}; }

// The method that bounds the effect of an operand's error on the result.
enum class Slope {
  kCorners,  // f at both ends of [x - e, x + e]
  kExact,    // as kCorners; f gives numbers of the type, so that nothing is rounded: negate, floor
  kUnit,     // |f'| <= 1 everywhere, and |f| <= 1: sine, cosine
  kPoles,    // as kCorners, but infinite if the interval may contain a pole, or at a pole where the result is NaN
  kTangent,  // as kCorners, but infinite if the interval contains a pole of the tangent
};

// True if an element is NaN at a pole. What a function gives there is not specified: others give a limit.
bool HasOpenPoles(const Tensor& x, const Tensor& out) {
  for (int64_t i = 0; i < out.size(); ++i) {
    if (std::isnan(ValueAt<double>(out, i)) && std::isfinite(ValueAt<double>(x, i))) return true;
  }
  return false;
}

// The number of the period of the tangent, from pole to pole, that v is in.
double TangentPeriod(double v) { return std::floor(v / std::numbers::pi + 0.5); }

Propagated PropagateReal(const Tensor& x, const Tensor& out, double (*f)(double), Slope slope) {
  if (!HasErrors(x) && !(slope == Slope::kPoles && HasOpenPoles(x, out))) return {};
  Propagated result;
  if (x.bound()) result.depth = x.bound()->depth;
  result.rounded = slope == Slope::kExact;
  result.errors.resize(static_cast<size_t>(out.size()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const double e = ErrorAt(x, i);
    const double v = ValueAt<double>(x, i);
    double& error = result.errors[static_cast<size_t>(i)];
    if (slope == Slope::kPoles && std::isfinite(v) && std::isnan(ValueAt<double>(out, i))) {
      error = std::numeric_limits<double>::infinity();
    } else if (e == 0 || (std::isnan(v) && !std::isinf(e))) {
      error = 0;
    } else if (std::isinf(e)) {
      error = e;  // an unbounded operand may be NaN
    } else if (slope == Slope::kUnit) {
      error = std::min(e, 2.0);
    } else if (slope == Slope::kPoles && std::floor(v - e) != std::floor(v + e)) {
      error = std::numeric_limits<double>::infinity();
    } else if (slope == Slope::kTangent && TangentPeriod(v - e) != TangentPeriod(v + e)) {
      error = std::numeric_limits<double>::infinity();
    } else {
      const double exact = f(v);
      error = ErrorAtOverflow(CornerError(f, exact, v, e), exact, ValueAt<double>(out, i), FormatOf(out.type()));
    }
  }
  return result;
}

// First-order error, with the slope taken in four directions.
Propagated PropagateComplex(const Tensor& x, const Tensor& out, Complex (*f)(Complex)) {
  if (!HasErrors(x)) return {};
  Propagated result;
  result.depth = x.bound()->depth;
  result.errors.resize(static_cast<size_t>(out.size()));
  for (int64_t i = 0; i < out.size(); ++i) {
    const double e = ErrorAt(x, i);
    if (e == 0) continue;
    const Complex v = ValueAt<Complex>(x, i);
    const Complex center = f(v);
    double worst = 0;
    for (const Complex step : {Complex(e, 0), Complex(-e, 0), Complex(0, e), Complex(0, -e)}) {
      worst = std::max(worst, std::abs(f(v + step) - center));
    }
    result.errors[static_cast<size_t>(i)] =
        std::isnan(worst) ? std::numeric_limits<double>::infinity() : std::numbers::sqrt2 * worst;
  }
  return result;
}

// The specification does not say what a function of a complex number gives for infinities, NaN, poles and results that
// overflow, and its usual formulas differ there and where a square leaves the range of the format. On which side of a
// branch cut a negative zero is, is open too.
void OpenExceptions(const Tensor& x, Tensor& out) {
  const auto is_finite = [](Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  const auto is_negative_zero = [](double v) { return v == 0 && std::signbit(v); };
  OpenWhere(out, "any value for exceptional operands", [&](int64_t i) {
    const auto v = ValueAt<Complex>(x, i);
    const bool on_cut = is_negative_zero(v.real()) || is_negative_zero(v.imag());
    return on_cut || !is_finite(v) || !is_finite(ValueAt<Complex>(out, i)) || !HasTameSquares(FormatOf(x.type()), v);
  });
}

template <auto kReal, auto kComplex, Slope kSlope>
Expected<Values> FloatUnary(OpContext& context) {
  const Tensor& x = context.in(0);
  Tensor out = Tensor::Make(x.type(), x.shape());
  if (x.kind() == ElementKind::kFloat) {
    std::vector<double> exact;
    if (const VectorFunction* vector = VectorFunctionFor(context.name, out)) {
      const double* from = x.data<double>().data();
      MapToF32(*vector, {from}, {}, out.size(), out.Mutable<double>().data(),
               [&](int64_t i) { return kReal(from[i]); });
    } else {
      MapUnary<double, double>(x, out, [](double v) { return kReal(v); });
      if (context.bounds()) exact = BeforeRounding(context.name, out);
      RoundResult(out);
    }
    if (context.bounds()) SetElementwiseBound(context.name, out, PropagateReal(x, out, +kReal, kSlope), exact);
    return Values{std::move(out)};
  }
  if constexpr (!std::is_same_v<decltype(kComplex), std::nullptr_t>) {
    if (x.kind() == ElementKind::kComplex) {
      MapUnary<Complex, Complex>(x, out, [](Complex v) { return kComplex(v); });
      RoundResult(out);
      if (context.bounds()) {
        SetElementwiseBound(context.name, out, PropagateComplex(x, out, +kComplex));
        const OpRules* rules = FindOpRules(context.name);
        if (rules == nullptr || rules->complex_ulps > 0) OpenExceptions(x, out);
      }
      return Values{std::move(out)};
    }
  }
  return context.Unsupported(std::string(context.name) + " of " + std::string(NameOf(x.type())));
}

// Evaluates an op on integers, with wrap-around, or on floats and complex numbers if it takes these.
template <auto kInteger, auto kReal, auto kComplex, Slope kSlope = Slope::kExact>
Expected<Values> AnyUnary(OpContext& context) {
  const Tensor& x = context.in(0);
  if (x.kind() != ElementKind::kInteger) return FloatUnary<kReal, kComplex, kSlope>(context);
  const ElementTypeInfo& info = Info(x.type());
  Tensor out = Tensor::Make(x.type(), x.shape());
  const auto apply = [&](int64_t v) { return WrapInteger(info, kInteger(v, info)); };
  MapUnary<int64_t, int64_t>(x, out, apply);
  if (context.bounds() && HasErrors(x)) {
    const auto at_ends = [&](int64_t i) {
      return ErrorAtEnds(x, x, out, i, [](double v, double) { return kReal(v); });
    };
    const auto apply_to_both = [&](int64_t v, int64_t) { return apply(v); };
    SetElementwiseBound(context.name, out, IntegerErrors<int64_t>(x, x, out, apply_to_both, at_ends));
  }
  return Values{std::move(out)};
}

Expected<Values> Abs(OpContext& context) {
  const Tensor& x = context.in(0);
  if (x.kind() != ElementKind::kComplex) {
    return AnyUnary<[](int64_t v, const ElementTypeInfo& info) {
      return info.is_signed && v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    },
                    [](double v) { return std::fabs(v); }, nullptr>(context);
  }
  Tensor out = Tensor::Make(PartOf(x.type()), x.shape());
  MapUnary<double, Complex>(x, out, [](Complex v) { return std::hypot(v.real(), v.imag()); });
  RoundResult(out);
  static constexpr OpRules kModulus{.op = "stablehlo.abs", .accuracy = Accuracy{4, 4, 4}};
  if (!context.bounds()) return Values{std::move(out)};
  SetElementwiseBound(kModulus, out, CarriedErrors(out, {&x}));
  // The modulus by IEEE 754's hypot is infinite, that by a root of squares is NaN, and the specification names neither.
  OpenWhere(out, "any value of an infinity and NaN", [&](int64_t i) {
    const auto v = ValueAt<Complex>(x, i);
    return (std::isinf(v.real()) && std::isnan(v.imag())) || (std::isnan(v.real()) && std::isinf(v.imag()));
  });
  return Values{std::move(out)};
}

Expected<Values> Square(OpContext& context) {
  Expected<Values> squares =
      AnyUnary<[](int64_t v, const ElementTypeInfo&) { return static_cast<uint64_t>(v) * static_cast<uint64_t>(v); },
               [](double v) { return v * v; }, [](Complex v) { return ComplexSquare(v); }, Slope::kCorners>(context);
  if (squares && context.bounds() && context.in(0).kind() == ElementKind::kComplex) {
    OpenWhereProductsOverflow(context.in(0), context.in(0), (*squares)[0].tensor());
  }
  return squares;
}

Expected<Values> Not(OpContext& context) {
  const Tensor& x = context.in(0);
  Tensor out = Tensor::Make(x.type(), x.shape());
  if (x.kind() == ElementKind::kBool) {
    MapUnary<uint8_t, uint8_t>(x, out, [](uint8_t v) -> uint8_t { return !v; });
  } else {
    const ElementTypeInfo& info = Info(x.type());
    MapUnary<int64_t, int64_t>(x, out, [&](int64_t v) { return WrapInteger(info, ~static_cast<uint64_t>(v)); });
  }
  if (context.bounds() && HasErrors(x)) SetElementwiseBound(context.name, out, CarriedErrors(out, {&x}));
  return Values{std::move(out)};
}

uint64_t Bits(int64_t v, const ElementTypeInfo& info) {
  return static_cast<uint64_t>(v) & (~uint64_t{0} >> (64 - info.width));
}

// Evaluates a test that gives one boolean per float.
template <auto kTest>
Expected<Values> FloatTest(OpContext& context) {
  const Tensor& x = context.in(0);
  if (x.kind() != ElementKind::kFloat) return context.Unsupported(std::string(context.name) + " of this type");
  Tensor out = Tensor::Make(ElementType::kI1, x.shape());
  MapUnary<uint8_t, double>(x, out, [](double v) -> uint8_t { return kTest(v); });
  if (context.bounds() && HasErrors(x)) {
    Propagated propagated = CarriedErrors(out, {&x});
    const double greatest = FormatOf(x.type()).max_finite;
    for (int64_t i = 0; i < out.size(); ++i) {
      // Undecided where a device may have an infinity and another a number.
      const double e = ErrorAt(x, i), v = ValueAt<double>(x, i);
      const bool overflows = std::isfinite(v) ? std::fabs(v) + e > greatest : e > 0 && std::isinf(v);
      propagated.errors[static_cast<size_t>(i)] = std::isinf(e) || overflows ? 1 : 0;
    }
    SetElementwiseBound(context.name, out, std::move(propagated));
  }
  return Values{std::move(out)};
}

template <auto kReal, auto kComplex = nullptr, Slope kSlope = Slope::kCorners>
constexpr EvalFn kFloat = &FloatUnary<kReal, kComplex, kSlope>;

}  // namespace

const VectorFunction* VectorFunctionFor(std::string_view op, const Tensor& out) {
  constexpr int64_t kWorthIts = 32;
  return out.type() == ElementType::kF32 && out.size() >= kWorthIts ? FindVectorFunction(op) : nullptr;
}

Propagated CarriedErrors(const Tensor& out, std::initializer_list<const Tensor*> operands) {
  Propagated result;
  const std::vector<const Tensor*> list(operands);
  result.depth = DepthOf(list);
  if (result.depth == 0) return result;
  result.errors.assign(static_cast<size_t>(out.size()), 0);
  for (const Tensor* t : operands) {
    for (int64_t i = 0; i < out.size(); ++i) result.errors[static_cast<size_t>(i)] += ErrorAt(*t, i);
  }
  return result;
}

void AddUnary(EvalTableType& table) {
#define OPBYOP_REAL(fn) [](double v) -> double { return fn(v); }
#define OPBYOP_WIDE(fn) [](Complex v) -> Complex { return Narrow(fn(Wide(v))); }
#define OPBYOP_COMPLEX(fn) [](Complex v) -> Complex { return fn(v); }
  table["stablehlo.abs"] = &Abs;
  table["stablehlo.not"] = &Not;
  table["stablehlo.negate"] =
      &AnyUnary<[](int64_t v, const ElementTypeInfo&) { return uint64_t{0} - static_cast<uint64_t>(v); },
                [](double v) { return -v; }, [](Complex v) { return -v; }>;
  table["stablehlo.sign"] = &AnyUnary<[](int64_t v, const ElementTypeInfo& info) -> uint64_t {
    if (v == 0) return 0;
    return info.is_signed && v < 0 ? ~uint64_t{0} : 1;
  },
                                      [](double v) { return Sign(v); }, [](Complex v) { return ComplexSign(v); }>;
  table["stablehlo.popcnt"] = &AnyUnary<[](int64_t v, const ElementTypeInfo& info) {
    return static_cast<uint64_t>(std::popcount(Bits(v, info)));
  },
                                        [](double) { return std::numeric_limits<double>::quiet_NaN(); }, nullptr>;
  table["stablehlo.count_leading_zeros"] =
      &AnyUnary<[](int64_t v, const ElementTypeInfo& info) {
        return static_cast<uint64_t>(std::countl_zero(Bits(v, info)) - (64 - info.width));
      },
                [](double) { return std::numeric_limits<double>::quiet_NaN(); }, nullptr>;
  table["chlo.square"] = &Square;

  table["stablehlo.floor"] = kFloat<OPBYOP_REAL(std::floor), nullptr, Slope::kExact>;
  table["stablehlo.ceil"] = kFloat<OPBYOP_REAL(std::ceil), nullptr, Slope::kExact>;
  table["stablehlo.round_nearest_afz"] = kFloat<OPBYOP_REAL(std::round), nullptr, Slope::kExact>;
  table["stablehlo.round_nearest_even"] = kFloat<OPBYOP_REAL(std::rint), nullptr, Slope::kExact>;
  table["stablehlo.cbrt"] = kFloat<OPBYOP_REAL(std::cbrt), OPBYOP_COMPLEX(ComplexCbrt)>;
  table["stablehlo.cosine"] = kFloat<OPBYOP_REAL(std::cos), OPBYOP_WIDE(std::cos), Slope::kUnit>;
  table["stablehlo.sine"] = kFloat<OPBYOP_REAL(std::sin), OPBYOP_WIDE(std::sin), Slope::kUnit>;
  table["stablehlo.tan"] = kFloat<OPBYOP_REAL(std::tan), OPBYOP_WIDE(std::tan), Slope::kTangent>;
  table["stablehlo.tanh"] = kFloat<OPBYOP_REAL(std::tanh), OPBYOP_WIDE(std::tanh)>;
  table["stablehlo.exponential"] = kFloat<OPBYOP_REAL(std::exp), OPBYOP_COMPLEX(ComplexExp)>;
  table["stablehlo.exponential_minus_one"] = kFloat<OPBYOP_REAL(std::expm1), OPBYOP_COMPLEX(ComplexExpm1)>;
  table["stablehlo.log"] = kFloat<OPBYOP_REAL(std::log), OPBYOP_COMPLEX(ComplexLog)>;
  table["stablehlo.log_plus_one"] = kFloat<OPBYOP_REAL(std::log1p), OPBYOP_COMPLEX(ComplexLog1p)>;
  table["stablehlo.logistic"] = kFloat<OPBYOP_REAL(Logistic), OPBYOP_COMPLEX(ComplexLogistic)>;
  table["stablehlo.sqrt"] = kFloat<OPBYOP_REAL(std::sqrt), OPBYOP_WIDE(std::sqrt)>;
  table["stablehlo.rsqrt"] = kFloat<OPBYOP_REAL(Rsqrt), OPBYOP_COMPLEX(ComplexRsqrt)>;
  table["stablehlo.is_finite"] = &FloatTest<[](double v) { return std::isfinite(v); }>;

  table["chlo._asin_acos_kernel"] = kFloat<OPBYOP_REAL(), OPBYOP_COMPLEX(AsinAcosKernel)>;
  table["chlo.acos"] = kFloat<OPBYOP_REAL(std::acos), OPBYOP_WIDE(std::acos)>;
  table["chlo.acosh"] = kFloat<OPBYOP_REAL(std::acosh), OPBYOP_WIDE(std::acosh)>;
  table["chlo.asin"] = kFloat<OPBYOP_REAL(std::asin), OPBYOP_WIDE(std::asin)>;
  table["chlo.asinh"] = kFloat<OPBYOP_REAL(std::asinh), OPBYOP_WIDE(std::asinh)>;
  table["chlo.atan"] = kFloat<OPBYOP_REAL(std::atan), OPBYOP_WIDE(std::atan)>;
  table["chlo.atanh"] = kFloat<OPBYOP_REAL(std::atanh), OPBYOP_WIDE(std::atanh)>;
  table["chlo.sinh"] = kFloat<OPBYOP_REAL(std::sinh), OPBYOP_WIDE(std::sinh)>;
  table["chlo.cosh"] = kFloat<OPBYOP_REAL(std::cosh), OPBYOP_WIDE(std::cosh)>;
  table["chlo.tan"] = table["stablehlo.tan"];
  table["chlo.erf"] = kFloat<OPBYOP_REAL(std::erf)>;
  table["chlo.erfc"] = kFloat<OPBYOP_REAL(std::erfc)>;
  table["chlo.erf_inv"] = kFloat<OPBYOP_REAL(ErfInv)>;
  table["chlo.digamma"] = kFloat<OPBYOP_REAL(Digamma), nullptr, Slope::kPoles>;
  table["chlo.lgamma"] = kFloat<OPBYOP_REAL(Lgamma), nullptr, Slope::kPoles>;
  table["chlo.bessel_i1e"] = kFloat<OPBYOP_REAL(BesselI1e)>;
  table["chlo.conj"] = kFloat<OPBYOP_REAL(), [](Complex v) -> Complex { return std::conj(v); }>;
  table["chlo.is_inf"] = &FloatTest<[](double v) { return std::isinf(v); }>;
  table["chlo.is_pos_inf"] = &FloatTest<[](double v) { return std::isinf(v) && !std::signbit(v); }>;
  table["chlo.is_neg_inf"] = &FloatTest<[](double v) { return std::isinf(v) && std::signbit(v); }>;
#undef OPBYOP_REAL
#undef OPBYOP_WIDE
#undef OPBYOP_COMPLEX
}

}  // namespace opbyop::reference
