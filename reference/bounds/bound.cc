// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numbers>

#include "reference/bounds/narrow_ulp.h"
#include "reference/bounds/precision_ratio.h"
#include "reference/tensor/clones.h"

namespace opbyop::reference {
namespace {

std::string UlpText(double ulps, const std::optional<Accuracy>& accuracy) {
  std::string text = fmt::format("ulp<={:g}", ulps);
  if (accuracy && accuracy->absolute > 0) text += fmt::format(" or {:g}u absolute", accuracy->absolute);
  if (accuracy && accuracy->exponential) text += " + |log result|";
  return text;
}

// Sets each bound to `ulps` units of its value plus `absolute`. A product with a power of two is exact.
OPBYOP_CLONES void SetUlps(const double* values, size_t count, NarrowUlp ulp, double ulps, double absolute,
                           double* out) {
  for (size_t i = 0; i < count; ++i) out[i] = ulps * ulp(values[i]) + absolute;
}

// The part that all bounds of plain sums share: sums with as many terms each and no errors of operands.
struct PlainSums {
  double relative;  // of the magnitude
  double underflow, absolute;
  double part_max, max_finite;
  double ulps;
  NarrowUlp ulp;
};

// Sets each bound as SetAccumulationBound() does. Returns false if a sum may overflow or is not finite; the bounds are
// then to be set one by one.
OPBYOP_CLONES bool SetPlainSums(const double* values, const double* magnitudes, size_t count, const PlainSums& sums,
                                double* out) {
  int64_t odd = 0;
  for (size_t i = 0; i < count; ++i) {
    const double magnitude = magnitudes[i];
    const double of_magnitude = sums.relative * magnitude;  // rounded before it is added, on every processor
    const double sure = magnitude == 0 ? 0 : of_magnitude + sums.underflow + sums.absolute;
    out[i] = sure + (sure > 0 ? sums.ulps * sums.ulp(values[i]) : 0);
    odd += (magnitude <= sums.part_max ? 0 : 1) + (std::fabs(values[i]) + sure <= sums.max_finite ? 0 : 1);
  }
  return odd == 0;
}

// "=768", or "<=3" if zeros among the terms make the number smaller for some elements.
std::string TermsText(const Accumulation& accumulation) {
  if (accumulation.terms_each.empty()) return fmt::format("={}", accumulation.terms);
  const auto [least, most] = std::ranges::minmax(accumulation.terms_each);
  return fmt::format("{}{:g}", least == most ? "=" : "<=", most);
}

// If n * u exceeds this, rounding errors are no small perturbation: partial sums in a narrow type may stop growing.
constexpr double kSmallPerturbation = 0x1p-6;

// The same for sums whose parts are rounded, which are few: second-order terms are at most an eighth of the first.
constexpr double kSmallOfParts = 0x1p-3;

// The number of terms that are added up in the declared bits before the partial sum is promoted.
double ChunkOf(const Accumulator& a, double terms) {
  return a.promoted > 0 ? std::min(terms, static_cast<double>(a.promoted)) : terms;
}

// The relative error of one rounding.
double UnitOf(const Accumulator& a) { return std::ldexp(1.0, (a.toward_zero ? 1 : 0) - static_cast<int>(a.bits)); }

// The error of a sum of `terms` rounded terms, relative to its magnitude. If the accumulator rounds toward zero, each
// term is rounded when it is aligned, and the partial sum twice per block: when it is aligned and when it is stored.
double RelativeError(const Accumulation& accumulation, double terms) {
  const auto gamma = [](double nu) { return nu / std::max(0.5, 1 - nu); };
  if (accumulation.accumulator == nullptr) {
    // Partial sums in a narrow type are rounded in the same direction as its results.
    const bool cut = RoundingTowardZero::IsOn() && accumulation.unit > 0x1p-24;
    return gamma(terms * accumulation.unit * (cut ? 2 : 1));
  }
  const Accumulator& a = *accumulation.accumulator;
  const double chunk = ChunkOf(a, terms);
  const double roundings = a.toward_zero ? chunk * (1 + 2 / static_cast<double>(a.block)) : chunk;
  return gamma(roundings * UnitOf(a)) + (chunk < terms ? gamma(terms * 0x1p-24) : 0);
}

// The parts of a sum of `terms` that are rounded by themselves; 1 if that is no other rounding than those of its terms.
double RoundedParts(const Accumulation& accumulation, const FloatFormat& format, double terms) {
  if (format.UnitRoundoff() <= accumulation.unit) return 1;
  return std::clamp(terms, 1.0, static_cast<double>(accumulation.parts));
}

// The errors of a sum whose parts are rounded to the type of the result and added up in it.
struct ErrorsOfParts {
  double relative = 0;  // to the magnitude
  double absolute = 0;  // of parts that are subnormal
};

ErrorsOfParts ErrorsOf(double parts, const FloatFormat& format) {
  if (parts <= 1) return {};
  const double roundings = RoundingTowardZero::IsOn() ? 2 : 1;  // in units of half the distance of neighbours
  return {std::expm1(parts * std::log1p(roundings * format.UnitRoundoff())), parts * roundings / 2 * format.Ulp(0)};
}

// The variance of `terms` roundings of partial sums, in random order, of terms whose squares add up to `squares`, and of
// one rounding of each term.
double VarianceOfRoundings(double unit, double terms, double squares, double sum) {
  return unit * unit / 3 * ((terms + 7) / 6 * squares + (terms + 1) / 3 * sum * sum);
}

// The variance that rounding each part gives, and adding them up. The squares of `parts` sums of random terms add up to
// at most `squares` + sum^2 / parts on average (docs/numerics/several-ops.md).
std::optional<double> VarianceOfParts(double unit, double parts, double squares, double sum) {
  if (parts <= 1) return 0;
  if (parts * unit > kSmallOfParts || RoundingTowardZero::IsOn()) return std::nullopt;
  return VarianceOfRoundings(unit, parts, squares + sum * sum / parts, sum);
}

// The bias and the variance that rounding gives a sum.
struct ErrorsOfSum {
  double bias = 0;  // sum of mean errors, which do not cancel
  double variance = 0;
};

std::optional<ErrorsOfSum> ErrorsToNearest(double unit, double terms, double squares, double sum) {
  const std::optional<double> variance = VarianceOfSum(unit, terms, squares, sum);
  return variance ? std::optional(ErrorsOfSum{0, *variance}) : std::nullopt;
}

// The derivation is in docs/numerics.md, "Declared accumulators".
std::optional<ErrorsOfSum> ErrorsOf(const Accumulator& a, double terms, double squares, double sum, double magnitude) {
  constexpr double kF32 = 0x1p-24;
  constexpr double kMostBias = 0.25;
  const double chunk = ChunkOf(a, terms), unit = UnitOf(a), steps = std::max(chunk / static_cast<double>(a.block), 1.0);
  if ((a.toward_zero ? steps * unit / kMostBias : chunk * unit / kSmallPerturbation) > 1) return std::nullopt;
  ErrorsOfSum errors;
  const double chunk_squares = sum * sum * chunk / std::max(terms, 1.0) + (chunk < terms ? squares : 0);
  errors.variance = unit * unit / 3 * ((chunk + 7) / 6 * squares + (chunk + 1) / 3 * chunk_squares);
  if (a.toward_zero) {
    const double one_sign = magnitude > 0 ? std::fabs(sum) / magnitude : 0;
    errors.bias = unit * (steps + chunk / 2 * one_sign) * (2 * std::sqrt(squares) / 3 + std::fabs(sum) / 2);
  }
  if (chunk < terms) {
    const std::optional<double> outer = VarianceOfSum(kF32, terms, squares, sum);
    if (!outer) return std::nullopt;
    errors.variance += *outer;
  }
  return errors;
}

std::optional<NarrowUlp> NarrowUlpOf(const FloatFormat& format) {
  return format.precision < 53 ? std::optional(NarrowUlp(format)) : std::nullopt;
}

// The variance of a sum that no declared accumulator adds up, which is linear in its squares and in its own square.
struct PlainVariance {
  double of_squares = 0, of_sum = 0, bias = 0;
  NarrowUlp ulp;
};

// Sets the deviation of each sum as DeviationsOf() does. Products are rounded before they are added, on every processor.
OPBYOP_CLONES void SetPlainDeviations(const double* values, const double* magnitudes, const double* largest,
                                      size_t count, const PlainVariance& plain, double* out) {
  for (size_t i = 0; i < count; ++i) {
    const double value = values[i], magnitude = magnitudes[i], ulp = plain.ulp(value);
    const double of_squares = plain.of_squares * magnitude * std::min(largest[i], magnitude);
    const double of_sum = plain.of_sum * value * value;
    const double of_ulp = ulp * ulp / 6;
    const double bias = plain.bias * std::fabs(value);
    out[i] = magnitude > 0 ? bias + std::sqrt(of_squares + of_sum + of_ulp) : 0;
  }
}

// Returns nullopt for sums that are not plain, or whose roundings are no small perturbation.
std::optional<PlainVariance> PlainVarianceOf(const Accumulation& accumulation, const FloatFormat& format) {
  const std::optional<NarrowUlp> ulp = NarrowUlpOf(format);
  if (!ulp || accumulation.accumulator != nullptr || !accumulation.terms_each.empty()) return std::nullopt;
  const auto terms = static_cast<double>(accumulation.terms);
  const double parts = RoundedParts(accumulation, format, terms);
  const auto variance = [&](double squares, double sum) -> std::optional<double> {
    const std::optional<double> of_sum = VarianceOfSum(accumulation.unit, terms, squares, sum);
    const std::optional<double> of_parts = VarianceOfParts(format.UnitRoundoff(), parts, squares, sum);
    return of_sum && of_parts ? std::optional(*of_sum + *of_parts + accumulation.variance * squares) : std::nullopt;
  };
  const std::optional<double> of_squares = variance(1, 0), of_sum = variance(0, 1);
  if (!of_squares || !of_sum) return std::nullopt;
  return PlainVariance{*of_squares, *of_sum, accumulation.bias, *ulp};
}

// Assumes that roundings are independent with mean zero and a variance of at most u^2/3, that terms come in random
// order, and that device and reference each round the result.
Buffer DeviationsOf(const Tensor& result, const Accumulation& accumulation) {
  const FloatFormat& format = FormatOf(result.type());
  const double unit = accumulation.unit;
  Buffer buffer(static_cast<size_t>(result.size()) * sizeof(double));
  const bool complex = KindOf(result.type()) == ElementKind::kComplex;
  // Each part of a complex sum adds up two terms per product. The sum of their squares does not exceed that of the
  // moduli.
  const double parts = complex ? 2 : 1;
  auto* const out = reinterpret_cast<double*>(buffer.data());
  const std::span<const double> reals = complex ? std::span<const double>() : result.data<double>();
  const std::span<const Complex> numbers = complex ? result.data<Complex>() : std::span<const Complex>();
  if (const auto plain = complex ? std::nullopt : PlainVarianceOf(accumulation, format)) {
    SetPlainDeviations(reals.data(), accumulation.magnitudes.data(), accumulation.largest.data(), reals.size(), *plain,
                       out);
    return buffer;
  }
  const double roundoff = format.UnitRoundoff();
  const std::optional<NarrowUlp> narrow_ulp = NarrowUlpOf(format);
  for (size_t i = 0; i < static_cast<size_t>(result.size()); ++i) {
    const double terms = parts * (accumulation.terms_each.empty() ? static_cast<double>(accumulation.terms)
                                                                  : accumulation.terms_each[i]);
    const double value = complex ? std::abs(numbers[i]) : reals[i];
    const double magnitude = accumulation.magnitudes[i];
    const double squares = magnitude * std::min(accumulation.largest[i], magnitude);
    const std::optional<ErrorsOfSum> sums = accumulation.accumulator == nullptr
                                                ? ErrorsToNearest(unit, terms, squares, value)
                                                : ErrorsOf(*accumulation.accumulator, terms, squares, value, magnitude);
    const std::optional<double> of_parts =
        VarianceOfParts(roundoff, RoundedParts(accumulation, format, terms), squares, value);
    if (!sums || !of_parts) return {};
    const double variance = sums->variance + *of_parts + accumulation.variance * squares;
    const double ulp = narrow_ulp ? (*narrow_ulp)(value) : format.Ulp(value);
    const double bias = sums->bias + accumulation.bias * std::fabs(value);
    out[i] = magnitude > 0 ? bias + std::sqrt(variance + ulp * ulp / 6) : 0;
  }
  return buffer;
}

// The ULPs of a function plus, for an exponential, the ULPs that a result of this size adds.
double UlpsAt(const Accuracy& accuracy, double ulps, double value) {
  return accuracy.exponential && value != 0 ? ulps + std::fabs(std::log(std::fabs(value))) : ulps;
}

// A quotient or a square root of a narrow type, and every function of a type of 8 bits or fewer, is computed in f32 and
// rounded. A device is right if it gives what some f32 result within the bound of f32 rounds to. For the other
// functions of f16 and bf16 devices have native implementations, to which the limits of their column apply.
bool IsComputedInF32(const Accuracy& accuracy, const FloatFormat& format) {
  constexpr int kNoFunctionsOfTheirOwn = 8;
  if (format.precision >= FormatOf(ElementType::kF32).precision || accuracy.f32 == 0) return false;
  return format.bits <= kNoFunctionsOfTheirOwn || accuracy.ieee;
}

// Sets each bound to the distance of the farthest number that an allowed f32 result rounds to. `exact` are the elements
// before rounding.
void SetBoundsOfF32(const Accuracy& accuracy, const Tensor& result, std::span<const double> exact,
                    std::span<double> out) {
  const FloatFormat& format = FormatOf(result.type());
  const FloatFormat& f32 = FormatOf(ElementType::kF32);
  const std::span<const double> values = result.data<double>();
  for (size_t i = 0; i < out.size(); ++i) {
    const double y = exact[i];
    if (!std::isfinite(y) || !std::isfinite(values[i])) continue;
    const double error = UlpsAt(accuracy, accuracy.f32, y) * f32.Ulp(y) + accuracy.absolute * f32.UnitRoundoff();
    for (const double reached : {RoundTo(format, y - error), RoundTo(format, y + error)}) {
      // A result beyond the greatest number counts as one ULP away.
      const double apart = std::isfinite(reached) ? std::fabs(reached - values[i]) : format.Ulp(values[i]);
      out[i] = std::max(out[i], apart);
    }
  }
}

}  // namespace

double UlpsFor(const Accuracy& accuracy, const FloatFormat& format) {
  if (format.precision == 53) return accuracy.f64;
  return format.precision == 24 ? accuracy.f32 : accuracy.narrow;
}

double FunctionUnit(const FloatFormat& format) { return format.precision == 53 ? 0x1p-53 : 0x1p-24; }

int DepthOf(std::span<const Tensor* const> operands) {
  int depth = 0;
  for (const Tensor* t : operands) {
    if (t->bound() && t->bound()->size > 0) depth = std::max(depth, t->bound()->depth);
  }
  return depth;
}

void NarrowToLikely(Bound& bound, std::span<const double> deviations, std::span<const double> propagated) {
  const double limit = GreatestLikely(static_cast<double>(deviations.size()));
  for (size_t i = 0; i < deviations.size(); ++i) {
    double& error = MutableSpan(bound)[i];
    if (deviations[i] == 0 || std::isinf(error)) continue;
    error = std::min(error, limit * deviations[i] + (propagated.empty() ? 0 : propagated[i]));
  }
}

std::optional<double> VarianceOfSum(double unit, double terms, double squares, double sum) {
  if (terms * unit > kSmallPerturbation) return std::nullopt;
  return VarianceOfRoundings(unit, terms, squares, sum);
}

std::shared_ptr<Bound> MakeBound(int64_t size, std::string rule, int depth) {
  return MakeBound(PooledNumbers(static_cast<size_t>(size)), std::move(rule), depth);
}

std::shared_ptr<Bound> MakeBound(PooledNumbers values, std::string rule, int depth) {
  auto bound = std::make_shared<Bound>();
  bound->size = static_cast<int64_t>(values.size());
  auto owner = std::make_shared<PooledNumbers>(std::move(values));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(*owner));
  bound->values = Buffer(std::move(owner), bytes);
  bound->rule = std::move(rule);
  bound->depth = depth;
  return bound;
}

