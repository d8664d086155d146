// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes one Markdown table over all targets: op x target, with the stage that was reached, the status, and counts of
// shapes and types. Ops that do not pass everywhere have a section with types, first diagnostics and commands.
// docs/conformance.md is such a page.
//
//   WriteFile("out/nightly/conformance.md", ConformancePage(runs, JoinCases(runs)));
#ifndef OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_
#define OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_

#include <string>
#include <vector>

#include "reports/view/compared_cases.h"

namespace opbyop::reports {

// Contains nothing that differs between two runs with equal outcomes: no times, and no paths except in commands.
std::string ConformancePage(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

// A summary for a terminal: a line per target, and one per op whose outcome differs between targets.
std::string ConformanceSummary(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_
