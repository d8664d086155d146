// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop profile MODEL --target T: the model op by op on the target, recorded, and what the record says.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <memory>

#include "chained/estimate_run.h"
#include "chained/profile_run.h"
#include "harness/interrupt.h"
#include "manifests/counts.h"
#include "manifests/find_target.h"
#include "manifests/optrace/trace_file.h"
#include "manifests/status.h"
#include "reports/optrace/export.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/top_text.h"
#include "support/counted.h"
#include "support/graver.h"
#include "support/progress_line.h"
#include "tools/commands.h"

namespace opbyop::tools {
namespace {

using chained::ProfileOptions;

namespace fs = std::filesystem;

std::string TotalsText(const std::map<std::string, int64_t>& totals) {
  std::string text;
  for (const auto& [status, count] : totals) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  return text;
}

// kUnexpectedResult where an op or the model in one piece is wrong, kPartial where the run could not go on.
ExitCode CodeOf(const chained::ProfileResult& result) {
  Counts counts;
  for (const auto& [name, count] : result.totals) {
    if (name == chained::kUnknown) continue;  // it compiles: what is not known is its time
    const Status status = ParseStatus(name).value_or(Status::kMissing);
    for (int64_t i = 0; i < count; ++i) counts.Add(status);
  }
  if (result.whole) counts.Add(result.whole->status);
  if (!result.complete) return ExitCode::kPartial;
  if (counts.problems() > 0) return ExitCode::kUnexpectedResult;
  return counts.rows > 0 && counts.judged() == 0 ? ExitCode::kNothingJudged : ExitCode::kOk;
}

// What is no pass, each with its reason; the first few.
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

// Prints the `count` slowest operators, what is not right, and where everything lies.
ExitCode ProfileAndReport(ProfileOptions options, size_t count, bool estimate = false) {
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
    std::cout << text << std::endl;
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
    std::cout << fmt::format("the record has {}\n", Counted(trace->warnings.size() - kShown, "more warning"));
  }
  std::cout << ReasonsText(*trace) << "ops: " << TotalsText(result->totals) << '\n' << result->trace.string() << '\n';
  for (const fs::path& file : *page) std::cout << file.string() << '\n';
  return ended(CodeOf(*result));
}

struct Arguments {
  std::string model;
  std::string target = "host";
  size_t count = 10;
  bool no_compare = false;
  bool no_whole = false;
  bool estimate = false;
  ProfileOptions options;
};

ExitCode ProfileOne(Arguments arguments) {
  ProfileOptions& options = arguments.options;
  const std::vector<generator::ModelSource> models = generator::ListModels({arguments.model});
  if (models.size() != 1) {
    return Report({ExitCode::kUsage, fmt::format("{} holds {} models; a profile is of one: name its file",
                                                 arguments.model, models.size())});
  }
  options.model = models.front();
  if (options.output.empty()) options.output = fs::path("out/profile") / options.model.name;
  Expected<Target> target = FindTarget(arguments.target, options.output);
  if (!target) return Report(target.error());
  options.target = std::move(*target);
  options.compare = !arguments.no_compare;
  options.whole_model = !arguments.no_whole;
  return ProfileAndReport(options, arguments.count, arguments.estimate);
}

}  // namespace

ExitCode ProfileManifest(const fs::path& folder, const std::string& target_name) {
  const Expected<Manifest> manifest = LoadManifest(folder / "manifest.yaml");
  if (!manifest) return Report(manifest.error());
  const Expected<Target> target = FindTarget(target_name, folder);
  if (!target) return Report(target.error());
  ExitCode code = ExitCode::kOk;
  for (const Model& model : manifest->models) {
    if (!model.error.empty()) {
      std::cerr << fmt::format("opbyop: {}: was not split: {}\n", model.name, model.error);
      code = ExitCode::kPartial;
      continue;
    }
    ProfileOptions options;
    options.model = generator::ListModels({model.name + "=" + model.source}).front();
    options.target = *target;
    options.output = folder / "chained" / model.name;
    options.manifest = &*manifest;
    options.command = {"opbyop", "run", folder.string(), "--mode=chained", "--target", target_name};
    constexpr size_t kRows = 5;
    const ExitCode ended = ProfileAndReport(options, kRows);
    if (static_cast<int>(ended) > harness::kSignalBase) return ended;
    code = Graver(code, ended);
  }
  return code;
}

Command ProfileCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "profile", "Run a model op by op on a target: where its time goes, and how far its answers are off.");
  auto arguments = std::make_shared<Arguments>();
  ProfileOptions& options = arguments->options;
  app->add_option("MODEL", arguments->model, "File of a model, as for `split`")->required();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option("--entry", options.entry, "Function to profile")->default_str("main");
  app->add_option("--shape", options.shapes,
                  "ARGUMENT=SHAPE: the program for this shape; x=4x8xf32, 0=4x8; may be repeated, as for `split`")
      ->allow_extra_args(false);
  app->add_option("-o,--output", options.output, "Folder for optrace.ndjson and profile.html; out/profile/MODEL");
  app->add_option("--max-executions", options.max_executions,
                  "A program that executes more ops is unsupported, every call and every known trip of a loop counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("-n", arguments->count, "Operators in the printed table")->capture_default_str();
  CLI::Option* const iterations =
      app->add_option("--iterations", options.iterations, "Passes over the whole model; the first is compared")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str();
  CLI::Option* const of_repeats[] = {
      app->add_option("--warmup", options.repeat.warmup, "Runs of every op that are not timed")->capture_default_str(),
      app->add_option("--repeat", options.repeat.max, "Timed runs of an op, at most")->capture_default_str(),
      app->add_option("--relative-error", options.repeat.relative_error,
                      "An op is run until its median is known to this share (95 % confidence)")
          ->capture_default_str(),
      app->add_option("--budget-ms", options.repeat.budget_ms, "For the runs of one op, at most")
          ->capture_default_str()};
  CLI::Option* const overlap = app->add_flag(
      "--overlap", options.overlap,
      "What the next op takes is transferred, and where that is all the op is run, beside the one at hand");
  for (CLI::Option* option : of_repeats) overlap->excludes(option);
  CLI::Option* const of_runs[] = {
      iterations, overlap, app->add_option("--seed", options.seed, "Seed of the model's inputs")->capture_default_str(),
      app->add_option("--elements", options.shown_elements, "Of each output, shown beside the reference's")
          ->capture_default_str(),
      app->add_flag("--no-compare", arguments->no_compare, "Only time: the reference is not asked")};
  app->add_option("--peak-gflops", options.peak_gflops, "Of the device; measured where it is this machine");
  app->add_option("--peak-gb-per-s", options.peak_gb_per_s, "Of the device's memory; likewise");
  app->add_flag("--no-whole-model", arguments->no_whole, "The model is not also run in one piece");
  CLI::Option* const estimate =
      app->add_flag("--estimate", arguments->estimate,
                    "Run nothing: the times are those that the target's compiler estimates, where it does");
  // What an estimate has no use for.
  for (CLI::Option* option : of_repeats) estimate->excludes(option);
  for (CLI::Option* option : of_runs) estimate->excludes(option);
  return {app, [app, arguments] {
            arguments->options.command = TypedCommand(*app);
            return ProfileOne(*arguments);
          }};
}

}  // namespace opbyop::tools
