// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors of integers and booleans that an op computes from inexact ones, such as floats that were rounded to integers.
//
//   Propagated errors = IntegerErrors<int64_t>(x, y, out,
//       [&](int64_t a, int64_t b) { return WrapInteger(info, uint64_t(a) * uint64_t(b)); },
//       [](int64_t i) { return kInf; });
//
// An operand v with the error e may be any number from v - e to v + e of its type, so the op is applied to each of them.
#ifndef OPBYOP_REFERENCE_BOUNDS_INTEGER_ERRORS_H_
#define OPBYOP_REFERENCE_BOUNDS_INTEGER_ERRORS_H_

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/tensor/element_type.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {

// The number that an integer of this type in storage form is.
inline double NumberOf(const ElementTypeInfo& info, int64_t stored) {
  return info.kind == ElementKind::kInteger && !info.is_signed ? static_cast<double>(static_cast<uint64_t>(stored))
                                                               : static_cast<double>(stored);
}

// The number that element i of booleans, integers or floats is.
inline double NumberAt(const Tensor& t, int64_t i) {
  if (t.kind() == ElementKind::kFloat) return ValueAt<double>(t, i);
  return t.kind() == ElementKind::kBool ? ValueAt<uint8_t>(t, i) : NumberOf(Info(t.type()), ValueAt<int64_t>(t, i));
}

// How far two integers of this type are apart. Numbers beyond 2^53 may be next to each other.
inline double DistanceOf(const ElementTypeInfo& info, int64_t a, int64_t b) {
  const bool less = info.is_signed ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  return static_cast<double>(less ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
                                  : static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

// Whether no number of the type is passed on the way from v - e to v + e, e being finite.
inline bool StaysInRange(ElementType type, double v, double e) {
  const ElementTypeInfo& info = Info(type);
  return v - e >= NumberOf(info, MinInteger(type)) && v + e <= NumberOf(info, MaxInteger(type));
}

// The numbers that an operand may be, in storage form.
struct IntegerRange {
  int64_t first = 0, count = 1;
};

template <typename T>
IntegerRange RangeOf(const Tensor& t, int64_t i) {
  const auto v = static_cast<int64_t>(ValueAt<T>(t, i));
  const double e = std::floor(ErrorAt(t, i));
  if (KindOf(t.type()) == ElementKind::kBool) return e > 0 ? IntegerRange{0, 2} : IntegerRange{v, 1};
  const ElementTypeInfo& info = Info(t.type());
  const double below = std::min(e, NumberOf(info, v) - NumberOf(info, MinInteger(t.type())));
  const double above = std::min(e, NumberOf(info, MaxInteger(t.type())) - NumberOf(info, v));
  return {v - static_cast<int64_t>(below), 1 + static_cast<int64_t>(below + above)};
}

// `apply` gives the result in storage form. Where it would have to be applied too often, the error is otherwise(i). If x
// and y are the same value, apply(a, a) is tried alone. A result has no error where an operand's error changes nothing.
template <typename T, typename Apply, typename Otherwise>
Propagated IntegerErrors(const Tensor& x, const Tensor& y, const Tensor& out, Apply&& apply, Otherwise&& otherwise) {
  constexpr double kMostTried = 4096;
  Propagated result;
  const std::array operands = {&x, &y};
  result.depth = DepthOf(operands);
  result.errors.assign(static_cast<size_t>(out.size()), 0);
  const bool same = &x == &y || x.IsSameValueAs(y);
  const ElementTypeInfo& info = Info(out.type());
  for (int64_t i = 0; i < out.size(); ++i) {
    const double ex = ErrorAt(x, i), ey = same ? 0 : ErrorAt(y, i);
    if (ex == 0 && ey == 0) continue;
    double& error = result.errors[static_cast<size_t>(i)];
    const bool open = KindOf(x.type()) == ElementKind::kInteger && (std::isinf(ex) || std::isinf(ey));
    if (open || (2 * ex + 1) * (2 * ey + 1) > kMostTried) {
      error = open ? kInf : otherwise(i);
      continue;
    }
    const IntegerRange a = RangeOf<T>(x, i), b = same ? IntegerRange{0, 1} : RangeOf<T>(y, i);
    const auto center = static_cast<int64_t>(apply(ValueAt<T>(x, i), ValueAt<T>(same ? x : y, i)));
    for (int64_t p = 0; p < a.count; ++p) {
      for (int64_t q = 0; q < b.count; ++q) {
        const int64_t from = a.first + p;
        error = std::max(error, DistanceOf(info, apply(from, same ? from : b.first + q), center));
      }
    }
  }
  return result;
}

// The error of f at the ends of the operands' ranges, where neither the operands nor the result wrap around; infinite
// otherwise. For functions that are monotone in each operand.
template <typename F>
double ErrorAtEnds(const Tensor& x, const Tensor& y, const Tensor& out, int64_t i, F&& f) {
  const double a = NumberAt(x, i), b = NumberAt(y, i);
  const double center = f(a, b), error = CornerError(f, center, a, ErrorAt(x, i), b, ErrorAt(y, i));
  constexpr double kExact = 0x1p53;
  return std::fabs(center) + error <= kExact && StaysInRange(out.type(), center, error) ? error : kInf;
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_INTEGER_ERRORS_H_
