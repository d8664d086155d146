// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are rounded wrongly, special values that are lost, results that are kept in another type.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "reference/bounds/elementwise.h"
#include "reference/tensor/special_values.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::ElementKind;
using reference::ElementType;
using reference::FloatFormat;
using reference::FormatOf;
using reference::KindOf;
using reference::kInf;
using reference::RoundTo;
using reference::Values;

constexpr const char* kArithmetic = "stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.divide";
constexpr const char* kElementwise =
    "stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.divide stablehlo.negate stablehlo.abs "
    "stablehlo.maximum stablehlo.minimum stablehlo.exponential stablehlo.convert stablehlo.select";

using Rounding = double (*)(const FloatFormat& format, double exact);

double TowardZero(const FloatFormat& format, double v) {
  const double r = RoundTo(format, v);
  if (!std::isfinite(r)) return std::isfinite(v) ? std::copysign(format.max_finite, v) : r;
  if (std::fabs(r) <= std::fabs(v)) return r;
  // |v| is below |r|, so the step of v leads to the number below.
  return std::copysign(std::fabs(r) - format.Ulp(v), v);
}

double TiesAway(const FloatFormat& format, double v) {
  const double r = RoundTo(format, v);
  if (!std::isfinite(r) || r == v) return r;
  const double ulp = format.Ulp(v);
  const bool tie = std::fabs(v - r) == 0.5 * ulp;
  return tie && std::fabs(r) < std::fabs(v) ? r + std::copysign(ulp, v) : r;
}

double Upward(const FloatFormat& format, double v) {
  const double r = RoundTo(format, v);
  return std::isfinite(r) && r < v ? RoundTo(format, r + format.Ulp(v)) : r;
}

// The exact result of an op, rounded by `rounding` to the declared type.
Expected<Values> Rounded(FaultyOp& faulty, Rounding rounding) {
  const auto declared = faulty.context().ResultType();
  if (!declared || KindOf(*declared) != ElementKind::kFloat || *declared == ElementType::kF64) return faulty.Right();
  Expected<Values> results = faulty.As(ElementType::kF64, false);
  if (!results) return results;
  reference::Tensor& t = (*results)[0].tensor();
  if (t.kind() != ElementKind::kFloat) return results;
  const FloatFormat& format = FormatOf(*declared);
  t = t.Retyped(*declared);
  EachRealRaw(t, [&](double v) { return rounding(format, v); });
  return results;
}

Expected<Values> Results(FaultyOp& faulty, const RealFn& f) {
  Expected<Values> results = faulty.Right();
  if (results) EachReal(*results, f);
  return results;
}

// Applies f(value, format) to every float result of a program.
Expected<void> EachResult(ProgramResults& program, const std::function<double(double, const FloatFormat&)>& f) {
  for (reference::Tensor& t : program.tensors) {
    const reference::ElementTypeInfo& info = reference::Info(t.type());
    if (info.format != nullptr) EachReal(t, [&](double v) { return f(v, *info.format); });
  }
  return {};
}

bool IsSubnormal(double v, const FloatFormat& format) {
  return v != 0 && std::fabs(v) < std::ldexp(1.0, format.min_exponent);
}

}  // namespace

void AddRoundingFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  const auto all = [&](std::string name, std::string what, const std::function<double(double, const FloatFormat&)>& f,
                       bool legal = false) {
    faults.push_back(
        {.name = std::move(name), .what = std::move(what), .legal = legal, .results = [f](ProgramResults program) {
           return EachResult(program, f);
         }});
  };
  op("rounds_toward_zero", "arithmetic truncates", std::string(kArithmetic),
     [](FaultyOp& faulty) { return Rounded(faulty, &TowardZero); });
  op("rounds_upward", "arithmetic rounds toward plus infinity", std::string(kArithmetic),
     [](FaultyOp& faulty) { return Rounded(faulty, &Upward); });
  op("ties_away", "arithmetic rounds ties away from zero", std::string(kArithmetic),
     [](FaultyOp& faulty) { return Rounded(faulty, &TiesAway); });
  op("convert_truncates", "conversion to a narrower float truncates", "stablehlo.convert",
     [](FaultyOp& faulty) { return Rounded(faulty, &TowardZero); });
  op("convert_saturates", "conversion to a narrower float saturates", "stablehlo.convert", [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (!declared || KindOf(*declared) != ElementKind::kFloat) return faulty.Right();
    const FloatFormat& format = FormatOf(*declared);
    return Results(faulty, [&](double v) { return std::isinf(v) ? std::copysign(format.max_finite, v) : v; });
  });
  op("convert_integer_rounds", "conversion of a float to an integer rounds", "stablehlo.convert", [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (declared && KindOf(*declared) == ElementKind::kInteger) {
      faulty.EachOf(0, [](double v) { return std::rint(v); });
    }
    return faulty.Right();
  });
  op("reduce_precision_ignored", "reduce_precision returns its operand", "stablehlo.reduce_precision",
     [](FaultyOp& faulty) -> Expected<Values> { return Values{faulty.in(0)}; });
  op("round_even_as_away", "round_nearest_even rounds ties away", "stablehlo.round_nearest_even",
     [](FaultyOp& faulty) -> Expected<Values> {
       EachReal(faulty.in(0), [](double v) { return std::round(v); });
       return Values{faulty.in(0)};
     });
  op("floor_as_truncate", "floor rounds toward zero", "stablehlo.floor", [](FaultyOp& faulty) -> Expected<Values> {
    EachReal(faulty.in(0), [](double v) { return std::trunc(v); });
    return Values{faulty.in(0)};
  });
  op("f32_in_bf16", "f32 arithmetic done in bf16", std::string(kElementwise), [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (!declared || *declared != ElementType::kF32) return faulty.Right();
    return Results(faulty, [](double v) { return RoundTo(FormatOf(ElementType::kBf16), v); });
  });
  op("f32_in_f16", "f32 arithmetic done in f16", std::string(kElementwise), [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (!declared || *declared != ElementType::kF32) return faulty.Right();
    return Results(faulty, [](double v) { return RoundTo(FormatOf(ElementType::kF16), v); });
  });
  op("f32_in_tf32", "f32 arithmetic done with 11 bits (tf32)", std::string(kElementwise), [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (!declared || *declared != ElementType::kF32) return faulty.Right();
    return Results(faulty, [](double v) { return KeepBits(v, 11); });
  });
  for (const auto& [type, name] : {std::pair(ElementType::kBf16, "bf16"), std::pair(ElementType::kF16, "f16")}) {
    op(fmt::format("constants_in_{}", name), fmt::format("f32 constants of a program rounded to {}", name),
       "stablehlo.constant", [type](FaultyOp& faulty) {
         const auto declared = faulty.context().ResultType();
         if (!declared || *declared != ElementType::kF32) return faulty.Right();
         return Results(faulty, [type](double v) { return RoundTo(FormatOf(type), v); });
       });
  }
  op("negate_from_zero", "negation as 0 - x, +0 for +0", "stablehlo.negate",
     [](FaultyOp& faulty) { return Results(faulty, [](double v) { return v == 0 ? 0.0 : v; }); });
  op("f64_in_f32", "f64 arithmetic done in f32", std::string(kElementwise), [](FaultyOp& faulty) {
    const auto declared = faulty.context().ResultType();
    if (!declared || *declared != ElementType::kF64) return faulty.Right();
    return Results(faulty, [](double v) { return RoundTo(FormatOf(ElementType::kF32), v); });
  });
  op("subnormal_inputs_flushed", "subnormal operands are read as zero", std::string(kElementwise),
     [](FaultyOp& faulty) {
       for (size_t i = 0; i < faulty.size(); ++i) {
         const reference::ElementTypeInfo& info = reference::Info(faulty.in(i).type());
         if (info.format == nullptr) continue;
         faulty.EachOf(i, [&](double v) { return IsSubnormal(v, *info.format) ? std::copysign(0.0, v) : v; });
       }
       return faulty.Right();
     });
  all("subnormal_results_flushed", "subnormal results become zero",
      [](double v, const FloatFormat& f) { return IsSubnormal(v, f) ? std::copysign(0.0, v) : v; });
  all("negative_zero_lost", "-0 becomes +0", [](double v, const FloatFormat&) { return v == 0 ? 0.0 : v; });
  all("nan_becomes_zero", "NaN becomes 0", [](double v, const FloatFormat&) { return std::isnan(v) ? 0.0 : v; });
  all("nan_becomes_infinity", "NaN becomes infinity",
      [](double v, const FloatFormat&) { return std::isnan(v) ? kInf : v; });
  all("infinity_becomes_max_finite", "infinities become the largest finite number",
      [](double v, const FloatFormat& f) { return std::isinf(v) ? std::copysign(f.max_finite, v) : v; });
  all("infinity_becomes_nan", "infinities become NaN",
      [](double v, const FloatFormat&) { return std::isinf(v) ? std::nan("") : v; });
  all("sign_of_infinity_lost", "-infinity becomes +infinity",
      [](double v, const FloatFormat&) { return std::isinf(v) ? kInf : v; });
  all("max_finite_becomes_infinity", "the largest finite number overflows",
      [](double v, const FloatFormat& f) { return std::fabs(v) == f.max_finite ? std::copysign(kInf, v) : v; });
  all("last_bit_low", "every result is one unit in the last place too small",
      [](double v, const FloatFormat& f) { return std::isfinite(v) ? v - f.Ulp(v) : v; });
  all("scaled_by_1_001", "every result is 0.1 % too large", [](double v, const FloatFormat&) { return v * 1.001; });

  faults.push_back({.name = "nan_payload",
                    .what = "NaNs with another sign and payload",
                    .legal = true,
                    .bytes = [](ElementType type, std::vector<std::byte>& bytes) {
                      if (type != ElementType::kF32) return;
                      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
                        const bool nan = (static_cast<unsigned>(bytes[i + 3]) & 0x7F) == 0x7F &&
                                         (static_cast<unsigned>(bytes[i + 2]) & 0xC0) == 0xC0;
                        if (!nan) continue;
                        bytes[i + 3] = std::byte{0xFF};
                        bytes[i] = std::byte{0x2A};
                      }
                    }});
}

}  // namespace opbyop::fault_injection
