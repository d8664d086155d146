// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The op-by-op conformance suite: one test per row of a manifest, for any target.
//
//   conformance --manifest=out/nightly/manifest.yaml --target=host --gtest_filter='*conv*'
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/run/conformance_fixture.h"
#include "harness/run/conformance_run.h"
#include "harness/run/interrupt.h"
#include "harness/run/options.h"
#include "harness/run/progress_listener.h"
#include "harness/run/run_plan.h"
#include "suites/report_listener.h"
#include "suites/xml_listener.h"
#include "support/files/file.h"
#include "support/files/special_file.h"
#include "support/start_program.h"
#include "support/text/safe_text.h"
#include "support/text/shell_quote.h"
#include "support/text/terminal_color.h"

namespace opbyop::suites {
namespace {

using harness::Conformance;
using harness::ConformanceRun;

TEST_P(Conformance, Row) {
  const harness::RowOutcome& outcome = Await();
  if (IsUnjudged()) GTEST_SKIP() << reason();
  if (outcome.status == Status::kExpectedFail) return;
  for (const std::string& stage : stages()) ASSERT_PRED_FORMAT1(Passed, stage);
  ASSERT_PRED_FORMAT1(Accepted, outcome.record->comparisons);
  ASSERT_PRED_FORMAT1(Green, outcome.status);
}

INSTANTIATE_TEST_SUITE_P(, Conformance, testing::ValuesIn(Conformance::Rows()), Conformance::Name);
// An empty shard is not an error. An empty selection is, and main() reports it.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conformance);

int Fail(const Error& error) {
  std::fprintf(stderr, "conformance: %s\n", SafeText(error.message).c_str());
  return static_cast<int>(error.code);
}

struct Writers {
  ReportListener* reports = nullptr;  // owned by GoogleTest; null if no reports are wanted
  XmlListener* xml = nullptr;

  const std::optional<Error>& error() const {
    static const std::optional<Error> kNone;
    if (xml != nullptr && xml->error()) return xml->error();
    return reports != nullptr ? reports->error() : kNone;
  }
};

Writers InstallListeners(ConformanceRun& run) {
  const std::string& progress = run.options().progress;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (progress != "gtest") {
    delete listeners.Release(listeners.default_result_printer());
    const bool tty = progress == "tty" || (progress == "auto" && ::isatty(STDOUT_FILENO) != 0);
    using Style = harness::ProgressListener::Style;
    listeners.Append(
        new harness::ProgressListener(run, progress == "quiet" ? Style::kQuiet : (tty ? Style::kTty : Style::kPlain),
                                      WantsColor(testing::GTEST_FLAG(color), ::isatty(STDOUT_FILENO) != 0)));
  }
  Writers writers;
  if (run.options().reports) {
    writers.reports = new ReportListener(run);
    listeners.Append(writers.reports);
  }
  if (const auto path = XmlOutputPath(testing::GTEST_FLAG(output), "conformance")) {
    delete listeners.Release(listeners.default_xml_generator());
    writers.xml = new XmlListener(run, *path);
    listeners.Append(writers.xml);
  }
  run.waiting = [writers, show = run.waiting] {
    if (writers.reports != nullptr) writers.reports->Poll();
    if (writers.xml != nullptr) writers.xml->Poll();
    if (show) show();
  };
  listeners.Append(new harness::RunListener(run));
  return writers;
}

// Refuses a special file as the output of --gtest_output, because it cannot be written as one.
std::optional<Error> RefusedOutput(const std::optional<std::filesystem::path>& path) {
  if (!path || !IsSpecialFile(*path)) return std::nullopt;
  return Error{ExitCode::kNoInput,
               fmt::format("--gtest_output: {} is a device or a pipe, expected a file", path->string())};
}

// Checks the JSON output, because GoogleTest does not report that it could not write all of it.
std::optional<Error> LostJson(const std::optional<std::filesystem::path>& path) {
  if (!path) return std::nullopt;
  const Expected<std::string> text = ReadFile(*path);
  if (!text) return text.error();
  if (nlohmann::json::accept(*text)) return std::nullopt;
  return Error{ExitCode::kNoInput,
               fmt::format("--gtest_output: {} is not complete; is the disk full?", path->string())};
}

// Models that could not be split have no rows. A run of everything must not be green without them.
bool LacksModels(const ConformanceRun& run) {
  bool lacks = false;
  for (const Model& model : run.manifest().models) {
    if (model.error.empty()) continue;
    std::fprintf(stderr, "conformance: model %s has no rows: %s\n", model.name.c_str(), SafeText(model.error).c_str());
    lacks = true;
  }
  return lacks;
}

int Main(int argc, char** argv) {
  // Large blocks must go back to the system when they are freed. A fixed threshold keeps glibc from raising it.
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::signal(SIGPIPE, SIG_IGN);  // results are written even if nobody reads the progress
  const Expected<harness::Options> options = harness::ParseOptions(&argc, argv);
  if (!options) return Fail(options.error());
  if (options->help) {
    std::printf("%s\n", harness::OptionsHelp().c_str());
    testing::InitGoogleTest(&argc, argv);  // prints GoogleTest's own help
    return RUN_ALL_TESTS();
  }
  for (const std::string_view argument : std::span(argv, static_cast<size_t>(argc)).subspan(1)) {
    if (argument.starts_with("--") && !argument.starts_with("--gtest")) {
      return Fail({ExitCode::kUsage, harness::UnknownArgument(argument)});
    }
  }
  if (!options->report.empty()) {
    const Expected<void> written = WriteReportsOf(*options);
    return written ? static_cast<int>(ExitCode::kOk) : Fail(written.error());
  }
  if (options->plan) {
    if (argc > 1) return Fail({ExitCode::kUsage, fmt::format("--plan goes by --select, not by {}", argv[1])});
    const Expected<std::string> plan = harness::PlanText(*options);
    if (!plan) return Fail(plan.error());
    std::printf("%s", SafeText(*plan).c_str());
    return static_cast<int>(ExitCode::kOk);
  }
  // All threads share one heap: with a heap each, megabytes of records that other threads have freed would stay
  // allocated. Processes that write reports keep a heap per thread: their threads free their own memory, and with
  // one heap would wait for each other.
  ::mallopt(M_ARENA_MAX, 1);
  const Expected<std::unique_ptr<ConformanceRun>> opened = ConformanceRun::Open(*options);
  if (!opened) return Fail(opened.error());
  ConformanceRun& run = **opened;
  Conformance::Use(&run);
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    return Fail({ExitCode::kUsage, harness::UnknownArgument(argv[1])});
  }
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();

