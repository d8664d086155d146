// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the size of a shape fits into 64 bits, before the untrusted sizes in a file are multiplied.
//
//   IsCountable({1 << 20, 1 << 20});            // true: 2^40 elements
//   IsCountable({1ll << 32, 1ll << 32});        // false: 2^64 overflows
#ifndef OPBYOP_SUPPORT_COUNTABLE_H_
#define OPBYOP_SUPPORT_COUNTABLE_H_

#include <cstdint>
#include <span>

namespace opbyop {

// Whether the number of elements of a shape, and of bytes for the widest element type, fits into 64 bits. Dynamic
// dimensions and those of size 0 are ignored, because strides are products of the others.
bool IsCountable(std::span<const int64_t> shape);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_COUNTABLE_H_
