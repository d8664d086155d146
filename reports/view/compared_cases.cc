// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/compared_cases.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "manifests/targets/target.h"
#include "reports/view/median.h"
#include "reports/view/op_label.h"

namespace opbyop::reports {
namespace {

Outcome OutcomeOf(const RowResult& row, const CaseRecord* record) {
  Outcome outcome{&row};
  if (record == nullptr) return outcome;
  if (row.status != Status::kPass) outcome.repro = record->repro;
  if (const Comparison* worst = WorstComparison(*record)) {
    outcome.bound_ratio = worst->bound_ratio;
    outcome.max_abs = worst->max_abs;
    outcome.max_rel = worst->max_rel;
  }
  if (record->timing.n > 0) outcome.median_us = record->timing.median_us;
  outcome.first_call = record->timing.first_call;
  for (const StageRecord& stage : record->stages) {
    if (stage.name == kLoadStage) break;
    outcome.compile_ms = std::max(outcome.compile_ms, 0.0) + stage.ms;
  }
  return outcome;
}

// NaN and infinity count as worse than any number.
bool Worse(double a, double b) { return !std::isnan(b) && (std::isnan(a) || a > b); }

}  // namespace

int SeverityOf(Status status) {
  if (IsProblem(status)) return 3;
  if (status == Status::kPass) return 0;
  return status == Status::kExpectedFail ? 2 : 1;
}

std::vector<ComparedCase> JoinCases(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedCase> cases;
  std::unordered_map<std::string, size_t> index;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const RowResult& row : runs[run].view->rows) {
      const auto [at, is_new] = index.try_emplace(row.c->id, cases.size());
      if (is_new) cases.push_back({row.c, std::vector<std::optional<Outcome>>(runs.size())});
      std::optional<Outcome>& outcome = cases[at->second].outcomes[run];
      if (!outcome || SeverityOf(row.status) > SeverityOf(outcome->row->status)) {
        outcome = OutcomeOf(row, runs[run].view->RecordOf(row));
      }
    }
  }
  return cases;
}

CaseGroups ByOp(const std::vector<ComparedCase>& cases) {
  CaseGroups groups;
  for (const ComparedCase& compared : cases) groups[OpLabel(*compared.c)].push_back(&compared);
  return groups;
}

CaseGroups ByType(const std::vector<const ComparedCase*>& cases) {
  CaseGroups groups;
  for (const ComparedCase* compared : cases) groups[ResultType(*compared->c)].push_back(compared);
  return groups;
}

std::string ResultType(const Case& c) {
  if (c.outputs.empty()) return "none";
  const std::string& dtype = c.outputs.front().dtype;
  if (dtype.starts_with("!quant.")) return "quantized";
  if (dtype.starts_with("complex<")) return dtype;
  // "tuple<tensor<3xf32>>", "!stablehlo.token": the types inside are in the case's signature.
  const std::string word = dtype.substr(0, dtype.find('<'));
  return word.substr(word.rfind('.') + 1);
}

OutcomeSummary Summarize(const std::vector<const ComparedCase*>& cases, size_t run) {
  OutcomeSummary summary;
  std::map<std::pair<Status, std::string>, EndCount> ends;
  std::vector<double> runs_us, compile_ms;
  for (const ComparedCase* compared : cases) {
    const std::optional<Outcome>& outcome = compared->outcomes[run];
    if (!outcome) continue;
    ++summary.cases;
    if (Worse(outcome->bound_ratio, summary.bound_ratio)) summary.bound_ratio = outcome->bound_ratio;
    if (outcome->median_us >= 0 && !outcome->first_call) runs_us.push_back(outcome->median_us);
    if (outcome->compile_ms >= 0) compile_ms.push_back(outcome->compile_ms);
    if (outcome->row->status == Status::kPass) {
      ++summary.passed;
      continue;
    }
    const auto [end, is_new] = ends.try_emplace({outcome->row->status, outcome->row->stage});
    if (is_new) end->second = {outcome->row->status, outcome->row->stage, 0, &*outcome};
    ++end->second.cases;
  }
  for (auto& [key, end] : ends) summary.ends.push_back(std::move(end));
  std::ranges::sort(summary.ends, {}, [](const EndCount& end) {
    return std::tuple(-SeverityOf(end.status), -end.cases, end.status, std::string_view(end.stage));
  });
  summary.median_us = MedianOf(std::move(runs_us)).value_or(-1);
  summary.compile_ms = MedianOf(std::move(compile_ms)).value_or(-1);
  return summary;
}

}  // namespace opbyop::reports
