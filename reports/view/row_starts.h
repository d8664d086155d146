// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The start of each row, no two alike: readers of reports join on the start.
#ifndef OPBYOP_REPORTS_VIEW_ROW_STARTS_H_
#define OPBYOP_REPORTS_VIEW_ROW_STARTS_H_

#include <cstdint>
#include <vector>

#include "reports/view/rows.h"

namespace opbyop::reports {

// The start of each row of the view, in microseconds since 1970 UTC. Rows of one case share one execution and missing
// rows have none; microseconds are added to make them distinct.
std::vector<int64_t> UniqueStarts(const View& view);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_ROW_STARTS_H_
