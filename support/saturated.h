// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and products of counts that stop at the largest number instead of overflowing, for estimates and for untrusted
// numbers in files.
//
//   int64_t bytes = AddCapped(bytes, MulCapped(elements, size));
#ifndef OPBYOP_SUPPORT_SATURATED_H_
#define OPBYOP_SUPPORT_SATURATED_H_

#include <cstdint>
#include <limits>

namespace opbyop {

// Both numbers are 0 or more.
constexpr int64_t AddCapped(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

constexpr int64_t MulCapped(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SATURATED_H_
