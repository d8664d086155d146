// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The joined view that every report is made from: each row of the manifest with its result in the run.
//
//   const View view = MakeView(manifest, run, &baseline);
//   for (const RowResult& row : view.rows) fmt::print("{}: {}\n", row.name, Message(row));
//   view.totals.passed();   // of view.totals.rows
//
// A pass rate is always passed rows of all rows: unsupported, inconclusive, skipped and missing rows stay in the
// denominator. Rows that a run with a filter or a shard (RunHeader::selected) left out are not included.
//
// A view of 100,000 rows holds no records: View::RecordOf reads one when a report needs it.
#ifndef OPBYOP_REPORTS_VIEW_ROWS_H_
#define OPBYOP_REPORTS_VIEW_ROWS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/status/counts.h"
#include "manifests/status/status.h"
#include "support/text/private_values.h"

namespace opbyop::reports {

struct RowResult {
  const Case* c = nullptr;
  size_t case_index = 0;                       // in the manifest
  size_t model_index = 0;                      // in the manifest
  std::string model;                           // its name
  std::string name;                            // "<model>__<case id>"
  std::string op;                              // OpLabel of the case
  Status status = Status::kMissing;            // judged by the baseline, if there is one
  std::string stage;                           // the stage in which it ended; empty if nothing ran
  std::string diagnostic;                      // first line; gives the reason for every status but pass
  bool recorded = false;                       // whether the results have its case
  Status recorded_status = Status::kMissing;   // as the results have it, not judged by the baseline
  std::string unjudged;                        // UnjudgedPolicies of its case
  int signal = 0;                              // for a crash
  std::vector<std::string> failed_policies;    // FailedPolicies of its case
  Status first_status = Status::kMissing;      // of the first attempt at its case, if there were several
  Status reference = Status::kPass;            // how the reference itself failed on its case
  std::shared_ptr<const RowResult> fixed;      // if the further draw failed: the row without that draw
  std::string cached_from;                     // the run that made its case's record; empty: this one
  std::optional<int64_t> start_us;             // of its case; nullopt if that is missing
  const BaselineEntry* expectation = nullptr;  // the baseline's entry for this row
  bool regression = false;                     // by the baseline's floor: it passed before
  int64_t ops = 0;                             // number of ops of the model that the row represents
};

// How many rows reached a stage, and how it ended.
struct StageCount {
  int64_t reached = 0;
  int64_t passed = 0;
  int64_t failed =
      0;  // fail, imprecise, crash, timeout, out_of_memory; the rest is unsupported, inconclusive or skipped
};

struct StageSummary {
  std::string name;
  StageCount rows;
  double total_ms = 0;  // over cases, as the rows of a case share its one run
  double median_ms = 0;
};

// A model compiled and run in one piece.
struct WholeModel {
  Status status = Status::kMissing;
  std::string stage;  // the stage in which it ended
  std::string diagnostic;
  bool compared = false;
  bool weak = false;       // the bound of some output is too wide to judge it (docs/numerics.md)
  double range_error = 0;  // worst error of an output, as a share of the range of its values
  double bound_ratio = 0;
  double wall_ms = 0;
  std::string repro;
};

struct ModelSummary {
  const Model* model = nullptr;
  Counts counts;
  int64_t ops = 0;                  // number of ops of the model that its rows represent
  std::optional<WholeModel> whole;  // set if it was also run in one piece (reports/summary/whole_models.h)
};

struct OpSummary {
  std::string op;
  std::string kind;
  int64_t cases = 0;
  Counts counts;
  std::vector<StageCount> stages;  // as View::stages
};

struct View {
  const Manifest* manifest = nullptr;
  const Run* run = nullptr;          // its header, footer and completeness; its records only if they are few
  std::vector<RowResult> rows;       // in manifest order
  std::vector<StageSummary> stages;  // in the target's order
  std::vector<ModelSummary> models;  // in manifest order
  std::vector<OpSummary> ops;        // by name
  Counts totals;
  int64_t cases = 0;                         // cases that have a row
  int64_t records = 0;                       // records in the results
  std::map<std::string, int64_t> cached;     // records that were taken over from an earlier run, by its id
  int64_t model_ops = 0;                     // ops of all models
  std::map<Status, int64_t> reference_ends;  // how often the reference itself failed, by status
  std::vector<const Model*> unsplit;         // models that could not be split
  std::vector<std::string> unknown_records;  // ids of records whose case the manifest lacks

  const PrivateValues* private_values = nullptr;  // values that no text of these may contain; null: nothing is private

  std::vector<std::string> unmet;  // demands (manifests/status/demands.h) that the rows do not meet, a sentence each

  // The record for a case index of the manifest; null if the results lack the case. Valid until the next call.
  std::function<const CaseRecord*(size_t)> record_of;
  const CaseRecord* RecordOf(const RowResult& row) const { return record_of(row.case_index); }
  // why a record could not be read
  std::shared_ptr<std::optional<Error>> lost = std::make_shared<std::optional<Error>>();

  // The exit code of a program that shows this run (docs/exit-codes.md): kUnexpectedResult for a problem row, a demand
  // that is not met, a model that fails as a whole, a run that did not end or a line that cannot be read;
  // kNothingJudged if there are rows, but none shows whether the target is right; kPartial if the only problem is a
  // model that could not be split.
  ExitCode exit_code() const;
  bool judged_nothing() const;

  bool red() const { return exit_code() != ExitCode::kOk; }
};

// `baseline` may be null. The view points into all three.
View MakeView(const Manifest& manifest, const Run& run, const Baseline* baseline);

// Receives each record of a case of the manifest while the results are read, for a caller that needs a part of each and
// would otherwise have to read them again. Of several records for one case the last one counts.
using RecordVisitor = std::function<void(size_t case_index, const CaseRecord& record)>;

// The same for a results file, whose records stay in the file; `run` receives its other contents. Returns the errors of
// ScanRun, and kBadInput if the header's choice of rows does not fit this manifest. Texts are stripped of `values`,
// which must outlive the view.
Expected<View> ScanView(const Manifest& manifest, const std::filesystem::path& results, const Baseline* baseline,
                        Run& run, const RecordVisitor& visit = nullptr, const PrivateValues* values = nullptr);

// The row as it ended on the inputs of the fixed seed, which may be compared with another night's.
const RowResult& OfFixedDraws(const RowResult& row);

// The end as the results have it, not judged by the baseline.
RowEnd EndOf(const RowResult& row);

// The result of one row; the baseline and `record` may be null. `run_complete` decides which reason a missing record
// gets.
RowResult MakeRowResult(const Case& c, const std::string& model, const CaseRecord* record, const Baseline* baseline,
                        bool run_complete);

// One line of at most 500 bytes: "compare: max_abs 0.4 ...", "crash in llvm-to-flatbuffer (signal 11): ...". Empty on
// pass. Safe for XML and JSON.
std::string Message(const RowResult& row);

// The output with the largest error relative to its bound; null without comparisons.
const Comparison* WorstComparison(const CaseRecord& record);

// The status of `stage` in this record. The stage in which a worker died counts as reached even if it left no entry.
// nullopt: not reached.
std::optional<Status> StageStatus(const CaseRecord& record, std::string_view stage);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_ROWS_H_
