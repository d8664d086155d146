// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the OpTest JSON and JUnit of a run while it goes on, with each row as soon as it has ended.
//
//   auto live = LiveReports::Open({.results = "out/results.jsonl", .manifest = &manifest, .header = header});
//   (*live)->Add(c, "resnet50", &record);
//   (*live)->PublishIfDue();                  // also while no row ends
//
// optest.json and junit.xml are in the folder of the results. They are valid documents whenever they are opened, also
// after a kill. They hold the rows that have ended, at most kInterval late, in the order in which they ended; junit.xml
// says that the run has not ended. WriteReports (reports/command/report_command.h) replaces them at the end of the run.
#ifndef OPBYOP_REPORTS_COMMAND_LIVE_REPORTS_H_
#define OPBYOP_REPORTS_COMMAND_LIVE_REPORTS_H_

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "reports/ingestion/row_report.h"
#include "reports/view/rows.h"
#include "support/files/growing_file.h"
#include "support/throttle.h"

namespace opbyop::reports {

class LiveReports {
 public:
  struct Source {
    std::filesystem::path results;       // the reports are written next to it, with its shard in their names
    const Manifest* manifest = nullptr;  // outlives the reports; so does the baseline
    RunHeader header;
    const Baseline* baseline = nullptr;  // may be null
    std::optional<int64_t> job_id;       // if absent, ChooseJobId
  };

  // Starts both documents, and removes the reports of an earlier run with these names. Returns kNoInput if a file
  // cannot be written.
  static Expected<std::unique_ptr<LiveReports>> Open(Source source);

  // Adds a row that has ended; `record` is null if the row has none. Returns the errors of Open.
  Expected<void> Add(const Case& c, const std::string& model, const CaseRecord* record);

  Expected<void> PublishIfDue();
  Expected<void> Publish();

  static constexpr std::chrono::milliseconds kInterval{100};

 private:
  struct Document {
    std::unique_ptr<RowReport> report;
    std::unique_ptr<GrowingFile> file;
  };

  explicit LiveReports(Source source);

  Source source_;
  Run run_;    // header only
  View view_;  // counts only
  std::unordered_map<std::string, const Model*> models_;
  std::vector<Document> documents_;
  Throttle publish_throttle_{kInterval};
  bool changed_ = false;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_COMMAND_LIVE_REPORTS_H_
