// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares runs of different versions of one suite: only cases that both have can be compared.
//
//   std::vector<ComparedCase> cases = JoinCases(runs);
//   const std::string note = KeepComparable(runs, cases);   // empty if nothing was left out
#ifndef OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_
#define OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_

#include <string>
#include <vector>

#include "reports/view/compared_cases.h"

namespace opbyop::reports {

// If the runs are not all of one suite, version, level and list of cases, removes the cases that one of them lacks, and
// says so in a sentence. Runs of models are compared as they are: each run may choose its models.
std::string KeepComparable(const std::vector<ComparedRun>& runs, std::vector<ComparedCase>& cases);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_SUITE_VERSIONS_H_
