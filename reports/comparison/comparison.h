// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares several runs of the same cases: targets by op, by stage, by errors and by time.
//
//   Expected<ReportFiles> page = WriteComparison({.run_dirs = {"out/nightly/host", "out/nightly/xla"},
//                                                 .out_dir = "out/nightly"});
//
// Writes OUT/index.html, which links to each run's own index.html, and OUT/conformance.md. The page's data is compact
// JSON, `opbyop-comparison/3`, which reports/web/src/comparison_data.ts reads. Both sides are tested with
// reports/web/src/testdata/comparison.json. Cases and their outcomes are packed (page_columns.h). Texts are indices
// into `strings`, -1 for none; a time of -1 was not measured.
#ifndef OPBYOP_REPORTS_COMPARISON_COMPARISON_H_
#define OPBYOP_REPORTS_COMPARISON_COMPARISON_H_

#include <filesystem>
#include <string>
#include <vector>

#include "reports/command/report_command.h"
#include "reports/view/compared_cases.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

// Contains no "<", and so can be put into a <script> element. Cases of one manifest only are listed too.
std::string ComparisonData(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

struct ComparisonOptions {
  std::vector<std::filesystem::path> run_dirs;
  std::filesystem::path out_dir;
  Demands demands;                 // of each run, in place of its own
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; empty: none
};

Expected<ReportFiles> WriteComparison(const ComparisonOptions& options);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMPARISON_COMPARISON_H_
