// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes all reports of one run, for `opbyop report RUN -o DIR` and at the end of a nightly run.
//
//   Expected<ReportFiles> reports = WriteReports({.run = "out/nightly", .out_dir = "out/nightly"});
//   std::cout << reports->summary;
//
// If a folder has no results.jsonl but shards of a run, results-1-of-2.jsonl, they are reported as one run
// (manifests/runs/merge_runs.h); the rows of absent shards are missing. If RUN/whole holds a run of the whole models,
// the reports show it with that of their ops (reports/summary/whole_models.h). Reads RUN/results.jsonl, or RUN itself
// if it is a file, and the manifest that its header names (manifest.yaml in the same folder if it names none). Reports
// of one shard of a run, results-1-of-2.jsonl, have its suffix in their names. A run without its footer is reported as
// far as it got, with its other rows missing and the result red. The same input gives the same bytes.
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
#include "support/files/temporary_folder.h"
#include "support/text/private_values.h"

namespace opbyop::reports {

// A run, the manifest that it was made from, and the baseline that judges it, if there is one.
struct LoadedRun {
  Run run;  // without its records, which stay in their file
  Manifest manifest;
  std::optional<Baseline> baseline;
  PrivateValues private_values;   // none of these is in the other fields
  View view;                      // points into the other fields
  std::filesystem::path results;  // the file with the records, as the caller named it

  LoadedRun() = default;
  LoadedRun(const LoadedRun&) = delete;
  LoadedRun& operator=(const LoadedRun&) = delete;

  // The file that was read: `results`, or what was merged from shards.
  std::filesystem::path file() const;

  std::optional<TemporaryFolder> merged;  // for as long as this exists, if there were shards
};

struct LoadOptions {
  std::filesystem::path baseline;   // a file, or a folder with TARGET.yaml, which is used if it exists; empty: none
  std::filesystem::path manifest;   // where it is now; empty: where the header says (manifests/runs/run_manifest.h)
  RecordVisitor visit = nullptr;    // gets each record while it is read
  const Manifest* known = nullptr;  // one that was read before: if the bytes are the same, it is not parsed again
  const PrivateValues* count_with = nullptr;  // those of another run in the same report
};

// Loads a results file, or the results.jsonl of a folder, with its manifest. Returns kBadInput if the manifest has
// changed since the run.
Expected<std::unique_ptr<LoadedRun>> LoadRunWithManifest(const std::filesystem::path& run,
                                                         const LoadOptions& options = {});

// The text of all baselines that may judge a run with this header; empty if there is none.
Expected<std::string> BaselineTextFor(const RunHeader& header, const std::filesystem::path& baseline);

struct ReportOptions {
  std::filesystem::path run;  // folder or results file
  std::filesystem::path out_dir;
  std::optional<int64_t> job_id;   // if absent, ChooseJobId
  std::filesystem::path baseline;  // file, or folder with TARGET.yaml; empty: none
  Demands demands;                 // replace those of the run itself
  std::filesystem::path manifest;  // where it is now; empty: where the run says
  // called after each row of the part that takes long
  std::function<void(size_t rows, size_t of)> progress = [](size_t, size_t) {};
  std::function<Expected<RunsBefore>(const View& view)> before = nullptr;  // finds the earlier runs for the page
};

struct ReportFiles {
  std::vector<std::filesystem::path> files;
  std::string summary;                 // the table for the terminal
  bool red = false;                    // whether `exit_code` is not kOk
  ExitCode exit_code = ExitCode::kOk;  // of the program that writes them: View::exit_code()
  std::string hidden;                  // PrivateValues::Sentence() for the values that were replaced in them
};

// "-1-of-2" for results-1-of-2.jsonl, which the names of one shard's files contain; empty for other files.
std::string ShardSuffix(const std::filesystem::path& results);

// Removes from `folder` the reports of an earlier run that WriteReports would not replace, because their names contain
// the number of its job, or because they would be of another run than the results in the folder.
void RemoveReports(const std::filesystem::path& folder, const std::string& shard);

// Replaces the files of an earlier run with these names.
Expected<ReportFiles> WriteReports(const ReportOptions& options);

// The CI job for ingestion: the first of OPBYOP_JOB_ID and GITHUB_JOB_ID that is an integer, or else one
// derived from the run id. `environment` is getenv in programs.
int64_t ChooseJobId(std::string_view run_id, const std::function<const char*(const char*)>& environment);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMMAND_REPORT_COMMAND_H_
