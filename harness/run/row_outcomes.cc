// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/row_outcomes.h"

#include <utility>

namespace opbyop::harness {

RowOutcome JudgeRow(const Row& row, std::shared_ptr<const CaseRecord> of, const Baseline* baseline) {
  RowOutcome outcome;
  outcome.record = std::move(of);
  const CaseRecord& record = *outcome.record;
  outcome.status = record.status;
  outcome.diagnostic = record.diagnostic;
  if (baseline != nullptr && record.status != Status::kMissing) {
    const RowEnd end = EndOf(record);
    outcome.baseline = baseline->Find(row, end);
    outcome.status = baseline->Judge(row, end);
    if (std::string other = OtherDiagnosticText(outcome.baseline, end); !other.empty()) outcome.diagnostic = other;
    if (record.status == Status::kPass && outcome.status == Status::kInconclusive) {
      outcome.diagnostic = MayPassText(*outcome.baseline);
    }
    if (baseline->IsRegression(row, end)) {
      outcome.diagnostic = RegressionText(record.status, record.diagnostic);
    }
  }
  return outcome;
}

void RowOutcomes::Begin(const std::vector<Row>& rows) {
  rows_ = &rows;
  counts_ = {};
  reported_.assign(rows.size(), std::nullopt);
  amended_.clear();
}

void RowOutcomes::Add(const Row& row, const RowOutcome& outcome) {
  counts_.Add(outcome.status);
  reported_[static_cast<size_t>(&row - rows_->data())] = outcome.status;
}

void RowOutcomes::Amend(const CaseRecord& record) {
  const std::lock_guard guard(amended_mutex_);
  amended_[record.id] = std::make_shared<const CaseRecord>(record);
}

void RowOutcomes::ApplyAmended(const Baseline* baseline) {
  const std::lock_guard guard(amended_mutex_);
  for (size_t i = 0; i < reported_.size() && !amended_.empty(); ++i) {
    const auto amended = amended_.find((*rows_)[i].c->id);
    if (amended == amended_.end() || !reported_[i]) continue;
    RowOutcome outcome = JudgeRow((*rows_)[i], amended->second, baseline);
    if (outcome.status == *reported_[i]) continue;
    counts_.Replace(*reported_[i], outcome.status);
    const bool was_red = IsProblem(*std::exchange(reported_[i], outcome.status));
    if (!was_red && IsProblem(outcome.status)) accused_.push_back({&(*rows_)[i], std::move(outcome)});
  }
}

}  // namespace opbyop::harness
