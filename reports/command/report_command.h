// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All reports of one run: what `opbyop report RUN -o DIR` and the end of a nightly run write.
//
//   Expected<ReportFiles> reports = WriteReports({.run = "out/nightly", .out_dir = "out/nightly"});
//   std::cout << reports->summary;
//
// A folder that has no results.jsonl but shards of a run, results-1-of-2.jsonl, is reported as the run that they are
// together (manifests/runs/merge_runs.h); shards that are absent leave missing rows.
// Where RUN/whole holds a run of the whole models, the reports show it beside their ops
// (reports/summary/whole_models.h). Reads RUN/results.jsonl, or RUN itself where it is a file, and the manifest that
// its header names (manifest.yaml beside it where it names none). Reports of one shard of a run, results-1-of-2.jsonl,
// have its suffix in their names. A run without its footer is reported as it stands, its other rows missing and the
// result red. The same input gives the same bytes.
#ifndef OPBYOP_REPORTS_COMMAND_REPORT_COMMAND_H_
#define OPBYOP_REPORTS_COMMAND_REPORT_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/status/demands.h"
#include "reports/page/runs_before.h"
#include "reports/view/rows.h"
#include "support/expected.h"
#include "support/text/private_values.h"

namespace opbyop::reports {

// A run with the manifest that it was made from, and the baseline that judges it where there is one.
struct LoadedRun {
  Run run;  // without its records: they stay in their file
  Manifest manifest;
  std::optional<Baseline> baseline;
  PrivateValues private_values;   // none of which stands in the others
  View view;                      // into the others
  std::filesystem::path results;  // the file that the records are in, as it was named

  LoadedRun() = default;
  LoadedRun(const LoadedRun&) = delete;
  LoadedRun& operator=(const LoadedRun&) = delete;
  ~LoadedRun();

  std::filesystem::path merged;  // made here of shards, and goes with this; empty where there were none
};

struct LoadOptions {
  std::filesystem::path baseline;   // a file, or a folder whose TARGET.yaml is taken where it exists; none where empty
  std::filesystem::path manifest;   // where it lies now; where empty as the header says (manifests/runs/run_manifest.h)
  RecordVisitor visit = nullptr;    // gets each record on the way
  const Manifest* known = nullptr;  // one that was read before: of the same bytes it is not parsed again
  const PrivateValues* count_with = nullptr;  // of another run, shown in the same report
};

// A results file, or the results.jsonl of a folder, with its manifest; kBadInput where that has changed since.
Expected<std::unique_ptr<LoadedRun>> LoadRunWithManifest(const std::filesystem::path& run,
                                                         const LoadOptions& options = {});

// The text of all baselines that may judge a run with this header; empty where none does.
Expected<std::string> BaselineTextFor(const RunHeader& header, const std::filesystem::path& baseline);

struct ReportOptions {
  std::filesystem::path run;  // folder or results file
  std::filesystem::path out_dir;
  std::optional<int64_t> job_id;   // else ChooseJobId
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; none where empty
  Demands demands;                 // over those of the run itself
  std::filesystem::path manifest;  // where it lies now; empty: as the run says
  std::function<void(size_t rows, size_t of)> progress = [](size_t, size_t) {};  // after each row of the long part
  std::function<Expected<RunsBefore>(const View& view)> before = nullptr;        // what the page says of earlier runs
};

struct ReportFiles {
  std::vector<std::filesystem::path> files;
  std::string summary;                 // the table for the terminal
  bool red = false;                    // `exit_code` is not kOk
  ExitCode exit_code = ExitCode::kOk;  // of the program that wrote them: View::exit_code()
  std::string hidden;                  // PrivateValues::Sentence() of what was replaced in them
};

// "-1-of-2" of results-1-of-2.jsonl: what names of one shard's files have; empty for other files.
std::string ShardSuffix(const std::filesystem::path& results);

// Removes from `folder` the reports of an earlier run that WriteReports would not replace, because their names have the
// number of its job, and those that would be of another run than the results beside them.
void RemoveReports(const std::filesystem::path& folder, const std::string& shard);

// Replaces what an earlier run left under these names.
Expected<ReportFiles> WriteReports(const ReportOptions& options);

// The CI job as ingestion knows it: the first of OPBYOP_JOB_ID, GITHUB_JOB_ID and GITHUB_RUN_ID that is an integer,
// else one derived from the run id. `environment` is getenv in programs.
int64_t ChooseJobId(std::string_view run_id, const std::function<const char*(const char*)>& environment);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMMAND_REPORT_COMMAND_H_
