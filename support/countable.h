// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shapes whose sizes 64 bits count: what a file claims is no product yet.
//
//   IsCountable({1 << 20, 1 << 20});            // true: 2^40 elements
//   IsCountable({1ll << 32, 1ll << 32});        // false: 2^64 of them would be none
#ifndef OPBYOP_SUPPORT_COUNTABLE_H_
#define OPBYOP_SUPPORT_COUNTABLE_H_

#include <cstdint>
#include <span>

namespace opbyop {

// Whether 64 bits count the elements of a shape, and the bytes of the widest that there are. Dynamic dimensions and
// those of 0 are left out: strides are products of the others.
bool IsCountable(std::span<const int64_t> shape);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_COUNTABLE_H_
