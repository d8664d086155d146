// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes OpTest JSON and JUnit next to the results: as rows end, and in full when the run has ended.
//
//   auto* reports = new ReportListener(run);
//   run.waiting = [reports] { reports->Poll(); };
//   listeners.Append(reports);                     // before RunListener, so that it ends after the run
//
// At the end the files are those that `opbyop report` writes for the same run. Another process writes them, because a
// report of 100,000 rows needs more memory than their run.
#ifndef OPBYOP_SUITES_REPORT_LISTENER_H_
#define OPBYOP_SUITES_REPORT_LISTENER_H_

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "harness/run/conformance_run.h"
#include "reports/command/live_reports.h"

namespace opbyop::suites {

class ReportListener : public testing::EmptyTestEventListener {
 public:
  explicit ReportListener(harness::ConformanceRun& run) : run_(run) {}

  void OnTestEnd(const testing::TestInfo& test_info) override;
  void OnTestIterationEnd(const testing::UnitTest& unit_test, int iteration) override;

  // Call it while the run waits for a row, so that rows that have ended appear in time.
  void Poll();

  // The first write error.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool Open();
  void Keep(const Expected<void>& done);

  harness::ConformanceRun& run_;
  std::unique_ptr<reports::LiveReports> live_;
  std::optional<Error> error_;
};

// Implements --report: writes the reports of a results file next to it. Prints their summary and names.
Expected<void> WriteReportsOf(const harness::Options& options);

// Does the same in another process, for a run that has ended. Does nothing if no row was started.
Expected<void> WriteReportsOf(const harness::ConformanceRun& run);

}  // namespace opbyop::suites

#endif  // OPBYOP_SUITES_REPORT_LISTENER_H_
