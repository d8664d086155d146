// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FloatFormat::Ulp computed from the bits, for loops over many elements.
//
//   const NarrowUlp ulp(FormatOf(ElementType::kF32));
//   ulp(1.5);   // 2^-23
#ifndef OPBYOP_REFERENCE_BOUNDS_NARROW_ULP_H_
#define OPBYOP_REFERENCE_BOUNDS_NARROW_ULP_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "reference/tensor/element_type.h"

namespace opbyop::reference {

// For formats narrower than f64 only: their ULPs are normal doubles. Bits are signed, because AVX2 compares no unsigned
// integers of 64 bits.
class NarrowUlp {
 public:
  explicit NarrowUlp(const FloatFormat& format)
      : least_(static_cast<int64_t>(format.min_exponent + 1023) << 52),
        drop_(static_cast<int64_t>(format.precision - 1) << 52) {}
  double operator()(double x) const {
    const int64_t exponent = std::bit_cast<int64_t>(x) & kExponent;
    return exponent == kExponent ? 0 : std::bit_cast<double>(std::max(exponent, least_) - drop_);
  }
  // For explicit vectors: the ULP of a finite number has the bits max(its bits & kExponent, least) - drop.
  static constexpr int64_t kExponent = 0x7FF0000000000000;
  int64_t least() const { return least_; }
  int64_t drop() const { return drop_; }

 private:
  int64_t least_, drop_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_BOUNDS_NARROW_ULP_H_
