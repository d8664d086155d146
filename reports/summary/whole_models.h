// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the run of whole models says beside the run of their ops: `opbyop run DIR --mode=whole` leaves it in DIR/whole.
//
//   View ops = MakeView(manifest, run, nullptr);
//   AddWholeModels(MakeView(whole_manifest, whole_run, nullptr), ops);   // ops.models[i].whole
#ifndef OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_
#define OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_

#include <filesystem>
#include <string>

#include "reports/view/rows.h"

namespace opbyop::reports {

// Where the run of whole models lies beside that of the ops.
inline constexpr std::string_view kWholeFolder = "whole";

// Models of one name and source, run on the same target and toolchain; others are left alone.
void AddWholeModels(const View& whole, View& ops);

// "pass, error 1.2e-06 of the range", "pass (weak), error ...", "fail in compare: ..."; empty where it was not run.
std::string WholeModelText(const ModelSummary& model);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_
