// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// convert, bitcast_convert, reduce_precision; complex, real and imag.
#include <cmath>
#include <limits>
#include <utility>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/nan_bits.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

// Truncates towards zero. NaN gives 0 and values out of range saturate, as on XLA's targets; both are open.
int64_t ToInteger(double v, ElementType type) {
  if (std::isnan(v)) return 0;
  const ElementTypeInfo& info = Info(type);
  const double limit = std::ldexp(1.0, info.width - (info.is_signed ? 1 : 0));
  v = std::trunc(v);
  if (v >= limit) return MaxInteger(type);
  if (v <= (info.is_signed ? -limit : 0.0)) return MinInteger(type);
  return info.is_signed ? static_cast<int64_t>(v) : static_cast<int64_t>(static_cast<uint64_t>(v));
}

// Rounds only once: a magnitude of more than 53 bits keeps a sticky bit below the precision of every narrower format.
double ToReal(int64_t v, bool is_signed, const FloatFormat& format) {
  if (format.precision == 53) return is_signed ? static_cast<double>(v) : static_cast<double>(static_cast<uint64_t>(v));
  const bool negative = is_signed && v < 0;
  uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  double real;
  if (magnitude >> 53) {
    magnitude = (magnitude >> 11) | ((magnitude & 0x7FF) != 0);
    real = static_cast<double>(magnitude) * 2048;
  } else {
    real = static_cast<double>(magnitude);
  }
  return RoundTo(format, negative ? -real : real);
}

template <typename To, typename From>
To ConvertElement(From v, ElementType from, ElementType to) {
  if constexpr (std::is_same_v<From, Complex>) {
    if constexpr (std::is_same_v<To, Complex>) {
      return {RoundTo(FormatOf(to), v.real()), RoundTo(FormatOf(to), v.imag())};
    } else {
      return ConvertElement<To, double>(v.real(), from, to);
    }
  } else if constexpr (std::is_same_v<To, Complex>) {
    return {ConvertElement<double, From>(v, from, to), 0};
  } else if constexpr (std::is_same_v<To, uint8_t>) {
    return v != 0;
  } else if constexpr (std::is_same_v<To, double>) {
    if constexpr (std::is_same_v<From, double>) return RoundTo(FormatOf(to), v);
    if constexpr (std::is_same_v<From, uint8_t>) return RoundTo(FormatOf(to), v);
    if constexpr (std::is_same_v<From, int64_t>) return ToReal(v, Info(from).is_signed, FormatOf(to));
  } else {
    if constexpr (std::is_same_v<From, double>) return ToInteger(v, to);
    return WrapInteger(Info(to), static_cast<uint64_t>(v));
  }
}

// A device may convert to a type narrower than f32 in two steps, first to f32, and then rounds twice.
void AddSecondRounding(const Tensor& x, Tensor& out) {
  if (out.kind() != ElementKind::kFloat || FormatOf(out.type()).precision >= 24) return;
  const ElementTypeInfo& from = Info(x.type());
  const bool wide = from.kind == ElementKind::kInteger ? from.width > 24 : x.type() == ElementType::kF64;
  if (!wide) return;
  std::shared_ptr<Bound> bound;
  const auto values = std::as_const(out).data<double>();
  for (int64_t i = 0; i < out.size(); ++i) {
    float once = 0;
    if (from.kind == ElementKind::kFloat) {
      once = static_cast<float>(x.data<double>()[static_cast<size_t>(i)]);
    } else {
      const int64_t v = x.data<int64_t>()[static_cast<size_t>(i)];
      once = from.is_signed ? static_cast<float>(v) : static_cast<float>(static_cast<uint64_t>(v));
    }
    const double value = values[static_cast<size_t>(i)];
    const double difference = AbsoluteDifference(RoundTo(FormatOf(out.type()), once), value);
    if (difference == 0 || !std::isfinite(difference)) continue;
    if (!bound) bound = CopyOfBound(out, "rounded once or twice");
    MutableSpan(*bound)[static_cast<size_t>(i)] += difference;
  }
  if (bound) out.set_bound(std::move(bound));
}

