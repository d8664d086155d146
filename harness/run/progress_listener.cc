// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/progress_listener.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "support/text/safe_text.h"

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kListedUnjudged = 10;

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

// Returns "1 test" or "1463 tests", without commas: other programs parse the lines that look like GoogleTest's.
std::string NumberOf(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// Returns the rows by the hash of their names, because the names would take most of the memory of a large map.
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
      // The name of a parameterized test is "<test>/<parameter's name>".
      const std::string name = info.name();
      const auto row = rows.find(std::hash<std::string>()(name.substr(name.find('/') + 1)));
      if (row != rows.end()) selected.push_back(row->second);
    }
  }
  const std::string filter = testing::GTEST_FLAG(filter);
  if (const Expected<void> started = run_.Begin(selected, filter == "*" ? "" : "--gtest_filter=" + filter); !started) {
    std::fprintf(stderr, "conformance: %s\n", SafeText(started.error().message).c_str());
  }
  if (!run_.note().empty()) std::fprintf(stderr, "conformance: %s\n", SafeText(run_.note()).c_str());
}

void RunListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  const bool reported = run_.error().has_value();
  run_.Finish();
  if (!reported && run_.error()) std::fprintf(stderr, "conformance: %s\n", SafeText(run_.error()->message).c_str());
  for (const std::string& event : run_.events()) {
    if (!run_.error() || run_.error()->message != event)
      std::fprintf(stderr, "conformance: %s\n", SafeText(event).c_str());
  }
  for (const auto& [row, outcome] : run_.accused()) {
    std::fprintf(stderr, "conformance: %s is red after all: %s\n", RowName(*row).c_str(),
                 SafeText(outcome.diagnostic).c_str());
  }
  if (const std::string note = run_.cache_note(); !note.empty()) {
    std::fprintf(stderr, "conformance: %s\n", SafeText(note).c_str());
  }
}

ProgressListener::ProgressListener(ConformanceRun& run, Style style, bool color)
    : run_(run), style_(style), color_(color), line_(stdout, style) {
  run_.waiting = [this] { Show(); };
}

void ProgressListener::OnTestIterationStart(const testing::UnitTest& unit_test, int) {
  begin_ = Clock::now();
  passed_ = skipped_ = 0;
  failed_.clear();
  unjudged_rows_ = 0;
  unjudged_.clear();
  if (style_ == Style::kQuiet) return;
  std::printf("%s Running %s of %s on target %s.\n", Tag("[==========]", Color::kGreen).c_str(),
              NumberOf(static_cast<size_t>(unit_test.test_to_run_count()), "row").c_str(),
              NumberOf(run_.manifest().models.size(), "model").c_str(), run_.target().name.c_str());
  std::fflush(stdout);
}

void ProgressListener::OnTestStart(const testing::TestInfo& test_info) { current_ = &test_info; }

void ProgressListener::OnTestPartResult(const testing::TestPartResult& result) {
  if (!result.failed() && !result.skipped()) return;
  messages_.emplace_back(result.message());
  if (!result.failed() || !testing::GTEST_FLAG(break_on_failure)) return;
  // The process ends when this returns. GoogleTest holds the lock that its current_test_info() needs, so that cannot be
  // called here.
  PrintFailure(current_ == nullptr ? "" : FullName(*current_), messages_);
}

void ProgressListener::PrintFailure(const std::string& test, const std::vector<std::string>& messages) {
  line_.Clear();
  std::printf("%s %s\n", Tag("[  FAILED  ]", Color::kRed).c_str(), test.c_str());
  for (const std::string& message : messages) std::printf("%s\n", Indented(SafeText(message)).c_str());
  std::fflush(stdout);
}

void ProgressListener::OnTestEnd(const testing::TestInfo& test_info) {
  const testing::TestResult& result = *test_info.result();
  if (result.Skipped()) {
    ++skipped_;
  } else if (result.Passed()) {
    ++passed_;
    NoteUnjudged();
  } else {
    failed_.push_back(FullName(test_info));
    // If nothing can run any more, print the common reason only once.
    const bool reported = run_.error().has_value() || messages_ == last_messages_;
    if (!reported) PrintFailure(failed_.back(), messages_);
  }
  if (!messages_.empty()) last_messages_ = std::move(messages_);
  messages_.clear();
  Show();
}

