// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the slowest operators and the insights of a trace for a terminal.
//
//   std::cout << TopText(trace, Grouping::kHlo, 10);
#ifndef OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_
#define OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_

#include <cstddef>
#include <string>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {

// Empty if no operator has a time.
std::string TopTable(const Trace& trace, Grouping grouping, size_t count);

// The `count` slowest ops one by one: share, bound, source location. Then the sum over all ops, and the time of the
// model in one piece if that was measured.
std::string SlowestOps(const Trace& trace, size_t count);

// Insights in the order of their rank, each with its condition, cause and action.
std::string InsightsText(const Trace& trace);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_