std::optional<std::string> JoinRules(const std::string& a, const std::string& b) {
  if (a == b) return a;
  struct Parts {
    std::string head, terms, tail;
  };
  // As SetAccumulationBound writes them: "accumulation c=1 n<=3 u=2^-24".
  const auto split = [](const std::string& rule) -> std::optional<Parts> {
    const size_t from = rule.find(" n"), equals = rule.find('=', from), to = rule.find(' ', equals);
    if (from == std::string::npos || equals == std::string::npos || to == std::string::npos) return std::nullopt;
    return Parts{rule.substr(0, from), rule.substr(equals + 1, to - equals - 1), rule.substr(to)};
  };
  const std::optional<Parts> x = split(a), y = split(b);
  if (!x || !y || x->head != y->head || x->tail != y->tail) return std::nullopt;
  const bool more = std::strtod(x->terms.c_str(), nullptr) < std::strtod(y->terms.c_str(), nullptr);
  return fmt::format("{} n<={}{}", x->head, more ? y->terms : x->terms, x->tail);
}

std::span<double> MutableSpan(Bound& bound) {
  return {reinterpret_cast<double*>(bound.values.data()), static_cast<size_t>(bound.size)};
}

std::shared_ptr<Bound> CopyOfBound(const Tensor& t, std::string_view why) {
  const std::string rule = t.bound() ? t.bound()->rule + ", " : "";
  auto bound = MakeBound(t.size(), rule + std::string(why), t.bounds().empty() ? 1 : t.bound()->depth);
  bound->zero_sign_free = t.bound() && t.bound()->zero_sign_free;
  bound->random = t.bound() && t.bound()->random;
  std::ranges::copy(t.bounds(), MutableSpan(*bound).begin());
  return bound;
}

