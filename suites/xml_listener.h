// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes --gtest_output=xml:FILE for a run of rows in GoogleTest's format, instead of GoogleTest's own writer.
//
//   listeners.Append(new XmlListener(run, "report.xml"));     // before RunListener
//
// A row is awaited while its case runs in another process, so the time that GoogleTest measures is meaningless. Here
// `time` and `timestamp` are those of the case. Each row has its properties (RowProperties). The file grows as rows
// end. It is well-formed whenever it is opened, also after a kill, and nothing of it is kept in memory.
#ifndef OPBYOP_SUITES_XML_LISTENER_H_
#define OPBYOP_SUITES_XML_LISTENER_H_

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "harness/run/conformance_run.h"
#include "reports/command/live_reports.h"
#include "support/files/growing_file.h"
#include "support/throttle.h"

namespace opbyop::suites {

// Returns the file that --gtest_output=xml[:PATH] names, as GoogleTest finds it; nullopt if the flag does not ask for
// XML.
std::optional<std::filesystem::path> XmlOutputPath(const std::string& flag, const std::string& program);

// Returns the file of json:FILE, which GoogleTest writes itself.
std::optional<std::filesystem::path> JsonOutputPath(const std::string& flag, const std::string& program);

class XmlListener : public testing::EmptyTestEventListener {
 public:
  XmlListener(harness::ConformanceRun& run, std::filesystem::path path) : run_(run), path_(std::move(path)) {}

  void OnTestIterationStart(const testing::UnitTest& unit_test, int iteration) override;
  void OnTestEnd(const testing::TestInfo& test_info) override;
  void OnTestIterationEnd(const testing::UnitTest& unit_test, int iteration) override;

  // Call it while the run waits for a row, so that rows that have ended appear in time.
  void Poll();

  const std::optional<Error>& error() const { return error_; }

 private:
  std::string Head() const;
  void Publish();

  harness::ConformanceRun& run_;
  const std::filesystem::path path_;
  std::unique_ptr<GrowingFile> file_;
  std::optional<Error> error_;
  int tests_ = 0;
  int failures_ = 0;
  int skipped_ = 0;
  int seed_ = 0;  // of a shuffle; 0: not shuffled
  std::chrono::system_clock::time_point begin_;
  Throttle publish_throttle_{reports::LiveReports::kInterval};
  bool changed_ = false;
};

}  // namespace opbyop::suites

#endif  // OPBYOP_SUITES_XML_LISTENER_H_
