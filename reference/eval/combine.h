// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The scalar functions that Combine names, for each storage type, for loops that run without evaluating a region.
//
//   WithCombine<T>(Combine::kAdd, info, [&](auto f) { for (...) acc = f(acc, x); });
#ifndef OPBYOP_REFERENCE_EVAL_COMBINE_H_
#define OPBYOP_REFERENCE_EVAL_COMBINE_H_

#include <cmath>
#include <complex>
#include <limits>

#include "reference/bounds/bound.h"
#include "reference/eval/region_form.h"
#include "reference/tensor/element_type.h"
#include "reference/tensor/scalar_math.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// |v| as a double; 0 for integers and booleans, whose sums have no rounding to bound.
template <typename T>
double ModulusOf(const T& v) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
    return std::abs(v);
  } else {
    return 0;
  }
}

// The same, but 0 if v is infinite or NaN: with such a term the result of a sum does not depend on the order.
template <typename T>
double FiniteModulusOf(const T& v) {
  const double modulus = ModulusOf<T>(v);
  return std::isfinite(modulus) ? modulus : 0;
}

// The magnitude sum of the terms of a sum, and the number of its roundings. Adding a zero needs no rounding.
template <typename T>
class SumMagnitude {
 public:
  // Adds a term with this error. A zero with an error above 0 counts as a nonzero term.
  void Add(const T& v, double error = 0) {
    const double modulus = FiniteModulusOf<T>(v);
    sum_ += modulus;
    largest_ = std::max(largest_, modulus);
    values_ += v != T{} || error > 0;
  }
  double sum() const { return sum_; }
  double largest() const { return largest_; }
  double roundings() const { return RoundingsOfSum(values_); }

 private:
  double sum_ = 0;
  double largest_ = 0;
  double values_ = 0;
};

// The magnitude of a product of many factors: |product|, or infinity if the order decides whether a partial product
// leaves the range of the type. 0 if a factor is NaN, since the product then is NaN in every order.
template <typename T>
class ProductMagnitude {
 public:
  explicit ProductMagnitude(const FloatFormat& format) : format_(&format) {}
  void Add(const T& v) {
    const double modulus = ModulusOf<T>(v);
    if (std::isnan(modulus)) {
      nan_ = true;
    } else if (modulus > 1) {
      large_ *= modulus;
    } else {
      small_ *= modulus;
      zero_ = zero_ || modulus == 0;
    }
  }
  double Of(const T& product) const {
    if (nan_) return 0;
    const bool leaves = large_ > format_->max_finite || (!zero_ && small_ < std::ldexp(1.0, format_->min_exponent));
    return leaves ? std::numeric_limits<double>::infinity() : FiniteModulusOf<T>(product);
  }

 private:
  const FloatFormat* format_;
  double large_ = 1, small_ = 1;
  bool nan_ = false, zero_ = false;
};

// True if CompensatedOf<T> must be used: for sums of f64 and complex<f64>.
inline bool IsCompensated(Combine combine, const ElementTypeInfo& info) {
  return combine == Combine::kAdd && info.format != nullptr && info.format->precision == 53;
}

// Calls fn(f), in which f(T, T) -> T is the function, and returns true. Returns false if there is no such function for
// the type. f does not round floats: sums stay in double until the end.
template <typename T, typename Fn>
bool WithCombine(Combine combine, const ElementTypeInfo& info, Fn&& fn) {
  switch (combine) {
    case Combine::kFirst:
      fn([](T a, T) { return a; });
      return true;
    case Combine::kSecond:
      fn([](T, T b) { return b; });
      return true;
    default:
      break;
  }
  if constexpr (std::is_same_v<T, uint8_t>) {
    switch (combine) {
      case Combine::kAdd:
      case Combine::kMaximum:
      case Combine::kOr:
        fn([](uint8_t a, uint8_t b) -> uint8_t { return a | b; });
        return true;
      case Combine::kMultiply:
      case Combine::kMinimum:
      case Combine::kAnd:
        fn([](uint8_t a, uint8_t b) -> uint8_t { return a & b; });
        return true;
      default:
        return false;
    }
  } else if constexpr (std::is_same_v<T, int64_t>) {
    const bool is_signed = info.is_signed;
    const auto less = [is_signed](int64_t a, int64_t b) {
      return is_signed ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
    };
    switch (combine) {
      case Combine::kAdd:
        fn([&info](int64_t a, int64_t b) {
          return WrapInteger(info, static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        });
        return true;
      case Combine::kMultiply:
        fn([&info](int64_t a, int64_t b) {
          return WrapInteger(info, static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        });
        return true;
      case Combine::kMaximum:
        fn([less](int64_t a, int64_t b) { return less(a, b) ? b : a; });
        return true;
      case Combine::kMinimum:
        fn([less](int64_t a, int64_t b) { return less(b, a) ? b : a; });
        return true;
      case Combine::kAnd:
        fn([](int64_t a, int64_t b) { return a & b; });
        return true;
      case Combine::kOr:
        fn([](int64_t a, int64_t b) { return a | b; });
        return true;
      default:
        return false;
    }
  } else if constexpr (std::is_same_v<T, double>) {
    switch (combine) {
      case Combine::kAdd:
        fn([](double a, double b) { return a + b; });
        return true;
      case Combine::kMultiply:
        fn([](double a, double b) { return a * b; });
        return true;
      case Combine::kMaximum:
        fn([](double a, double b) { return Maximum(a, b); });
        return true;
      case Combine::kMinimum:
        fn([](double a, double b) { return Minimum(a, b); });
        return true;
      default:
        return false;
    }
  } else {
    switch (combine) {
      case Combine::kAdd:
        fn([](Complex a, Complex b) { return a + b; });
        return true;
      case Combine::kMultiply:
        fn([](Complex a, Complex b) { return ComplexMultiply(a, b); });
        return true;
      default:
        return false;
    }
  }
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_COMBINE_H_
