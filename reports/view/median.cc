// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/median.h"

#include <algorithm>
#include <cstddef>

namespace opbyop::reports {

std::optional<double> MedianOf(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace opbyop::reports
