// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes that attributes amount to, which 64 bits need not hold.
//
//   int64_t size = Padded(4, low, interior, high);   // of 2^62 or more: 2^62, which no tensor has
#ifndef OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_
#define OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_

#include <algorithm>
#include <cstdint>

namespace opbyop::stablehlo {

__extension__ typedef __int128 WideInt;

// The size, or one that no tensor has where it is beyond all of theirs.
constexpr int64_t Narrow(WideInt size) {
  constexpr WideInt kMost = WideInt{1} << 62;
  return static_cast<int64_t>(std::clamp<WideInt>(size, -kMost, kMost));
}

// The size of a dimension of `size` elements with padding before, between and behind them.
constexpr int64_t Padded(int64_t size, int64_t low, int64_t interior, int64_t high) {
  return Narrow(WideInt{low} + size + (size > 0 ? WideInt{size - 1} * interior : 0) + high);
}

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_WIDE_SIZE_H_