  const std::string& output = testing::GTEST_FLAG(output);
  const std::optional<std::filesystem::path> json = JsonOutputPath(output, "conformance");
  if (const auto refused = RefusedOutput(json)) return Fail(*refused);
  if (const auto refused = RefusedOutput(XmlOutputPath(output, "conformance"))) return Fail(*refused);
  const Writers writers = InstallListeners(run);
  const harness::InterruptWatch watch(
      [&run](int) { return harness::AbandonedText(run.Abandon(), run.options().resume_command); });
  const bool passed = RUN_ALL_TESTS() == 0;
  const bool everything = testing::GTEST_FLAG(filter) == "*" && run.options().select.empty();
  if (run.selected_rows() == 0 && run.options().shards == 1) {
    return Fail({ExitCode::kNothingToDo, "no row of " + run.manifest().path.string() +
                                             " was selected; --gtest_list_tests lists what there is"});
  }
  if (run.results_lost()) return run.ExitCodeOf(passed);
  if (writers.error()) return Fail(*writers.error());
  if (const auto lost = LostJson(json)) return Fail(*lost);
  if (writers.reports != nullptr) {
    if (const Expected<void> written = WriteReportsOf(run); !written) return Fail(written.error());
  }
  for (const std::string& unmet : Unmet(run.options().demands, run.counts())) {
    std::fprintf(stderr, "conformance: %s\n", SafeText(unmet).c_str());
  }
  if (const std::string hidden = run.hidden(); !hidden.empty())
    std::fprintf(stderr, "conformance: %s\n", hidden.c_str());
  const int code = run.ExitCodeOf(passed);
  if (!run.made_bundle().empty() && !run.error() && run.options().progress != "quiet") {
    const std::filesystem::path bundle = std::filesystem::absolute(run.made_bundle() / ".").lexically_normal();
    std::printf("%s is a bundle; on the machine with the device: opbyop run %s --from load\n",
                run.made_bundle().c_str(), ShellQuote(bundle.parent_path().filename().string()).c_str());
  }
  if (everything && LacksModels(run) && code == 0) return static_cast<int>(ExitCode::kPartial);
  return code;
}

}  // namespace
}  // namespace opbyop::suites

int main(int argc, char** argv) {
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started) {
    return opbyop::suites::Fail(started.error());
  }
  return opbyop::suites::Main(argc, argv);
}