std::vector<double> BeforeRounding(std::string_view op, const Tensor& result) {
  const ElementTypeInfo& info = Info(result.type());
  const OpRules* rules = info.kind == ElementKind::kFloat ? FindOpRules(op) : nullptr;
  if (rules == nullptr || !rules->accuracy || !IsComputedInF32(*rules->accuracy, *info.format)) return {};
  const std::span<const double> values = result.data<double>();
  return {values.begin(), values.end()};
}

void SetElementwiseBound(std::string_view op, Tensor& result, Propagated propagated, std::span<const double> exact) {
  static constexpr OpRules kNoRow;
  const OpRules* rules = FindOpRules(op);
  SetElementwiseBound(rules == nullptr ? kNoRow : *rules, result, std::move(propagated), exact);
}

void SetElementwiseBound(const OpRules& rules, Tensor& result, Propagated propagated, std::span<const double> exact) {
  const ElementTypeInfo& info = Info(result.type());
  const bool has_errors = !propagated.errors.empty();
  const std::optional<Accuracy>& accuracy = rules.accuracy;
  double ulps = 0;
  double absolute = 0;
  if (info.kind == ElementKind::kComplex) {
    ulps = rules.complex_ulps;
  } else if (info.kind == ElementKind::kFloat && accuracy) {
    ulps = UlpsFor(*accuracy, *info.format);
    absolute = accuracy->absolute * FunctionUnit(*info.format);
  }
  const bool zero_sign_free = accuracy && info.kind == ElementKind::kFloat;
  if (ulps == 0 && absolute == 0 && !has_errors) {
    if (!zero_sign_free) {
      result.set_bound(nullptr);
      return;
    }
    auto exact = std::make_shared<Bound>();
    exact->rule = "exact";
    exact->zero_sign_free = true;
    result.set_bound(std::move(exact));
    return;
  }
  const int depth = propagated.depth + 1;
  if (!has_errors) propagated.errors.resize(static_cast<size_t>(result.size()));
  auto bound = MakeBound(std::move(propagated.errors),
                         has_errors ? fmt::format("propagated over {} ops", depth) : UlpText(ulps, accuracy), depth);
  // IEEE fixes the sign of a zero if the operands have no error.
  const bool fixed = info.kind == ElementKind::kFloat && accuracy && accuracy->ieee;
  bound->zero_sign_free = has_errors || !fixed;
  const std::span<double> out = MutableSpan(*bound);
  if (!has_errors && !exact.empty()) {
    bound->rule = fmt::format("f32 within {}, rounded", UlpText(accuracy->f32, accuracy));
    SetBoundsOfF32(*accuracy, result, exact, out);
  } else if (info.kind == ElementKind::kFloat) {
    const std::span<const double> values = result.data<double>();
    const auto own = [&](double value) { return accuracy ? UlpsAt(*accuracy, ulps, value) : ulps; };
    // An error of an operand can make even an exact op round to a neighbour: two roundings differ by one ULP.
    const double least = propagated.rounded ? 0 : 1;
    const auto add = [&](auto ulp) {
      for (size_t i = 0; i < out.size(); ++i) {
        const double rounding = own(values[i]);
        if (out[i] == 0) {
          out[i] = rounding * ulp(values[i]) + absolute;
        } else if (std::isfinite(out[i])) {
          // The result that is rounded may be as large as that.
          out[i] += std::max(rounding, least) * ulp(std::fabs(values[i]) + out[i]) + absolute;
        }
      }
    };
    const bool plain = !has_errors && !(accuracy && accuracy->exponential);
    if (plain && info.format->precision < 53) {
      SetUlps(values.data(), values.size(), NarrowUlp(*info.format), ulps, absolute, out.data());
    } else if (info.format->precision < 53) {
      add(NarrowUlp(*info.format));
    } else {
      add([&](double v) { return info.format->Ulp(v); });
    }
  } else if (info.kind == ElementKind::kComplex) {
    const std::span<const Complex> values = result.data<Complex>();
    const double unit = 2 * info.format->UnitRoundoff();
    for (size_t i = 0; i < out.size(); ++i) {
      const double rounding = out[i] > 0 ? std::max(ulps, 1.0) : ulps;
      double modulus = std::abs(values[i]);
      const bool logarithm = rules.complex_measure == ComplexMeasure::kAtLeastOne;
      if (logarithm) modulus = std::max(modulus, 1.0);
      if (rules.complex_measure == ComplexMeasure::kPoles) modulus *= 1 + std::abs(1.0 - values[i]);
      if (rounding == 0 || !std::isfinite(modulus)) continue;
      const double error = rounding * (unit * modulus + info.format->Ulp(0));
      out[i] += error;
      // Next to the branch cut of the logarithm a rounding decides on which side the result is.
      const bool cut = logarithm && std::numbers::pi - std::fabs(values[i].real()) <= error;
      if (cut) out[i] += 2 * std::numbers::pi;
    }
  }
  result.set_bound(std::move(bound));
}

