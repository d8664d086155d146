// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/progress_listener.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;

std::string FullName(const testing::TestInfo& info) {
  return fmt::format("{}.{}", info.test_suite_name(), info.name());
}

std::string Indented(const std::string& text) {
  std::string indented = "  ";
  for (const char character : text) {
    indented += character;
    if (character == '\n') indented += "  ";
  }
  return indented;
}

// By the hash of their names, which would be most of a large map.
// "1 test", "1463 tests": without commas, for whoever parses the lines that look like GoogleTest's.
std::string NumberOf(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::unordered_map<size_t, const Row*> RowsByName(const ConformanceRun& run) {
  std::unordered_map<size_t, const Row*> rows;
  rows.reserve(run.rows().size());
  for (const Row& row : run.rows()) rows.emplace(std::hash<std::string>()(RowName(row)), &row);
  return rows;
}

}  // namespace

void RunListener::OnTestIterationStart(const testing::UnitTest& unit_test, int) {
  const auto rows = RowsByName(run_);
  std::vector<const Row*> selected;
  for (int i = 0; i < unit_test.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *unit_test.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& info = *suite.GetTestInfo(j);
      if (!info.should_run()) continue;
      // A parameterized test is called "<test>/<parameter's name>".
      const std::string name = info.name();
      const auto row = rows.find(std::hash<std::string>()(name.substr(name.find('/') + 1)));
      if (row != rows.end()) selected.push_back(row->second);
    }
  }
  const std::string filter = testing::GTEST_FLAG(filter);
  if (const Expected<void> begun = run_.Begin(selected, filter == "*" ? "" : "--gtest_filter=" + filter); !begun) {
    std::fprintf(stderr, "conformance: %s\n", begun.error().message.c_str());
  }
  if (!run_.note().empty()) std::fprintf(stderr, "conformance: %s\n", run_.note().c_str());
}

void RunListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  const bool reported = run_.error().has_value();
  run_.Finish();
  if (!reported && run_.error()) std::fprintf(stderr, "conformance: %s\n", run_.error()->message.c_str());
  if (const std::string note = run_.cache_note(); !note.empty()) {
    std::fprintf(stderr, "conformance: %s\n", note.c_str());
  }
}

ProgressListener::ProgressListener(ConformanceRun& run, Style style)
    : run_(run), style_(style), throttle_(std::chrono::milliseconds(style == Style::kTty ? 100 : 5000)) {
  run_.waiting = [this] { Show(false); };
}

void ProgressListener::OnTestIterationStart(const testing::UnitTest& unit_test, int) {
  begin_ = Clock::now();
  throttle_.Restart();
  passed_ = skipped_ = 0;
  failed_.clear();
  if (style_ == Style::kQuiet) return;
  std::printf("[==========] Running %s of %s on target %s.\n",
              NumberOf(static_cast<size_t>(unit_test.test_to_run_count()), "row").c_str(),
              NumberOf(run_.manifest().models.size(), "model").c_str(), run_.target().name.c_str());
  std::fflush(stdout);
}

void ProgressListener::OnTestPartResult(const testing::TestPartResult& result) {
  if (result.failed() || result.skipped()) messages_.push_back(result.message());
}

void ProgressListener::OnTestEnd(const testing::TestInfo& test_info) {
  const testing::TestResult& result = *test_info.result();
  if (result.Skipped()) {
    ++skipped_;
  } else if (result.Passed()) {
    ++passed_;
  } else {
    failed_.push_back(FullName(test_info));
    // Where nothing can run any more, the one reason is told once.
    const bool told = run_.error().has_value() || messages_ == last_messages_;
    if (!told) {
      ClearLine();
      std::printf("[  FAILED  ] %s\n", failed_.back().c_str());
      for (const std::string& message : messages_) std::printf("%s\n", Indented(message).c_str());
      std::fflush(stdout);
    }
  }
  if (!messages_.empty()) last_messages_ = std::move(messages_);
  messages_.clear();
  Show(false);
}

std::string ProgressListener::Line(const Scheduler::Progress& progress, size_t failed) {
  const size_t fresh = progress.done - progress.known;
  const double rate = progress.seconds > 0 ? static_cast<double>(fresh) / progress.seconds : 0;
  const size_t left = progress.total - progress.done;
  std::string line = fmt::format("[{:>6}/{}] {:>3} %   {} failed", progress.done, progress.total,
                                 progress.total == 0 ? 100 : 100 * progress.done / progress.total, failed);
  if (rate > 0) {
    const int64_t seconds = std::llround(static_cast<double>(left) / rate);
    line += fmt::format("   {:.4g} cases/s   {}:{:02} left", rate, seconds / 60, seconds % 60);
  }
  return line;
}

void ProgressListener::Show(bool now) {
  if (style_ == Style::kQuiet) return;
  if (!now && !throttle_.due()) return;
  throttle_.Restart();
  const std::string line = Line(run_.progress(), failed_.size());
  if (style_ == Style::kTty) {
    std::printf("\r\x1b[K%s", line.c_str());
    line_on_screen_ = true;
  } else {
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
}

void ProgressListener::ClearLine() {
  if (line_on_screen_) std::printf("\r\x1b[K");
  line_on_screen_ = false;
}

void ProgressListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  ClearLine();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  std::printf("[==========] %s ran. (%.1f s)\n", NumberOf(passed_ + skipped_ + failed_.size(), "test").c_str(),
              seconds);
  std::printf("[  PASSED  ] %s.\n", NumberOf(passed_, "test").c_str());
  if (skipped_ > 0) {
    std::printf("[  SKIPPED ] %s (unsupported, skipped or inconclusive).\n", NumberOf(skipped_, "test").c_str());
  }
  if (!failed_.empty()) {
    std::printf("[  FAILED  ] %s, listed below:\n", NumberOf(failed_.size(), "test").c_str());
    constexpr size_t kListed = 200;
    for (size_t i = 0; i < failed_.size() && i < kListed; ++i) std::printf("[  FAILED  ] %s\n", failed_[i].c_str());
    if (failed_.size() > kListed) std::printf("             and %zu more\n", failed_.size() - kListed);
  }
  if (!run_.missing().empty()) {
    std::printf("[  MISSING ] %zu selected cases are not in %s, the first is %s\n", run_.missing().size(),
                run_.results_path().c_str(), run_.missing().front().c_str());
  }
  if (run_.selected_rows() > 0) {
    std::printf("results: %s", run_.results_path().c_str());
    if (run_.lacking() > 0) std::printf(" (%zu of %zu cases)", run_.all_cases() - run_.lacking(), run_.all_cases());
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace opbyop::harness
