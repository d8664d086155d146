// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adds the results of a run of whole models, `opbyop run DIR --mode=whole`, which writes them to DIR/whole, to those of
// the run of their ops.
//
//   View ops = MakeView(manifest, run, nullptr);
//   AddWholeModels(MakeView(whole_manifest, whole_run, nullptr), ops);   // ops.models[i].whole
#ifndef OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_
#define OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_

#include <filesystem>
#include <string>

#include "reports/view/rows.h"

namespace opbyop::reports {

// The folder of the run of whole models, within that of the ops.
inline constexpr std::string_view kWholeFolder = "whole";

// Matches models by name and source. Both runs must be on the same target and toolchain; other models are left alone.
void AddWholeModels(const View& whole, View& ops);

// "pass, error 1.2e-06 of the range", "pass (weak), error ...", "fail in compare: ..."; empty if it was not run.
std::string WholeModelText(const ModelSummary& model);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_WHOLE_MODELS_H_