// The specification does not say what a number that exceeds a type of 8 bits or fewer becomes: infinity or NaN, or the
// greatest number. A bound above 0 on a result that is not finite allows the greatest number
// (reference/bounds/compare.h).
void AllowSaturation(const Tensor& x, Tensor& out) {
  constexpr int kNarrow = 8;
  if (out.kind() != ElementKind::kFloat || FormatOf(out.type()).bits > kNarrow) return;
  std::shared_ptr<Bound> bound;
  const std::span<double> values = out.Mutable<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const auto at = static_cast<int64_t>(i);
    const double from = x.kind() == ElementKind::kComplex ? ValueAt<Complex>(x, at).real()
                        : x.kind() == ElementKind::kFloat
                            ? ValueAt<double>(x, at)
                            : ToReal(x.IntegerAt(at), Info(x.type()).is_signed, FormatOf(ElementType::kF64));
    if (std::isnan(from)) continue;
    values[i] = std::copysign(values[i], from);
    if (!bound) bound = CopyOfBound(out, "beyond the greatest number: saturated or not");
    double& distance = MutableSpan(*bound)[i];
    if (distance == 0) distance = FormatOf(out.type()).Ulp(FormatOf(out.type()).max_finite);
  }
  if (bound) out.set_bound(std::move(bound));
}

// The specification leaves open what a number becomes that the integer type cannot represent. No policy draws one, but an
// op before may give one.
void OpenWhereNotRepresented(const Tensor& x, Tensor& out) {
  if (out.kind() != ElementKind::kInteger || x.kind() == ElementKind::kInteger || x.kind() == ElementKind::kBool)
    return;
  const ElementTypeInfo& info = Info(out.type());
  const double limit = std::ldexp(1.0, info.width - (info.is_signed ? 1 : 0));
  OpenWhere(out, "any value that the integer cannot represent", [&](int64_t i) {
    const double v = x.kind() == ElementKind::kComplex ? ValueAt<Complex>(x, i).real() : ValueAt<double>(x, i);
    const double e = ErrorAt(x, i);
    const bool holds = std::trunc(v + e) < limit && std::trunc(v - e) >= (info.is_signed ? -limit : 0.0);
    return !holds;  // NaN too
  });
}

// The distances of what the ends of [x - e, x + e] are rounded to. Rounding is monotone, so that what a device has for x
// is rounded to a number between these; mostly they are one number. An infinity keeps the error of its operand.
Propagated RoundedErrors(const Tensor& x, const Tensor& out, Propagated errors) {
  const FloatFormat& format = FormatOf(out.type());
  for (int64_t i = 0; i < out.size(); ++i) {
    double& error = errors.errors[static_cast<size_t>(i)];
    const double e = error;
    const double v = ValueAt<double>(x, i);
    if (e == 0 || !std::isfinite(e) || !std::isfinite(v)) continue;
    const double rounded = ValueAt<double>(out, i);
    error = 0;
    for (const double end : {v - e, v + e}) {
      // Two steps: AddSecondRounding.
      for (const double step : {end, static_cast<double>(static_cast<float>(end))}) {
        if (step != end && x.type() != ElementType::kF64) continue;
        error = std::max(error, AbsoluteDifference(RoundTo(format, step), rounded));
      }
    }
  }
  errors.rounded = true;
  return errors;
}

