// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes sizes from attributes without overflow: the values of attributes may add up to more than 64 bits.
//
//   int64_t size = Padded(4, low, interior, high);   // 2^62 if the size is 2^62 or more; no tensor is that large
#ifndef OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_
#define OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_

#include <algorithm>
#include <cstdint>

namespace opbyop::stablehlo {

__extension__ typedef __int128 WideInt;

// Returns the size, or 2^62 if it is greater. No tensor is that large.
constexpr int64_t Narrow(WideInt size) {
  constexpr WideInt kMost = WideInt{1} << 62;
  return static_cast<int64_t>(std::clamp<WideInt>(size, -kMost, kMost));
}

// Returns the size of a dimension of `size` elements with padding before, between and after them.
constexpr int64_t Padded(int64_t size, int64_t low, int64_t interior, int64_t high) {
  return Narrow(WideInt{low} + size + (size > 0 ? WideInt{size - 1} * interior : 0) + high);
}

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_
