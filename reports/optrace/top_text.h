// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The slowest operators and the insights of a trace, as a terminal shows them.
//
//   std::cout << TopText(trace, Grouping::kHlo, 10);
#ifndef OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_
#define OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_

#include <cstddef>
#include <string>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/operator_table.h"

namespace opbyop::optrace {

// Empty where no operator has a time.
std::string TopTable(const Trace& trace, Grouping grouping, size_t count);

// The `count` slowest ops one by one: share, bound, where they stand. Then what all ops add up to, beside the model
// in one piece where that was timed.
std::string SlowestOps(const Trace& trace, size_t count);

// Ranked; each with its condition, cause and action.
std::string InsightsText(const Trace& trace);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_TOP_TEXT_H_
