// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/whole_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/view/first_line.h"

namespace opbyop::reports {
namespace {

constexpr size_t kShownDiagnostic = 300;

WholeModel Summarize(const RowResult& row, const CaseRecord* record) {
  WholeModel whole{.status = row.status, .stage = row.stage, .diagnostic = Shorten(row.diagnostic, kShownDiagnostic)};
  if (record == nullptr) return whole;
  whole.repro = record->repro;
  whole.wall_ms = record->wall_ms;
  for (const Comparison& comparison : record->comparisons) {
    whole.compared = true;
    whole.weak = whole.weak || comparison.weak;
    whole.range_error = std::max(whole.range_error, comparison.range_error);
    whole.bound_ratio = std::max(whole.bound_ratio, comparison.bound_ratio);
  }
  return whole;
}

}  // namespace

void AddWholeModels(const View& whole, View& ops) {
  const RunHeader& header = whole.run->header;
  if (header.target != ops.run->header.target || header.toolchain != ops.run->header.toolchain) return;
  for (const RowResult& row : whole.rows) {
    const Model& of = *whole.models[row.model_index].model;
    const auto found = std::ranges::find_if(ops.models, [&](const ModelSummary& summary) {
      return summary.model->name == of.name && summary.model->sha256 == of.sha256;
    });
    if (found != ops.models.end()) found->whole = Summarize(row, whole.RecordOf(row));
  }
}

std::string WholeModelText(const ModelSummary& model) {
  if (!model.whole) return "";
  const WholeModel& whole = *model.whole;
  std::string text(ToString(whole.status));
  if (whole.weak && whole.status == Status::kPass) text += " (weak)";
  if (whole.compared) text += fmt::format(", error {:.2g} of the range", whole.range_error);
  if (whole.status != Status::kPass && !whole.compared) {
    text += fmt::format("{}{}", whole.stage.empty() ? "" : " in " + whole.stage,
                        whole.diagnostic.empty() ? "" : ": " + SafeText(whole.diagnostic));
  }
  return text;
}

}  // namespace opbyop::reports
