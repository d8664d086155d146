// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One table over all targets in Markdown: op x target by the stage that was reached and how it ended, with the counts
// of shapes and types, and for what does not pass everywhere its types, first diagnostics and commands.
// docs/conformance.md is such a page.
//
//   WriteFile("out/nightly/conformance.md", ConformancePage(runs, JoinCases(runs)));
#ifndef OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_
#define OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_

#include <string>
#include <vector>

#include "reports/view/compared_cases.h"

namespace opbyop::reports {

// Without anything that differs between two runs that end alike: no times, no paths but those of commands.
std::string ConformancePage(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

// For a terminal: a line per target, and one per op on which the targets do not end alike.
std::string ConformanceSummary(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMPARISON_CONFORMANCE_TABLE_H_
