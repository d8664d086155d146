// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cumulative sums, products and extrema: windows that are as long as a dimension, and padded so that each ends, or
// begins, at its own element. Window i of a line has the elements of window i - 1 and one more.
#ifndef OPBYOP_REFERENCE_EVAL_CUMULATIVE_H_
#define OPBYOP_REFERENCE_EVAL_CUMULATIVE_H_

#include <cstdint>
#include <optional>
#include <span>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

struct Cumulative {
  size_t dimension;
  bool from_the_end;  // the last window of a line has one element
};

// `padding` has two numbers per dimension. Empty attributes are all 1, or all 0 for padding.
inline std::optional<Cumulative> CumulativeOf(const Shape& shape, std::span<const int64_t> window,
                                              std::span<const int64_t> strides, std::span<const int64_t> base_dilations,
                                              std::span<const int64_t> window_dilations,
                                              std::span<const int64_t> padding) {
  const auto all_one = [](std::span<const int64_t> list) {
    return std::ranges::all_of(list, [](int64_t v) { return v == 1; });
  };
  if (!all_one(strides) || !all_one(base_dilations) || !all_one(window_dilations)) return std::nullopt;
  if (window.size() != shape.size() || padding.size() != 2 * shape.size()) return std::nullopt;
  std::optional<Cumulative> found;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t low = padding[2 * d], high = padding[2 * d + 1], n = shape[d];
    if (window[d] == 1 && low == 0 && high == 0) continue;
    const bool whole = window[d] == n && low + high == n - 1 && (low == 0 || high == 0);
    if (found || !whole) return std::nullopt;
    found = Cumulative{d, low == 0};
  }
  return found;
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_CUMULATIVE_H_
