// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// OpTest JSON and JUnit beside the results: as rows end, and in full when the run has ended.
//
//   auto* reports = new ReportListener(run);
//   run.waiting = [reports] { reports->Poll(); };
//   listeners.Append(reports);                     // before RunListener, so that it ends after the run
//
// What stands there in the end is what `opbyop report` writes of the same run. It is made by another process, for a
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

  // While the run waits for a row: what has ended appears in time.
  void Poll();

  // The first thing that could not be written.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool Open();
  void Keep(const Expected<void>& done);

  harness::ConformanceRun& run_;
  std::unique_ptr<reports::LiveReports> live_;
  std::optional<Error> error_;
};

// What --report asks for: the reports of a results file beside it. Prints their summary and names.
Expected<void> WriteReportsOf(const harness::Options& options);

// Makes another process do that for a run that has ended; nothing where no row was begun.
Expected<void> WriteReportsOf(const harness::ConformanceRun& run);

}  // namespace opbyop::suites

#endif  // OPBYOP_SUITES_REPORT_LISTENER_H_
