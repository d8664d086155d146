// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "suites/report_listener.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "reports/command/report_command.h"
#include "support/process/process.h"
#include "support/text/safe_text.h"

namespace opbyop::suites {

namespace fs = std::filesystem;

bool ReportListener::Open() {
  if (live_ == nullptr && !error_ && run_.header()) {
    auto live = reports::LiveReports::Open({.results = run_.results_path(),
                                            .manifest = &run_.manifest(),
                                            .header = *run_.header(),
                                            .baseline = run_.baseline()});
    if (live) {
      live_ = std::move(*live);
    } else {
      error_ = live.error();
    }
  }
  return live_ != nullptr && !error_;
}

void ReportListener::OnTestEnd(const testing::TestInfo&) {
  const auto& [row, outcome] = run_.last();
  if (row == nullptr || !Open()) return;
  const CaseRecord* record = outcome.record->status == Status::kMissing ? nullptr : outcome.record.get();
  Keep(live_->Add(*row->c, row->model, record));
}

void ReportListener::Poll() {
  if (live_ != nullptr && !error_) Keep(live_->PublishIfDue());
}

void ReportListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  if (live_ != nullptr && !error_) Keep(live_->Publish());
  live_.reset();
}

void ReportListener::Keep(const Expected<void>& done) {
  if (!done) error_ = done.error();
}

Expected<void> WriteReportsOf(const harness::Options& options) {
  const fs::path baseline = options.baseline == "none" ? "" : options.baseline;
  const Expected<reports::ReportFiles> written = reports::WriteReports({.run = options.report,
                                                                        .out_dir = options.report.parent_path(),
                                                                        .baseline = baseline,
                                                                        .demands = options.demands});
  if (!written) return Unexpected(written.error());
  if (!written->hidden.empty()) std::fprintf(stderr, "conformance: %s\n", written->hidden.c_str());
  if (options.progress == "quiet") return {};
  std::printf("%s", SafeText(written->summary).c_str());
  for (const fs::path& file : written->files) std::printf("%s\n", file.c_str());
  return {};
}

Expected<void> WriteReportsOf(const harness::ConformanceRun& run) {
  if (!run.header()) return {};
  constexpr std::chrono::minutes kLimit(30);  // a hundred times what 100,000 rows take
  std::error_code error;
  const std::string baseline = run.baseline_file().empty() ? "none" : run.baseline_file().string();
  std::vector<std::string> argv = {fs::read_symlink("/proc/self/exe", error).string(),
                                   "--report=" + run.results_path().string(), "--baseline=" + baseline,
                                   "--progress=" + run.options().progress};
  const std::vector<std::string> demands = run.options().demands.Flags();
  argv.insert(argv.end(), demands.begin(), demands.end());
  const Expected<std::string> output = RunCommand(argv, kLimit);
  if (!output) return Unexpected(output.error());
  std::printf("%s", output->c_str());
  return {};
}

}  // namespace opbyop::suites
