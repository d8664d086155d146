// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes bounds: how far a correct device may be from the reference, for each element. Derivations: docs/numerics.md.
//
//   SetElementwiseBound("stablehlo.tanh", result, Propagated{});   // its accuracy in reference/rules/op_rules.cc
//   SetAccumulationBound(result, {.magnitudes = sums, .terms = k, .unit = 0x1p-24});
//
// If a tensor has no bound, a device must give the same bits.
#ifndef OPBYOP_REFERENCE_BOUNDS_BOUND_H_
#define OPBYOP_REFERENCE_BOUNDS_BOUND_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/targets/arithmetic.h"
#include "reference/rules/op_rules.h"
#include "reference/tensor/block_pool.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

double UlpsFor(const Accuracy& accuracy, const FloatFormat& format);
// Unit roundoff of the type in which functions of a format are computed: f32 for f32 and narrower, else f64.
double FunctionUnit(const FloatFormat& format);

// The effect of the operands' errors on the result: one error per element, or none.
struct Propagated {
  PooledNumbers errors;
  int depth = 0;
  bool rounded = false;  // they are the distances of rounded results, so that no rounding is added to them
};

// Returns the greatest Bound::depth of the operands, or 0 if none has a bound.
int DepthOf(std::span<const Tensor* const> operands);

// Returns a bound of `size` zeros for the caller to fill in.
std::shared_ptr<Bound> MakeBound(int64_t size, std::string rule, int depth);
// Returns a bound that takes these numbers over.
std::shared_ptr<Bound> MakeBound(PooledNumbers values, std::string rule, int depth);
std::span<double> MutableSpan(Bound& bound);

// Returns the rule of elements of which some follow `a` and some `b`: "n<=768" if sums of 3 and of 768 terms differ in
// nothing else. Returns nullopt if no one rule describes them.
std::optional<std::string> JoinRules(const std::string& a, const std::string& b);

// Returns a copy of the tensor's bound for the caller to add to, with `why` appended to its rule. It is all zeros if
// the tensor has no bound.
std::shared_ptr<Bound> CopyOfBound(const Tensor& t, std::string_view why);

// Sets an infinite bound for the elements i for which is_open(i) holds. If there are some, `why` is appended to the rule.
template <typename Fn>
void OpenWhere(Tensor& t, std::string_view why, Fn&& is_open) {
  std::shared_ptr<Bound> bound;
  for (int64_t i = 0; i < t.size(); ++i) {
    if (!is_open(i)) continue;
    if (!bound) bound = CopyOfBound(t, why);
    MutableSpan(*bound)[static_cast<size_t>(i)] = std::numeric_limits<double>::infinity();
  }
  if (bound) t.set_bound(std::move(bound));
}

// Sets the bound of `result` to the op's own ULPs plus `propagated`. `exact` are the elements before they were rounded;
// empty if they are not known.
void SetElementwiseBound(std::string_view op, Tensor& result, Propagated propagated,
                         std::span<const double> exact = {});
void SetElementwiseBound(const OpRules& rules, Tensor& result, Propagated propagated,
                         std::span<const double> exact = {});

// Returns the `exact` argument of SetElementwiseBound(), taken from a result that has not been rounded yet. Empty if
// the op and type do not need it.
std::vector<double> BeforeRounding(std::string_view op, const Tensor& result);

struct Accumulation {
  std::span<const double> magnitudes;  // sum |a_i b_i| per element
  std::span<const double> propagated;  // may be empty
  int64_t terms = 1;                   // roundings on the longest path
  std::span<const double> terms_each;  // the same per element, if zeros among the terms make it less; may be empty
  double unit = 0;                     // unit roundoff of the accumulation
  double factor = 1;                   // c
  double underflow = 0;                // absolute error of one term, if terms are products
  double greatest = 0;                 // largest number of the partial sums' type; 0: that of f32 or f64, by `unit`
  bool compensated = false;            // the reference's own sum is nearly exact in f64 too
  int depth = 0;                       // Bound::depth of the operands
  // For the standard deviation of rounding errors (docs/numerics.md). `largest`, per element: a number that no term
  // exceeds in modulus; if empty, no deviation is computed. `variance`: of each term relative to its square, if terms
  // are converted.
  std::span<const double> largest;
  double variance = 0;
  double bias = 0;                           // mean error of each term relative to it, if terms are converted
  const Accumulator* accumulator = nullptr;  // the device's declared way to add up; nullptr: to nearest, in `unit`
  bool integral = false;                     // all terms are integers: sums below 1/unit are exact in any order
  std::span<const uint8_t> exact;            // per element: the sum is exact in any order (exact_sum.h); may be empty
  // Devices that have parts of the sum. Each may round its part to the result's type, in which the parts are added up.
  int64_t parts = 1;
  // The bound is what the second criterion allows (NarrowToLikely), not the worst case, where deviations are known.
  bool likely = false;
  bool inexact = false;  // `propagated` are errors of operands, not only those of their conversion
};
void SetAccumulationBound(Tensor& result, const Accumulation& accumulation);

