// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the rows of a run ended, judged with the baseline, and their counts.
//
//   RowOutcomes outcomes;
//   outcomes.Begin(setup.rows);
//   RowOutcome outcome = JudgeRow(row, record, baseline);
//   outcomes.Add(row, outcome);
//   outcomes.ApplyAmended(baseline);      // at the end
#ifndef OPBYOP_HARNESS_RUN_ROW_OUTCOMES_H_
#define OPBYOP_HARNESS_RUN_ROW_OUTCOMES_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/status/counts.h"

namespace opbyop::harness {

// How a row ended: the record of its case, judged with the baseline.
struct RowOutcome {
  std::shared_ptr<const CaseRecord> record;
  Status status = Status::kMissing;
  const BaselineEntry* baseline = nullptr;
  // The record's diagnostic. For a row that the baseline lists as passing, it says that the row passed before.
  std::string diagnostic;
};

struct EndedRow {
  const Row* row = nullptr;
  RowOutcome outcome;
};

// `baseline` may be null.
RowOutcome JudgeRow(const Row& row, std::shared_ptr<const CaseRecord> record, const Baseline* baseline);

class RowOutcomes {
 public:
  // Forgets how rows ended. `rows` must outlive this.
  void Begin(const std::vector<Row>& rows);

  // Counts one of the rows.
  void Add(const Row& row, const RowOutcome& outcome);

  // Takes the changed record of a case that turned out to make another case fail. May be called from any thread.
  void Amend(const CaseRecord& record);

  // Corrects the counts for rows that were counted before the record of their case changed.
  void ApplyAmended(const Baseline* baseline);

  const Counts& counts() const { return counts_; }
  // Rows that became red by ApplyAmended.
  const std::vector<EndedRow>& accused() const { return accused_; }

 private:
  const std::vector<Row>* rows_ = nullptr;
  Counts counts_;
  std::vector<std::optional<Status>> reported_;  // for each row: the status that was counted
  std::mutex amended_mutex_;
  std::map<std::string, std::shared_ptr<const CaseRecord>> amended_;  // by id
  std::vector<EndedRow> accused_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_ROW_OUTCOMES_H_
