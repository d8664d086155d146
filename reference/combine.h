// The scalar functions behind Combine, by storage type, for direct loops.
//
//   WithCombine<T>(Combine::kAdd, info, [&](auto f) { for (...) acc = f(acc, x); });
#ifndef OPBYOP_REFERENCE_COMBINE_H_
#define OPBYOP_REFERENCE_COMBINE_H_

#include <cmath>
#include <complex>

#include "reference/element_type.h"
#include "reference/region_form.h"
#include "reference/scalar_math.h"
#include "reference/tensor.h"

namespace opbyop {

// |v| as a double; 0 for integers and booleans, whose sums have no rounding to bound.
template <typename T>
double ModulusOf(const T& v) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Complex>) {
    return std::abs(v);
  } else {
    return 0;
  }
}

// Calls fn(f) with f(T, T) -> T and returns true, or false where the pair has no direct form. Floats are not
// rounded by f: sums stay in double until the end.
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

}  // namespace opbyop

#endif  // OPBYOP_REFERENCE_COMBINE_H_
