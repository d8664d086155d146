// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop exhaust OP... --target T: tests functions of one number on every bit pattern of its type.

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <iostream>
#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/exhaust/exhaustive_run.h"
#include "manifests/status/counts.h"
#include "manifests/targets/find_manifest_file.h"
#include "support/text/count_text.h"
#include "support/text/progress_line.h"

namespace opbyop::commands {
namespace {

using exhaustive::ExhaustiveOptions;
using exhaustive::Function;
using exhaustive::FunctionProgress;
using exhaustive::FunctionResult;

using Clock = std::chrono::steady_clock;

struct ExhaustArguments {
  std::vector<std::string> ops;
  std::vector<std::string> types = {"f32"};
  std::string target = "host";
  std::string part;
  std::string at;
  bool list = false;
  bool quiet = false;
  ExhaustiveOptions options;
};

Expected<std::vector<Function>> FunctionsOf(const ExhaustArguments& arguments) {
  std::vector<Function> functions;
  for (const std::string& name : arguments.types) {
    const auto type = reference::ParseElementType(name);
    if (!type || reference::KindOf(*type) == reference::ElementKind::kComplex) {
      return MakeError(ExitCode::kUsage,
                       fmt::format("--type {}: is not a type of one number such as f32, bf16 or i8", name));
    }
    if (*type == reference::ElementType::kF64 || reference::Info(*type).width > 32) {
      return MakeError(ExitCode::kUsage,
                       fmt::format("--type {}: has 2^64 values: only types of up to 32 bits can be enumerated", name));
    }
    const Expected<std::vector<Function>> found =
        arguments.ops.empty() ? exhaustive::AllFunctions(*type) : exhaustive::FindFunctions(arguments.ops, *type);
    if (!found) return found;
    functions.insert(functions.end(), found->begin(), found->end());
  }
  return functions;
}

std::string DurationText(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Prints the functions' progress, and keeps the last line of each.
class ProgressPrinter {
 public:
  void ReportProgress(const FunctionProgress& progress) {
    const bool is_last = progress.values_done == progress.values;
    if (!line_.due() && !is_last) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    const double rate = static_cast<double>(progress.values_run) / std::max(seconds, 1e-3);
    const auto left = static_cast<double>(progress.values - progress.values_done);
    const exhaustive::Tally& tally = progress.outcome->tally;
    const std::string line = fmt::format(
        "{}: {}/{} chunks, worst {:.3g} ULP, {} failing; in all {:.1f} % of {}, {:.1f} M values/s, {} left",
        progress.function->Name(), progress.outcome->done, progress.chunks, tally.max_ulp, Grouped(tally.mismatches),
        100.0 * static_cast<double>(progress.values_done) / static_cast<double>(progress.values),
        CountText(progress.values, "value"), rate / 1e6, rate > 0 ? DurationText(left / rate) : "?");
    if (!is_last) return line_.Show(line);
    line_.Clear();
    std::cerr << line << std::endl;  // one for each function
  }

 private:
  ProgressLine line_{stderr, ProgressLine::StyleOf(stderr)};
  Clock::time_point began_ = Clock::now();
};

ExitCode CodeOf(const std::vector<FunctionResult>& results) {
  Counts counts;
  for (const FunctionResult& result : results) counts.Add(result.record.status);
  if (counts.problems() > 0) return ExitCode::kUnexpectedResult;
  return counts.judged() == 0 ? ExitCode::kNothingJudged : ExitCode::kOk;
}

ExitCode Exhaust(ExhaustArguments arguments) {
  ExhaustiveOptions& options = arguments.options;
  Expected<std::vector<Function>> functions = FunctionsOf(arguments);
  if (!functions) return Report(functions.error());
  options.functions = std::move(*functions);
  if (arguments.list) {
    for (const Function& f : options.functions) {
      std::cout << fmt::format("{} --type {}\n", f.Spelling(), reference::NameOf(f.type));
    }
    return ExitCode::kOk;
  }
  if (!std::has_single_bit(options.chunk)) {
    return Report({ExitCode::kUsage, fmt::format("--chunk {}: is no power of two", options.chunk)});
  }
  if (!arguments.part.empty()) {
    const Expected<exhaustive::Part> part = exhaustive::ParsePart(arguments.part);
    if (!part) return Report(part.error());
    options.part = *part;
  }
  if (!arguments.at.empty()) {
    char* end = nullptr;
    errno = 0;
    options.at = std::strtoull(arguments.at.c_str(), &end, 0);
    if (*end != '\0' || errno != 0 || arguments.at.front() == '-') {
      return Report({ExitCode::kUsage, fmt::format("--at {}: is not a bit pattern such as 0x3f800000", arguments.at)});
    }
  }
  const Expected<std::filesystem::path> file = FindManifestFile("targets", arguments.target);
  if (!file) return Report(file.error());
  Expected<Target> target = LoadTarget(*file);
  if (!target) return Report(target.error());
  options.target = std::move(*target);
  ProgressPrinter printer;
  if (!arguments.quiet)
    options.progress = [&printer](const FunctionProgress& progress) { printer.ReportProgress(progress); };
  const Expected<std::vector<FunctionResult>> results = exhaustive::RunExhaustively(options);
  if (!results) return Report(results.error());
  std::cout << exhaustive::ResultTable(*results) << (options.output / "results.jsonl").string() << '\n';
  return CodeOf(*results);
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "exhaust",
                          "Run functions of one number on every bit pattern of its type. A stopped run is resumed.",
                          "opbyop exhaust tanh --type bf16 --target host");
  auto arguments = std::make_shared<ExhaustArguments>();
  ExhaustiveOptions& options = arguments->options;
  app->add_option(
      "OP", arguments->ops,
      "Ops or globs of ops: tanh, chlo.erf*, convert:bf16, reduce_precision:e5m10; default: all of the type");
  app->add_option("--type", arguments->types, "Element types of the argument, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option("-o,--output", options.output, "Folder of the run")->capture_default_str();
  app->add_option("--part", arguments->part, "K/N: one of N parts of the values, each spread over all binades");
  app->add_option("--at", arguments->at, "Only the chunk with this bit pattern, such as 0x3f800000");
  app->add_option("--chunk", options.chunk, "Values of one execution, a power of two")
      ->check(CLI::Range(uint64_t{1} << 12, uint64_t{1} << 26))
      ->capture_default_str();
  app->add_option("--jobs", options.jobs, "Threads, and workers of the target if it may have several; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app->add_flag("--fresh", options.fresh, "Ignore the chunks of an earlier run in the folder");
  app->add_flag("--list", arguments->list, "List the functions and run nothing");
  app->add_flag("-q,--quiet", arguments->quiet, "Do not print progress");
  return InReadingChild({app, [app, arguments] {
                           arguments->options.command = TypedCommand(*app);
                           return Exhaust(*arguments);
                         }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