Expected<Values> Convert(OpContext& context) {
  const Tensor& x = context.in(0);
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  if (*type == x.type()) return Values{x};
  Tensor out = Tensor::Make(*type, x.shape());
  // Numbers that f64 holds are rounded all together.
  const bool exact =
      x.kind() == ElementKind::kFloat || (x.kind() != ElementKind::kComplex && Info(x.type()).width < 53);
  if (out.kind() == ElementKind::kFloat && exact) {
    WithStorage(x.kind(), [&]<typename From>() {
      if constexpr (!std::is_same_v<From, Complex>) {
        MapUnary<double, From>(x, out, [](From v) { return static_cast<double>(v); });
      }
    });
    RoundResult(out);
  } else {
    WithStorage(x.kind(), [&]<typename From>() {
      WithStorage(out.kind(), [&]<typename To>() {
        MapUnary<To, From>(x, out, [&](From v) { return ConvertElement<To, From>(v, x.type(), *type); });
      });
    });
  }
  if (context.bounds() && HasErrors(x)) {
    Propagated propagated = CarriedErrors(out, {&x});
    if (x.kind() == ElementKind::kFloat && out.kind() != ElementKind::kFloat && out.kind() != ElementKind::kComplex) {
      for (int64_t i = 0; i < out.size(); ++i) {
        const double e = ErrorAt(x, i);
        if (e == 0) continue;
        const double v = ValueAt<double>(x, i);
        double& error = propagated.errors[static_cast<size_t>(i)];
        if (out.kind() == ElementKind::kBool) {
          error = std::fabs(v) <= e ? 1 : 0;
        } else {
          error = std::max(std::fabs(std::trunc(v + e) - std::trunc(v)), std::fabs(std::trunc(v - e) - std::trunc(v)));
        }
      }
    }
    if (x.kind() == ElementKind::kInteger && out.kind() == ElementKind::kInteger) {
      const auto apply = [&](int64_t v, int64_t) { return ConvertElement<int64_t, int64_t>(v, x.type(), *type); };
      propagated = IntegerErrors<int64_t>(x, x, out, apply, [&](int64_t i) {
        const double e = ErrorAt(x, i);
        return StaysInRange(*type, NumberAt(x, i), e) ? e : kInf;
      });
    }
    if (x.kind() == ElementKind::kInteger && out.kind() == ElementKind::kBool) {
      const auto apply = [](int64_t v, int64_t) -> int64_t { return v != 0; };
      propagated = IntegerErrors<int64_t>(x, x, out, apply, [](int64_t) { return 1.0; });
    }
    if (x.kind() == ElementKind::kFloat && out.kind() == ElementKind::kFloat) {
      propagated = RoundedErrors(x, out, std::move(propagated));
    }
    SetElementwiseBound(context.name, out, std::move(propagated));
  }
  if (context.bounds()) {
    AddSecondRounding(x, out);
    AllowSaturation(x, out);
    OpenWhereNotRepresented(x, out);
  }
  return Values{std::move(out)};
}

int BitsOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if (info.kind == ElementKind::kComplex || info.kind == ElementKind::kFloat) {
    return info.format->bits * (info.kind == ElementKind::kComplex ? 2 : 1);
  }
  return info.width;
}

// The bits of an inexact element are open if they become those of another width or of a float. Those of a float as an
// integer differ by the number of floats between.
void BoundBits(const OpContext& context, const Tensor& x, Tensor& out) {
  const bool open_nan = x.kind() == ElementKind::kFloat && HasFreeNanBits(context.op->getOperand(0));
  if ((!HasErrors(x) && !open_nan) || out.size() == 0) return;
  const bool counts = x.kind() == ElementKind::kFloat && out.kind() == ElementKind::kInteger && x.size() == out.size();
  auto bound = MakeBound(out.size(), "bits of inexact elements", (x.bound() ? x.bound()->depth : 0) + 1);
  for (int64_t i = 0; i < x.size(); ++i) {
    const bool is_open = open_nan && std::isnan(ValueAt<double>(x, i));
    const double e = is_open ? std::numeric_limits<double>::infinity() : ErrorAt(x, i);
    if (e == 0) continue;
    double error = std::numeric_limits<double>::infinity();
    const double v = counts ? ValueAt<double>(x, i) : 0;
    if (counts && std::isfinite(e) && std::isfinite(v) && std::signbit(v - e) == std::signbit(v + e)) {
      const FloatFormat& format = FormatOf(x.type());
      const auto code = [&](double moved) { return static_cast<double>(EncodeFloat(format, RoundTo(format, moved))); };
      error = std::max(std::fabs(code(v + e) - code(v)), std::fabs(code(v - e) - code(v)));
    }
    // The element is a part of one or of several elements of the result, which are as many bits.
    const int64_t first = i * out.size() / x.size();
    const int64_t last = std::max(first + 1, (i + 1) * out.size() / x.size());
    for (int64_t k = first; k < last; ++k) MutableSpan(*bound)[static_cast<size_t>(k)] = error;
  }
  out.set_bound(std::move(bound));
}

Expected<Values> WithBitsBounded(const OpContext& context, const Tensor& x, Tensor out) {
  if (context.bounds()) BoundBits(context, x, out);
  return Values{std::move(out)};
}