void ProgressListener::NoteUnjudged() {
  const auto& [row, outcome] = run_.last();
  if (row == nullptr) return;
  std::string unjudged = UnjudgedPolicies(*outcome.record);
  if (unjudged.empty()) return;
  ++unjudged_rows_;
  if (unjudged_.size() < kListedUnjudged) unjudged_.push_back(fmt::format("{}: {}", RowName(*row), unjudged));
}

std::string ProgressListener::Line(const Scheduler::Progress& progress, size_t failed) {
  const size_t fresh = progress.done - progress.known;
  const double rate = progress.seconds > 0 ? static_cast<double>(fresh) / progress.seconds : 0;
  const size_t left = progress.total - progress.done;
  std::string line = fmt::format("{}   {} failed", ShareText(progress.done, progress.total), failed);
  if (rate > 0) {
    const int64_t seconds = std::llround(static_cast<double>(left) / rate);
    line += fmt::format("   {:.4g} cases/s   {}:{:02} left", rate, seconds / 60, seconds % 60);
  }
  return line;
}

void ProgressListener::Show() {
  if (line_.due()) line_.Show(Line(run_.progress(), failed_.size()));
}

void ProgressListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  line_.Clear();
  // The run has finished: GoogleTest calls the listeners for an end in reverse order.
  for (const auto& [row, outcome] : run_.accused()) {
    --(IsUnjudged(outcome.record->status) ? skipped_ : passed_);
    failed_.push_back("Conformance.Row/" + RowName(*row));
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  std::printf("%s %s ran. (%.1f s)\n", Tag("[==========]", Color::kGreen).c_str(),
              NumberOf(passed_ + skipped_ + failed_.size(), "test").c_str(), seconds);
  std::printf("%s %s.\n", Tag("[  PASSED  ]", Color::kGreen).c_str(), NumberOf(passed_, "test").c_str());
  if (unjudged_rows_ > 0) {
    std::printf("             %zu of them not under every policy:\n", unjudged_rows_);
    for (const std::string& line : unjudged_) std::printf("             %s\n", SafeText(line).c_str());
    if (unjudged_rows_ > unjudged_.size())
      std::printf("             and %zu more\n", unjudged_rows_ - unjudged_.size());
  }
  if (skipped_ > 0) {
    std::printf("%s %s (unsupported, skipped or inconclusive).\n", Tag("[  SKIPPED ]", Color::kYellow).c_str(),
                NumberOf(skipped_, "test").c_str());
  }
  // No row is to blame for a run that did not start, and there are no results.
  const bool started = run_.header().has_value() || !run_.error();
  if (!started) std::printf("%s no row was run.\n", Tag("[  FAILED  ]", Color::kRed).c_str());
  if (started && !failed_.empty()) {
    const std::string tag = Tag("[  FAILED  ]", Color::kRed);
    std::printf("%s %s, listed below:\n", tag.c_str(), NumberOf(failed_.size(), "test").c_str());
    constexpr size_t kListed = 200;
    for (size_t i = 0; i < failed_.size() && i < kListed; ++i) {
      std::printf("%s %s\n", tag.c_str(), failed_[i].c_str());
    }
    if (failed_.size() > kListed) std::printf("             and %zu more\n", failed_.size() - kListed);
  }
  if (started && !run_.missing().empty()) {
    std::printf("%s %s not in %s, the first is %s\n", Tag("[  MISSING ]", Color::kRed).c_str(),
                run_.missing().size() == 1 ? "1 selected case is"
                                           : fmt::format("{} selected cases are", run_.missing().size()).c_str(),
                run_.results_path().c_str(), run_.missing().front().c_str());
  }
  if (started && run_.selected_rows() > 0) {
    std::printf("results: %s", run_.results_path().c_str());
    if (run_.lacking() > 0) std::printf(" (%zu of %zu cases)", run_.all_cases() - run_.lacking(), run_.all_cases());
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace opbyop::harness
