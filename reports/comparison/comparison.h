// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several runs of one manifest's cases side by side: targets compared by op, by stage, in numbers and in time.
//
//   Expected<ReportFiles> page = WriteComparison({.run_dirs = {"out/nightly/host", "out/nightly/xla"},
//                                                 .out_dir = "out/nightly"});
//
// Writes OUT/index.html, which links to each run's own index.html, and OUT/conformance.md. The page's data is compact
// JSON, `opbyop-comparison/3`; reports/web/src/comparison_data.ts reads it, and both sides' tests hold to
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

// Holds no "<", so it may stand in a <script> element as it is. Cases that stand in one manifest only are listed too.
std::string ComparisonData(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases);

struct ComparisonOptions {
  std::vector<std::filesystem::path> run_dirs;
  std::filesystem::path out_dir;
  Demands demands;                 // of each run, over its own
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; none where empty
};

Expected<ReportFiles> WriteComparison(const ComparisonOptions& options);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMPARISON_COMPARISON_H_