void SetAccumulationBound(Tensor& result, const Accumulation& accumulation) {
  const ElementTypeInfo& info = Info(result.type());
  if (info.kind != ElementKind::kFloat && info.kind != ElementKind::kComplex) {
    result.set_bound(nullptr);
    return;
  }
  const FloatFormat& format = *info.format;
  const bool narrow = format.UnitRoundoff() > accumulation.unit;
  std::string rule = fmt::format("accumulation c={:g} n{} u=2^{}", accumulation.factor, TermsText(accumulation),
                                 std::ilogb(accumulation.unit));
  if (accumulation.accumulator != nullptr) rule += ", " + ToText(*accumulation.accumulator);
  if (narrow) rule += fmt::format(" then {}", format.name);
  if (narrow && accumulation.parts > 1) rule += fmt::format(", {} parts rounded", accumulation.parts);
  if (!accumulation.propagated.empty()) rule += fmt::format(", propagated over {} ops", accumulation.depth + 1);
  auto bound = MakeBound(result.size(), std::move(rule), accumulation.depth + 1);
  bound->zero_sign_free = true;
  const std::span<double> out = MutableSpan(*bound);
  // The greatest number of the partial sums' type.
  const double partial_max = accumulation.greatest > 0     ? accumulation.greatest
                             : !narrow                     ? format.max_finite
                             : accumulation.unit > 0x1p-30 ? std::numeric_limits<float>::max()
                                                           : std::numeric_limits<double>::max();
  const auto same_terms = static_cast<double>(accumulation.terms);
  const double exact_unit = accumulation.accumulator == nullptr ? accumulation.unit : UnitOf(*accumulation.accumulator);
  const double own_sums = format.precision == 53 && !accumulation.compensated ? 2 : 1;
  // Neighbouring elements have mostly as many terms.
  struct ErrorsOfTerms {
    double terms, parts, relative, absolute, part_max;
  };
  const auto errors_of = [&](double terms) -> ErrorsOfTerms {
    const double parts = RoundedParts(accumulation, format, terms);
    const ErrorsOfParts of_parts = ErrorsOf(parts, format);
    const double of_terms = own_sums * accumulation.factor * RelativeError(accumulation, terms);
    const double relative = of_terms + of_parts.relative * (1 + of_terms);
    return {terms, parts, relative, of_parts.absolute,
            parts > 1 ? std::min(partial_max, format.max_finite / (1 + relative)) : partial_max};
  };
  const std::optional<NarrowUlp> narrow_ulp = NarrowUlpOf(format);
  ErrorsOfTerms errors = errors_of(same_terms);
  const std::span<const double> reals =
      info.kind == ElementKind::kFloat ? result.data<double>() : std::span<const double>();
  const auto set_one = [&](size_t i) {
    if (!accumulation.terms_each.empty() && accumulation.terms_each[i] != errors.terms) {
      errors = errors_of(accumulation.terms_each[i]);
    }
    const auto& [terms, parts, relative, absolute, part_max] = errors;
    const double value = reals.empty() ? std::abs(result.data<Complex>()[i]) : reals[i];
    const bool proved = !accumulation.exact.empty() && accumulation.exact[i] != 0;
    const bool exact = proved || (accumulation.integral &&
                                  accumulation.magnitudes[i] * (parts > 1 ? format.UnitRoundoff() : exact_unit) <= 1);
    // If partial sums may exceed the largest finite number, the result depends on the order and is unbounded. A NaN or
    // an infinity among the terms does not depend on it: it reaches the result in every order, and a device must give
    // it.
    const double magnitude = accumulation.magnitudes[i];
    // A NaN result then stems from the terms: sums in double of terms narrower than f64 do not overflow, those of f64
    // terms may.
    const bool stays_nan = std::isnan(value) && std::isfinite(magnitude) && format.precision < 53;
    bool overflows = !stays_nan && (!(magnitude <= part_max) || (std::isinf(value) && magnitude > format.max_finite));
    const double propagated = accumulation.propagated.empty() ? 0 : accumulation.propagated[i];
    const double sure = exact || magnitude == 0 ? 0 : relative * magnitude + terms * accumulation.underflow + absolute;
    overflows = overflows || (std::isfinite(value) && std::fabs(value) + sure + propagated > format.max_finite);
    const double own = overflows && !exact ? std::numeric_limits<double>::infinity() : sure;
    // Two roundings of nearly the same number may give neighbours. The reference's own rounding is half an ULP.
    const double ulp = narrow_ulp ? (*narrow_ulp)(value) : format.Ulp(value);
    out[i] = own + propagated + (own + propagated > 0 ? (narrow ? 1.0 : 0.5) * ulp : 0);
    if (std::isnan(out[i])) out[i] = std::numeric_limits<double>::infinity();
  };
  const bool plain = narrow_ulp && !reals.empty() && accumulation.terms_each.empty() && accumulation.exact.empty() &&
                     !accumulation.integral && accumulation.propagated.empty();
  constexpr size_t kBlock = 1024;
  for (size_t begin = 0; begin < out.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, out.size());
    if (plain && SetPlainSums(reals.data() + begin, accumulation.magnitudes.data() + begin, end - begin,
                              {.relative = errors.relative,
                               .underflow = errors.terms * accumulation.underflow,
                               .absolute = errors.absolute,
                               .part_max = errors.part_max,
                               .max_finite = format.max_finite,
                               .ulps = narrow ? 1.0 : 0.5,
                               .ulp = *narrow_ulp},
                              out.data() + begin)) {
      continue;
    }
    for (size_t i = begin; i < end; ++i) set_one(i);
  }
  if (!accumulation.largest.empty()) bound->deviations = DeviationsOf(result, accumulation);
  if (accumulation.likely) {
    const std::span<const double> propagated = accumulation.inexact ? accumulation.propagated : std::span<double>();
    NarrowToLikely(*bound, bound->deviation_span(), propagated);
    if (accumulation.inexact) bound->deviations = {};  // they leave the operands' errors out
  }
  result.set_bound(std::move(bound));
}

bool AllIntegers(const Tensor& t) {
  const auto integral = [](std::span<const double> values) {
    return std::ranges::all_of(values, [](double v) { return v == std::rint(v); });
  };
  if (t.kind() == ElementKind::kFloat) {
    bool all = true;
    ForValues<double>(t, [&](int64_t, std::span<const double> values) { all = all && integral(values); });
    return all;
  }
  if (t.kind() != ElementKind::kComplex) return true;
  const auto values = t.data<Complex>();
  return integral({reinterpret_cast<const double*>(values.data()), values.size() * 2});
}

double RoundoffOfBoth(const FloatFormat& format) { return format.UnitRoundoff() * (format.precision == 53 ? 2 : 1); }

double AccumulationUnit(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if (info.format == nullptr) return 0;
  return info.format->precision == 53 ? 0x1p-53 : 0x1p-24;
}

double AccumulationUnderflow(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  if (info.format == nullptr) return 0;
  return info.format->precision == 53 ? 0x1p-1074 : 0x1p-150;  // half of the smallest subnormal of f32; f64: all of it
}

}  // namespace opbyop::reference
