// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides whether every partial sum of some numbers is exact, in whatever order and tree they are added
// (docs/numerics.md, "Exact sums").
//
//   ExactSum sum(format);
//   for (double v : terms) if (!sum.Add(v)) break;   // false as soon as the sum may be inexact
#ifndef OPBYOP_REFERENCE_BOUNDS_EXACT_SUM_H_
#define OPBYOP_REFERENCE_BOUNDS_EXACT_SUM_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/tensor/element_type.h"

namespace opbyop::reference {

// The condition: all terms are multiples of 2^q, and neither the positive nor the negative ones add up to more than
// 2^(q + p) in modulus. Every partial sum is then a multiple of 2^q with at most p bits.
class ExactSum {
 public:
  // Allows one bit less in f64, so that the sums computed here are exact themselves.
  explicit ExactSum(const FloatFormat& format) : bits_(std::min(format.precision, 52)), most_(format.max_finite) {}

  bool Add(double v) {
    if (v == 0 || !exact_) return exact_;
    if (!std::isfinite(v)) return exact_ = false;
    const int lowest = LowestBit(v);
    if (lowest < lowest_) {
      lowest_ = lowest;
      limit_ = std::min(std::ldexp(1.0, lowest_ + bits_), most_);
    }
    (v > 0 ? above_ : below_) += std::fabs(v);
    exact_ = exact_ && std::max(above_, below_) <= limit_;
    return exact_;
  }
  bool exact() const { return exact_; }

 private:
  // The exponent of the lowest bit of v that is set.
  static int LowestBit(double v) {
    const auto bits = std::bit_cast<uint64_t>(v);
    const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    const uint64_t significand = exponent == 0 ? fraction : fraction | (uint64_t{1} << 52);
    return std::max(exponent, 1) - 1075 + std::countr_zero(significand);
  }

  int bits_;
  double most_;
  int lowest_ = std::numeric_limits<int>::max();
  double limit_ = std::numeric_limits<double>::infinity();
  double above_ = 0, below_ = 0;
  bool exact_ = true;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_EXACT_SUM_H_
