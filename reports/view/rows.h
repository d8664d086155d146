// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The joined view that every report is made from: each row of the manifest with what the run says of it.
//
//   const View view = MakeView(manifest, run, &baseline);
//   for (const RowResult& row : view.rows) fmt::print("{}: {}\n", row.name, Message(row));
//   view.totals.passed();   // of view.totals.rows
//
// A pass rate is always passed rows of all rows: unsupported, inconclusive, skipped and missing rows stay in the
// denominator. Of a run with a filter or a shard (RunHeader::selected) the rows that it left out are no rows here.
//
// A view of 100,000 rows holds no record: View::RecordOf reads one when a report comes to it.
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
  Status status = Status::kMissing;            // judged by the baseline where there is one
  std::string stage;                           // where it ended; empty where nothing ran
  std::string diagnostic;                      // first line; says why for every status but pass
  bool recorded = false;                       // the results have its case
  Status recorded_status = Status::kMissing;   // as it is there, not judged by the baseline
  int signal = 0;                              // of a crash
  std::vector<std::string> failed_policies;    // FailedPolicies of its case
  Status first_status = Status::kMissing;      // of the first attempt at its case, where there were several
  Status reference = Status::kPass;            // how the reference itself failed on its case
  std::shared_ptr<const RowResult> fixed;      // where the further draw failed: how the row ended without it
  std::string cached_from;                     // of its case's record
  std::optional<int64_t> start_us;             // of its case; none where that is missing
  const BaselineEntry* expectation = nullptr;  // the baseline's word on this row
  bool regression = false;                     // of the baseline's floor: it passed before
  int64_t ops = 0;                             // ops of the model that this row stands for
};

// How many rows came to a stage, and how it went.
struct StageCount {
  int64_t reached = 0;
  int64_t passed = 0;
  int64_t failed =
      0;  // fail, imprecise, crash, timeout, out_of_memory; the rest is unsupported, inconclusive or skipped
};

struct StageSummary {
  std::string name;
  StageCount rows;
  double total_ms = 0;  // over cases: rows of a case share its one run
  double median_ms = 0;
};

// A model compiled and run in one piece.
struct WholeModel {
  Status status = Status::kMissing;
  std::string stage;  // where it ended
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
  int64_t ops = 0;                  // ops of the model that its rows stand for
  std::optional<WholeModel> whole;  // where it was run beside its ops (reports/summary/whole_models.h)
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
  const Run* run = nullptr;          // its header, footer and completeness; its records only where they are few
  std::vector<RowResult> rows;       // in manifest order
  std::vector<StageSummary> stages;  // in the target's order
  std::vector<ModelSummary> models;  // in manifest order
  std::vector<OpSummary> ops;        // by name
  Counts totals;
  int64_t cases = 0;                         // that have a row
  int64_t records = 0;                       // in the results
  std::map<std::string, int64_t> cached;     // of these taken over from an earlier run, by its id
  int64_t model_ops = 0;                     // ops of all models
  std::map<Status, int64_t> reference_ends;  // of these, how often the reference itself failed, by how
  std::vector<const Model*> unsplit;         // models that could not be split
  std::vector<std::string> unknown_records;  // ids in the results that the manifest lacks

  const PrivateValues* private_values = nullptr;  // that stand in none of these; null: nothing is private

  std::vector<std::string> unmet;  // demands (manifests/status/demands.h) that the rows do not meet, a sentence each

  // By case index of the manifest. null where the results lack the case; valid until the next call.
  std::function<const CaseRecord*(size_t)> record_of;
  const CaseRecord* RecordOf(const RowResult& row) const { return record_of(row.case_index); }
  std::shared_ptr<std::optional<Error>> lost = std::make_shared<std::optional<Error>>();  // why one could not be read

  // What a program that shows this run ends with (docs/exit-codes.md): kUnexpectedResult for a problem row, a demand
  // that is not met, a model
  // that fails as a whole, a run that did not end or a line that cannot be read; kNothingJudged where there are rows,
  // but none says whether the target is right; kPartial where nothing but a model that could not be split stands
  // against green.
  ExitCode exit_code() const;
  bool judged_nothing() const;

  bool red() const { return exit_code() != ExitCode::kOk; }
};

// `baseline` may be null. The view points into all three.
View MakeView(const Manifest& manifest, const Run& run, const Baseline* baseline);

// Gets each record of a case of the manifest as the results are read, so that who needs a little of each need not read
// them again: by case index, of several of one case the last one counts.
using RecordVisitor = std::function<void(size_t case_index, const CaseRecord& record)>;

// The same of a results file, whose records stay there; what else it holds goes to `run`. kBadInput as of ScanRun, or
// where the header's choice of rows is none of this manifest. Texts go without `values`, which outlive the view.
Expected<View> ScanView(const Manifest& manifest, const std::filesystem::path& results, const Baseline* baseline,
                        Run& run, const RecordVisitor& visit = nullptr, const PrivateValues* values = nullptr);

// The row as it ended on the inputs of the fixed seed: what may be compared with another night's.
const RowResult& OfFixedDraws(const RowResult& row);

// As the results have it, not judged by the baseline.
RowEnd EndOf(const RowResult& row);

// How one row went; the baseline and `record` may be null. `run_complete` tells why a record may be missing.
RowResult MakeRowResult(const Case& c, const std::string& model, const CaseRecord* record, const Baseline* baseline,
                        bool run_complete);

// One line of at most 500 bytes: "compare: max_abs 0.4 ...", "crash in llvm-to-flatbuffer (signal 11): ...". Empty on
// pass. Safe for XML and JSON.
std::string Message(const RowResult& row);

// The output that is farthest from its bound; null without comparisons.
const Comparison* WorstComparison(const CaseRecord& record);

// How `stage` went in this record; the stage that a dead worker is blamed on counts as reached even when it left no
// entry. nullopt: not reached.
std::optional<Status> StageStatus(const CaseRecord& record, std::string_view stage);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_ROWS_H_
