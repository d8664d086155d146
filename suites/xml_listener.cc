// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "suites/xml_listener.h"

#include <fmt/format.h>

#include <vector>

#include "harness/run/conformance_fixture.h"
#include "reports/view/first_line.h"
#include "reports/view/xml_writer.h"
#include "support/text/timestamp.h"

namespace opbyop::suites {
namespace {

using reports::AddElement;

namespace fs = std::filesystem;

std::string TimestampOf(std::chrono::system_clock::time_point time) {
  return FormatTimestamp(std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
}

void AddResult(pugi::xml_node node, const testing::TestPartResult& part) {
  if (part.skipped()) {
    reports::SetText(AddElement(node, "skipped", {{"message", part.message()}}), part.message());
  } else if (part.failed()) {
    const std::string where =
        fmt::format("{}:{}\n", part.file_name() ? part.file_name() : "unknown file", part.line_number());
    reports::SetText(AddElement(node, "failure", {{"message", where + part.summary()}, {"type", ""}}),
                     where + part.message());
  }
}

std::optional<fs::path> OutputPath(const std::string& flag, const std::string& format, const std::string& program) {
  if (flag != format && !flag.starts_with(format + ":")) return std::nullopt;
  const std::string named = flag == format ? "test_detail." + format : flag.substr(format.size() + 1);
  std::error_code error;
  if (!named.ends_with('/') && !fs::is_directory(named, error)) return fs::path(named);
  // In a folder, choose a name that no other program there has taken.
  fs::path path = fs::path(named) / fmt::format("{}.{}", program, format);
  for (int i = 1; fs::exists(path, error); ++i) path = fs::path(named) / fmt::format("{}_{}.{}", program, i, format);
  return path;
}

}  // namespace

std::optional<fs::path> XmlOutputPath(const std::string& flag, const std::string& program) {
  return OutputPath(flag, "xml", program);
}

std::optional<fs::path> JsonOutputPath(const std::string& flag, const std::string& program) {
  return OutputPath(flag, "json", program);
}

void XmlListener::OnTestIterationStart(const testing::UnitTest& unit_test, int) {
  tests_ = failures_ = skipped_ = 0;
  seed_ = testing::GTEST_FLAG(shuffle) ? unit_test.random_seed() : 0;
  begin_ = std::chrono::system_clock::now();
  file_.reset();
  auto file =
      GrowingFile::Create(path_, Head(), reports::ClosingTag("testsuite", 1) + reports::ClosingTag("testsuites", 0));
  if (file) {
    file_ = std::move(*file);
  } else {
    error_ = file.error();
  }
}

std::string XmlListener::Head() const {
  const std::string tests = std::to_string(tests_), failures = std::to_string(failures_),
                    skipped = std::to_string(skipped_), timestamp = TimestampOf(begin_), seed = std::to_string(seed_);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::system_clock::now() - begin_;
  const std::string time = reports::Seconds(elapsed.count());
  return std::string(reports::kXmlDeclaration) +
         reports::OpeningTag("testsuites",
                             {{"tests", tests},
                              {"failures", failures},
                              {"disabled", "0"},
                              {"errors", "0"},
                              {"time", time},
                              {"timestamp", timestamp},
                              {"random_seed", seed},
                              {"name", "AllTests"}},
                             0) +
         reports::OpeningTag("testsuite",
                             {{"name", "Conformance"},
                              {"tests", tests},
                              {"failures", failures},
                              {"disabled", "0"},
                              {"skipped", skipped},
                              {"errors", "0"},
                              {"time", time},
                              {"timestamp", timestamp}},
                             1);
}

void XmlListener::OnTestEnd(const testing::TestInfo& info) {
  if (file_ == nullptr || error_) return;
  const testing::TestResult& result = *info.result();
  const auto& [row, outcome] = run_.last();
  const double ms = outcome.record ? outcome.record->wall_ms : 0;
  const std::string start =
      outcome.record && !outcome.record->start.empty() ? outcome.record->start : TimestampOf(begin_);
  reports::XmlElement element("testcase", {{"name", info.name()},
                                           {"value_param", info.value_param() ? info.value_param() : ""},
                                           {"file", info.file()},
                                           {"line", std::to_string(info.line())},
                                           {"status", "run"},
                                           {"result", result.Skipped() ? "skipped" : "completed"},
                                           {"time", reports::Seconds(ms)},
                                           {"timestamp", start},
                                           {"classname", info.test_suite_name()}});
  for (int i = 0; i < result.total_part_count(); ++i) AddResult(element.node(), result.GetTestPartResult(i));
  if (row != nullptr) {
    pugi::xml_node properties = AddElement(element.node(), "properties", {});
    for (const auto& [name, value] : harness::RowProperties(*row, outcome))
      reports::AddProperty(properties, name, value);
  }
  file_->Append(element.Text(2));
  ++tests_;
  failures_ += result.Failed() ? 1 : 0;
  skipped_ += result.Skipped() ? 1 : 0;
  changed_ = true;
  Poll();
}

void XmlListener::Poll() {
  if (changed_ && publish_throttle_.due()) Publish();
}

void XmlListener::Publish() {
  if (file_ == nullptr || error_) return;
  if (const Expected<void> done = file_->Publish(Head()); !done) error_ = done.error();
  publish_throttle_.Restart();
  changed_ = false;
}

void XmlListener::OnTestIterationEnd(const testing::UnitTest&, int) {
  // A row that is already in the file as passed stays there. A fault that was found later is added as another entry.
  for (const auto& [row, outcome] : run_.accused()) {
    if (file_ == nullptr || error_) break;
    reports::XmlElement element("testcase", {{"name", "Row/" + RowName(*row)},
                                             {"status", "run"},
                                             {"result", "completed"},
                                             {"time", "0"},
                                             {"classname", "Conformance"}});
    reports::SetText(AddElement(element.node(), "failure", {{"message", outcome.diagnostic}, {"type", ""}}),
                     outcome.diagnostic);
    file_->Append(element.Text(2));
    ++tests_;
    ++failures_;
  }
  Publish();
  file_.reset();
}

}  // namespace opbyop::suites
