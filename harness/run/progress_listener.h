// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The console of a run: progress with the time left, failing rows as they fail, and GoogleTest's closing lines.
#ifndef OPBYOP_HARNESS_RUN_PROGRESS_LISTENER_H_
#define OPBYOP_HARNESS_RUN_PROGRESS_LISTENER_H_

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "harness/run/conformance_run.h"
#include "support/text/progress_line.h"
#include "support/text/terminal_color.h"

namespace opbyop::harness {

// Passes GoogleTest's selection to the run: only cases of selected tests are submitted. Append it last, so that it
// starts after the other listeners and ends before them.
class RunListener : public testing::EmptyTestEventListener {
 public:
  explicit RunListener(ConformanceRun& run) : run_(run) {}
  void OnTestIterationStart(const testing::UnitTest& unit_test, int iteration) override;
  void OnTestIterationEnd(const testing::UnitTest& unit_test, int iteration) override;

 private:
  ConformanceRun& run_;
};

class ProgressListener : public testing::EmptyTestEventListener {
 public:
  using Style = ProgressLine::Style;

  // `color`: the tags before the lines are coloured.
  ProgressListener(ConformanceRun& run, Style style, bool color);

  void OnTestIterationStart(const testing::UnitTest& unit_test, int iteration) override;
  void OnTestStart(const testing::TestInfo& test_info) override;
  void OnTestPartResult(const testing::TestPartResult& result) override;
  void OnTestEnd(const testing::TestInfo& test_info) override;
  void OnTestIterationEnd(const testing::UnitTest& unit_test, int iteration) override;

  // Returns "[  120/4500]   2 %   3 failed   85 cases/s   0:51 left".
  static std::string Line(const Scheduler::Progress& progress, size_t failed);

 private:
  void Show();
  std::string Tag(std::string_view text, Color color) const { return Colored(text, color, color_); }
  void NoteUnjudged();
  void PrintFailure(const std::string& test, const std::vector<std::string>& messages);

  ConformanceRun& run_;
  const Style style_;
  const bool color_;
  std::chrono::steady_clock::time_point begin_;
  ProgressLine line_;
  size_t passed_ = 0;
  size_t skipped_ = 0;
  const testing::TestInfo* current_ = nullptr;
  size_t unjudged_rows_ = 0;           // passing rows of which some policy judged nothing
  std::vector<std::string> unjudged_;  // the first of them, each with its policies
  std::vector<std::string> failed_;
  std::vector<std::string> messages_;       // of the running test
  std::vector<std::string> last_messages_;  // of the last test that printed something
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_PROGRESS_LISTENER_H_
