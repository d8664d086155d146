// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/profile/profile_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <string>

#include "chained/estimate_run.h"
#include "chained/profile_run.h"
#include "commands/execute.h"
#include "harness/run/interrupt.h"
#include "manifests/cases/manifest.h"
#include "manifests/optrace/trace_file.h"
#include "manifests/status/counts.h"
#include "manifests/status/status.h"
#include "reports/optrace/export.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/top_text.h"
#include "support/text/count_text.h"
#include "support/text/progress_line.h"
#include "support/worse_exit_code.h"

namespace opbyop::commands {
namespace {

using chained::ProfileOptions;

namespace fs = std::filesystem;

std::string TotalsText(const std::map<std::string, int64_t>& totals) {
  std::string text;
  for (const auto& [status, count] : totals) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  return text;
}

// Returns kUnexpectedResult if an op or the model in one piece is wrong, kPartial if the run could not continue.
ExitCode CodeOf(const chained::ProfileResult& result) {
  Counts counts;
  for (const auto& [name, count] : result.totals) {
    if (name == chained::kUnknown) continue;  // it compiles; only its time is not known
    const Status status = ParseStatus(name).value_or(Status::kMissing);
    for (int64_t i = 0; i < count; ++i) counts.Add(status);
  }
  if (result.whole) counts.Add(result.whole->status);
  if (!result.complete) return ExitCode::kPartial;
  if (counts.problems() > 0) return ExitCode::kUnexpectedResult;
  return counts.rows > 0 && counts.judged() == 0 ? ExitCode::kNothingJudged : ExitCode::kOk;
}

// The first few ops that did not pass, each with its reason.
std::string ReasonsText(const optrace::Trace& trace) {
  constexpr size_t kShown = 5;
  std::string text;
  size_t others = 0, shown = 0;
  for (const optrace::OpRun& run : trace.runs) {
    if (run.status == Status::kPass || run.status == Status::kSkipped) continue;
    if (++shown > kShown) {
      ++others;
      continue;
    }
    text += fmt::format("{}: {} in {}: {}\n", optrace::HloName(trace.ops.at(static_cast<size_t>(run.op))),
                        run.status ? optrace::StatusText(run.status) : chained::kUnknown, run.stage, run.diagnostic);
  }
  if (others > 0)
    text += fmt::format("{} not right, or not known to be\n",
                        others == 1 ? "1 more op is" : fmt::format("{} more ops are", others));
  return text;
}

}  // namespace

ExitCode ProfileAndReport(ProfileOptions options, size_t count, bool estimate) {
  ProgressLine line(stderr, ProgressLine::StyleOf(stderr));
  std::atomic<bool> stop = false;
  std::atomic<int> signal_number = 0;
  const harness::InterruptWatch watch([&](int signal) -> std::optional<std::string> {
    if (stop.exchange(true)) return "ended at once: what was recorded is in " + options.output.string();
    signal_number = signal;
    std::fputs("\ninterrupted: the page of what there is follows after this op; once more ends at once\n", stderr);
    return std::nullopt;
  });
  options.stop = &stop;
  options.say = [&](const std::string& text) {
    line.Clear();
    std::cout << text << '\n' << std::flush;
  };
  options.progress = [&](const chained::ChainProgress& progress) {
    if (line.due()) line.Show(ShareText(progress.done, progress.total) + " " + progress.what);
  };
  const Expected<chained::ProfileResult> result =
      estimate ? chained::EstimateModel(options) : chained::ProfileModel(options);
  line.Clear();
  const auto ended = [&](ExitCode code) {
    return signal_number == 0 ? code : static_cast<ExitCode>(harness::kSignalBase + signal_number);
  };
  if (!result) return ended(Report(result.error()));
  const Expected<optrace::Trace> trace = optrace::ReadTrace(result->trace);
  if (!trace) return Report(trace.error());
  const Expected<optrace::Files> page = optrace::FindExporter("html")->write(*trace, options.output);
  if (!page) return Report(page.error());
  std::cout << '\n'
            << optrace::TopTable(*trace, optrace::Grouping::kHlo, count) << "\nslowest ops\n"
            << optrace::SlowestOps(*trace, 3) << optrace::InsightsText(*trace) << '\n';
  constexpr size_t kShown = 5;
  for (size_t i = 0; i < std::min(trace->warnings.size(), kShown); ++i) {
    std::cout << "warning: " << trace->warnings[i].text << '\n';
  }
  if (trace->warnings.size() > kShown) {
    std::cout << fmt::format("the record has {}\n", CountText(trace->warnings.size() - kShown, "more warning"));
  }
  std::cout << ReasonsText(*trace) << "ops: " << TotalsText(result->totals) << '\n' << result->trace.string() << '\n';
  for (const fs::path& file : *page) std::cout << file.string() << '\n';
  return ended(CodeOf(*result));
}

ExitCode ProfileManifest(const fs::path& folder, const ProfileOptions& given, size_t count) {
  const Expected<Manifest> manifest = LoadManifest(folder / "manifest.yaml");
  if (!manifest) return Report(manifest.error());
  ExitCode code = ExitCode::kOk;
  for (const Model& model : manifest->models) {
    if (!model.error.empty()) {
      std::cerr << fmt::format("opbyop: {}: was not split: {}\n", model.name, model.error);
      code = ExitCode::kPartial;
      continue;
    }
    ProfileOptions options = given;
    options.model = generator::ListModels({model.name + "=" + model.source}).front();
    options.output = folder / "chained" / model.name;
    options.manifest = &*manifest;
    const ExitCode ended = ProfileAndReport(options, count);
    if (static_cast<int>(ended) > harness::kSignalBase) return ended;
    code = WorseOf(code, ended);
  }
  return code;
}

}  // namespace opbyop::commands
