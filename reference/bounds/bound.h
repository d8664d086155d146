// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far a correct device may be from the reference, element by element. Derivations: docs/numerics.md.
//
//   SetElementwiseBound("stablehlo.tanh", result, Propagated{});   // ULP table
//   SetAccumulationBound(result, {.magnitudes = sums, .terms = k, .unit = 0x1p-24});
//
// A tensor without a bound must be met bit for bit.
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
#include <vector>

#include "manifests/targets/arithmetic.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// Allowed ULPs of an elementwise op by precision of its format, and an absolute part in units of u.
struct UlpRule {
  std::string_view op;
  double f64;
  double f32;
  double narrow;                // f16, bf16 and everything smaller
  double absolute = 0;          // times FunctionUnit(): for formulas whose relative error grows near zero
  bool zero_sign_free = false;  // -0 and +0 are both right
  bool exponential = false;     // exp(-w), and w is rounded: |log result| ULPs more
};

// nullptr where the op is exact: one correct answer.
const UlpRule* FindUlpRule(std::string_view op);
double UlpsFor(const UlpRule& rule, const FloatFormat& format);
// Unit roundoff of the type in which functions of a format are computed: f32 for f32 and narrower.
double FunctionUnit(const FloatFormat& format);

// Errors that came in with the operands, seen at the result: one per element, or none.
struct Propagated {
  std::vector<double> errors;
  int depth = 0;
};

// max over the operands of the ops behind their bounds; 0 without any.
int DepthOf(std::span<const Tensor* const> operands);

// A bound of `size` zeros to be filled in.
std::shared_ptr<Bound> MakeBound(int64_t size, std::string rule, int depth);
std::span<double> MutableSpan(Bound& bound);

// A copy of the tensor's bound to be added to, zeros where it has none, with `why` behind the rule.
std::shared_ptr<Bound> CopyOfBound(const Tensor& t, std::string_view why);

// The op's own ULPs plus `propagated`. `exact`: the elements before they were rounded; empty where they are not known.
void SetElementwiseBound(std::string_view op, Tensor& result, Propagated propagated,
                         std::span<const double> exact = {});

// What SetElementwiseBound() is to know of a result that is to be rounded; empty where it needs nothing.
std::vector<double> BeforeRounding(std::string_view op, const Tensor& result);

struct Accumulation {
  std::span<const double> magnitudes;  // sum |a_i b_i| per element
  std::span<const double> propagated;  // may be empty
  int64_t terms = 1;                   // roundings on the longest path
  std::span<const double> terms_each;  // the same per element, where zeros among the terms make it less; may be empty
  double unit = 0;                     // unit roundoff of the accumulation
  double factor = 1;                   // c
  double underflow = 0;                // absolute error of one term where terms are products
  double greatest = 0;                 // number of the type of the partial sums; 0: of f32 or f64, as the unit says
  bool compensated = false;            // the reference's own sum is as good as exact in f64 too
  int depth = 0;                       // of the operands
  // For the standard deviation of what rounding does (docs/numerics.md): a number that no term exceeds in modulus, per
  // element, and the variance of each term relative to its square, where it is converted. Empty: no deviation.
  std::span<const double> largest;
  double variance = 0;
  double bias = 0;                           // the mean error of each term relative to it, where it is converted
  const Accumulator* accumulator = nullptr;  // how the device declares to add up; nullptr: to nearest, in `unit`
  bool integral = false;                     // all terms are integers: sums below 1/unit are exact in any order
  std::span<const uint8_t> exact;            // per element: the sum is exact in any order (exact_sum.h); may be empty
};
void SetAccumulationBound(Tensor& result, const Accumulation& accumulation);

// The variance that rounding gives a sum of independent terms, with `squares` for the sum of their squares
// (docs/numerics.md), where its roundings are a small perturbation; nothing where they are not.
std::optional<double> VarianceOfSum(double unit, double terms, double squares, double sum);

// The roundings of a sum of `values` numbers that are not zero: adding an exact zero is exact in every order.
inline double RoundingsOfSum(double values) { return std::max(values - 1, 0.0); }

// True where every element is an integer (both parts of a complex one).
bool AllIntegers(const Tensor& t);

// Unit roundoff that device and reference make together: twice that of f64, in which the reference rounds as a device
// does, and that of any narrower format.
double RoundoffOfBoth(const FloatFormat& format);

// Unit roundoff of the type in which dot products of `type` accumulate: f32 for f32 and narrower, f64 for f64.
double AccumulationUnit(ElementType type);
// What one product in that type is off by where it is subnormal.
double AccumulationUnderflow(ElementType type);

// How far a value is from the centre; infinitely, where only one of them is a number.
inline double Apart(double value, double center) {
  if (value == center || (std::isnan(value) && std::isnan(center))) return 0;
  const double apart = std::abs(value - center);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

// x moved by e, to the next double at least. An error without bound reaches everything, from an infinity or NaN too.
inline double Moved(double x, double e) {
  if (std::isinf(e)) return e;
  const double moved = x + e;
  return moved != x || e == 0 ? moved : std::nextafter(x, std::copysign(std::numeric_limits<double>::infinity(), e));
}

// Worst change of f over the box around its arguments: corners of [x - e, x + e]. Sound for functions that are
// monotone in each argument over the box, and for convex even ones.
template <typename F>
double CornerError(F&& f, double center, double x, double ex) {
  return std::max(Apart(f(Moved(x, -ex)), center), Apart(f(Moved(x, ex)), center));
}
template <typename F>
double CornerError(F&& f, double center, double x, double ex, double y, double ey) {
  double worst = 0;
  for (const double a : {Moved(x, -ex), Moved(x, ex)}) {
    for (const double b : {Moved(y, -ey), Moved(y, ey)}) worst = std::max(worst, Apart(f(a, b), center));
  }
  return worst;
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_BOUND_H_