// Narrows each bound to the error that the second criterion (precision_ratio.h) allows an element of this deviation,
// plus its part of `propagated`, which may be empty. Infinite bounds and those of elements
// without a deviation stay.
void NarrowToLikely(Bound& bound, std::span<const double> deviations, std::span<const double> propagated = {});

// The variance that rounding gives a sum of independent terms, the squares of which add up to `squares`
// (docs/numerics.md). Returns nullopt if the roundings are more than a small perturbation.
std::optional<double> VarianceOfSum(double unit, double terms, double squares, double sum);

// The number of roundings in a sum of `values` nonzero numbers. Zeros do not count: adding an exact zero is exact in
// every order.
inline double RoundingsOfSum(double values) { return std::max(values - 1, 0.0); }

// True if every element is an integer (for complex elements, both parts).
bool AllIntegers(const Tensor& t);

// The combined unit roundoff of device and reference. For f64 it is twice that of the format, because the reference
// rounds in f64 too; for a narrower format it is that of the format.
double RoundoffOfBoth(const FloatFormat& format);

// Unit roundoff of the type in which dot products of `type` accumulate: f32 for f32 and narrower, f64 for f64.
double AccumulationUnit(ElementType type);
// The error of one product in that type if the product is subnormal.
double AccumulationUnderflow(ElementType type);

// The distance of a value from the centre. Infinite if exactly one of them is NaN.
inline double AbsoluteDifference(double value, double center) {
  if (value == center || (std::isnan(value) && std::isnan(center))) return 0;
  const double difference = std::abs(value - center);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

// The same for elements of any storage type; of complex numbers, the modulus of the differences of their parts.
template <typename T>
double ElementDistance(const T& value, const T& center) {
  if constexpr (std::is_same_v<T, Complex>) {
    return std::hypot(AbsoluteDifference(value.real(), center.real()), AbsoluteDifference(value.imag(), center.imag()));
  } else {
    return AbsoluteDifference(static_cast<double>(value), static_cast<double>(center));
  }
}

// Returns x + e, and at least the next double if e is not 0. If e is infinite the result is e, even if x is an infinity
// or NaN: an unbounded error can reach everything.
inline double Moved(double x, double e) {
  if (std::isinf(e)) return e;
  const double moved = x + e;
  return moved != x || e == 0 ? moved : std::nextafter(x, std::copysign(std::numeric_limits<double>::infinity(), e));
}

// The error of a result that is `exact` before it is rounded: infinite if the result is an infinity, or NaN in a type
// without infinities, and a device may have a number, or the other way round.
inline double ErrorAtOverflow(double error, double exact, double result, const FloatFormat& format) {
  if (!std::isfinite(exact) || !std::isfinite(error)) return error;
  double other = std::fabs(exact) + error;
  const bool overflows = !std::isfinite(result);
  if (overflows) other = std::fabs(exact) - std::min(error, std::fabs(exact));
  if (!overflows && other <= format.max_finite) return error;
  return std::isfinite(RoundTo(format, other)) == overflows ? std::numeric_limits<double>::infinity() : error;
}

// Worst change of f over the box of its arguments, taken at the corners of [x - e, x + e]. This is correct for
// functions that are monotone in each argument over the box, and for convex even functions.
template <typename F>
double CornerError(F&& f, double center, double x, double ex) {
  return std::max(AbsoluteDifference(f(Moved(x, -ex)), center), AbsoluteDifference(f(Moved(x, ex)), center));
}
template <typename F>
double CornerError(F&& f, double center, double x, double ex, double y, double ey) {
  double worst = 0;
  for (const double a : {Moved(x, -ex), Moved(x, ex)}) {
    for (const double b : {Moved(y, -ey), Moved(y, ey)}) worst = std::max(worst, AbsoluteDifference(f(a, b), center));
  }
  return worst;
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_BOUND_H_
