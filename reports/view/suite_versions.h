// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of different versions of one suite side by side: what both have can be compared, the rest cannot.
//
//   std::vector<ComparedCase> cases = JoinCases(runs);
//   const std::string note = KeepComparable(runs, cases);   // empty where there was nothing to leave out
#ifndef OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_
#define OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_

#include <string>
#include <vector>

#include "reports/view/compared_cases.h"

namespace opbyop::reports {

// Where the runs are not all of one suite, version, level and list of cases, removes the cases that one of them lacks,
// and says so in a sentence. Runs of models are compared as they are: which models a run has is its own choice.
std::string KeepComparable(const std::vector<ComparedRun>& runs, std::vector<ComparedCase>& cases);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_
