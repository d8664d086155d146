// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The upper median.
//
//   MedianOf({3, 1, 2}).value_or(0)   // 2
#ifndef OPBYOP_REPORTS_VIEW_MEDIAN_H_
#define OPBYOP_REPORTS_VIEW_MEDIAN_H_

#include <optional>
#include <vector>

namespace opbyop::reports {

// Returns nullopt without values.
std::optional<double> MedianOf(std::vector<double> values);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_MEDIAN_H_