// Treats the elements as one stream of bits, the first element lowest, and splits it into elements of the result.
Expected<Values> BitcastConvert(OpContext& context) {
  const Tensor& x = context.in(0);
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const int from_bits = BitsOf(x.type());
  const int to_bits = BitsOf(*type);
  Shape shape = x.shape();
  if (from_bits > to_bits) {
    if (from_bits % to_bits) return context.Fail(ExitCode::kBadInput, "the bit widths do not divide each other");
    shape.push_back(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    if (shape.empty() || shape.back() * from_bits != to_bits) {
      return context.Fail(ExitCode::kBadInput, "the last dimension does not fill the bits of one result element");
    }
    shape.pop_back();
  }
  const std::vector<std::byte> bytes = TensorToBytes(x);
  const auto stored = [](int bits) { return static_cast<size_t>((bits + 7) / 8); };
  if (from_bits % 8 == 0 && to_bits % 8 == 0) {
    Expected<Tensor> out = TensorFromBytes(*type, std::move(shape), bytes);
    if (!out) return Unexpected(out.error());
    return WithBitsBounded(context, x, std::move(*out));
  }
  std::vector<bool> stream;
  for (size_t at = 0; at < bytes.size(); at += stored(from_bits)) {
    for (int b = 0; b < from_bits; ++b) {
      stream.push_back((std::to_integer<int>(bytes[at + static_cast<size_t>(b / 8)]) >> (b % 8)) & 1);
    }
  }
  std::vector<std::byte> out_bytes(static_cast<size_t>(SizeOf(shape)) * stored(to_bits));
  for (size_t i = 0; i < stream.size(); ++i) {
    const size_t element = i / static_cast<size_t>(to_bits);
    const size_t bit = i % static_cast<size_t>(to_bits);
    if (stream[i]) out_bytes[element * stored(to_bits) + bit / 8] |= static_cast<std::byte>(1 << (bit % 8));
  }
  Expected<Tensor> out = TensorFromBytes(*type, std::move(shape), out_bytes);
  if (!out) return Unexpected(out.error());
  return WithBitsBounded(context, x, std::move(*out));
}

int ExponentBitsOf(const FloatFormat& format) {
  return format.bits - (format.has_sign ? 1 : 0) - (format.precision - 1);
}

// Rounds to nearest, ties to even. The mantissa bits of a subnormal number have the same weights as those of the
// smallest normal number.
double RoundMantissa(double v, int precision, const FloatFormat& format) {
  if (v == 0 || !std::isfinite(v) || precision >= format.precision) return v;
  int exponent = 0;
  std::frexp(v, &exponent);
  exponent = std::max(exponent, format.min_exponent + 1);
  const double scaled = std::ldexp(v, precision - exponent);
  // Without mantissa bits a tie is decided by the last bit of the exponent, which must be even in the code. All biases
  // are odd.
  const bool stays = precision == 1 && std::fabs(scaled) == 1.5 && exponent % 2 == 0;
  return std::ldexp(stays ? std::copysign(1.0, v) : std::rint(scaled), exponent - precision);
}

// Allows the result in the operand's own range in addition to the one in IEEE's range.
void AddOwnRange(const Tensor& own, Tensor& out) {
  std::shared_ptr<Bound> bound;
  for (int64_t i = 0; i < out.size(); ++i) {
    const double value = std::as_const(out).data<double>()[static_cast<size_t>(i)];
    const double other = own.data<double>()[static_cast<size_t>(i)];
    if (value == other || (std::isnan(value) && std::isnan(other))) continue;
    if (!bound) bound = CopyOfBound(out, "in the range of the type or of IEEE's exponent");
    const double difference = std::fabs(value - other);
    MutableSpan(*bound)[static_cast<size_t>(i)] +=
        std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  if (bound) out.set_bound(std::move(bound));
}

// Rounds the mantissa. Numbers beyond the exponent range become infinities, numbers below it zeros. The range is that
// of IEEE's formats. If the operand's type has as many exponent bits, but numbers in place of infinities or another
// bias, it is also a type "that uses exponent_bits": StableHLO's interpreter then keeps its range, XLA does not.
Expected<Values> ReducePrecision(OpContext& context) {
  const Tensor& x = context.in(0);
  const int exponent_bits = static_cast<int>(context.Int("exponent_bits"));
  const int precision = static_cast<int>(context.Int("mantissa_bits")) + 1;
  const int bias = (1 << std::min(exponent_bits - 1, 12)) - 1;
  if (x.kind() != ElementKind::kFloat) return context.Unsupported("reduce_precision of this type");
  const FloatFormat& format = FormatOf(x.type());
  const int least = std::max(1 - bias, format.min_exponent);
  const bool narrower_range = 1 - bias > format.min_exponent;
  Tensor out = Tensor::Make(x.type(), x.shape());
  MapUnary<double, double>(x, out, [&](double v) {
    // Without mantissa bits the code of NaN is that of infinity.
    if (std::isnan(v) && precision == 1) return std::copysign(std::numeric_limits<double>::infinity(), v);
    if (v == 0 || !std::isfinite(v)) return v;
    const double rounded = RoundMantissa(v, precision, format);
    if (narrower_range && std::fabs(rounded) < std::ldexp(1.0, least)) return std::copysign(0.0, v);
    if (std::fabs(rounded) >= std::ldexp(1.0, bias + 1))
      return std::copysign(std::numeric_limits<double>::infinity(), v);
    return rounded;
  });
  RoundResult(out);
  if (context.bounds() && HasErrors(x)) {
    Propagated propagated = CarriedErrors(out, {&x});
    for (int64_t i = 0; i < out.size(); ++i) {
      double& error = propagated.errors[static_cast<size_t>(i)];
      const double rounding = std::ldexp(std::fabs(ValueAt<double>(x, i)), 1 - precision);
      if (error > 0 && !std::isnan(rounding)) error += rounding;
    }
    SetElementwiseBound(context.name, out, std::move(propagated));
  }
  if (context.bounds() && exponent_bits == ExponentBitsOf(format)) {
    Tensor own = Tensor::Make(x.type(), x.shape());
    MapUnary<double, double>(x, own, [&](double v) { return RoundMantissa(v, precision, format); });
    RoundResult(own);
    AddOwnRange(own, out);
  }
  return Values{std::move(out)};
}

Expected<Values> MakeComplex(OpContext& context) {
  const Tensor& re = context.in(0);
  const Tensor& im = context.in(1);
  Tensor out = Tensor::Make(ComplexOf(re.type()), WidestShape({&re, &im}));
  MapBinary<Complex, double>(re, im, out, [](double a, double b) { return Complex(a, b); });
  if (context.bounds() && (HasErrors(re) || HasErrors(im))) {
    SetElementwiseBound(context.name, out, CarriedErrors(out, {&re, &im}));
  }
  return Values{std::move(out)};
}

template <bool kImaginary>
Expected<Values> Part(OpContext& context) {
  const Tensor& x = context.in(0);
  if (x.kind() == ElementKind::kFloat) {
    if (!kImaginary) return Values{x};
    Tensor zeros = Tensor::Zeros(x.type(), x.shape());
    RoundResult(zeros);  // f8E8M0FNU has no zero
    return Values{std::move(zeros)};
  }
  if (x.kind() != ElementKind::kComplex) return context.Unsupported("a part of this type");
  Tensor out = Tensor::Make(PartOf(x.type()), x.shape());
  MapUnary<double, Complex>(x, out, [](Complex v) { return kImaginary ? v.imag() : v.real(); });
  if (context.bounds() && HasErrors(x)) SetElementwiseBound(context.name, out, CarriedErrors(out, {&x}));
  return Values{std::move(out)};
}

}  // namespace

void AddConversions(EvalTableType& table) {
  table["stablehlo.convert"] = &Convert;
  table["stablehlo.bitcast_convert"] = &BitcastConvert;
  table["stablehlo.reduce_precision"] = &ReducePrecision;
}

void AddComplexParts(EvalTableType& table) {
  table["stablehlo.complex"] = &MakeComplex;
  table["stablehlo.real"] = &Part<false>;
  table["stablehlo.imag"] = &Part<true>;
}

}  // namespace opbyop::reference
