// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop reduce ROW: finds the smallest program that still ends in the same way.

#include <fmt/format.h>
#include <signal.h>

#include <iostream>
#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/interrupt.h"
#include "commands/reduce/reduce_command.h"
#include "support/files/file.h"
#include "support/text/progress_line.h"
#include "support/text/safe_text.h"

namespace opbyop::commands {
namespace {

constexpr size_t kLine = 100;

ExitCode Reduce(reduction::ReduceOptions options) {
  EndAtFirstInterrupt();
  Expected<reduction::ReducedRow> done = MakeError(ExitCode::kInternal, "");
  {
    ProgressLine progress(stderr, ProgressLine::StyleOf(stderr));
    options.stop = [] { return InterruptedBy() != 0; };
    options.say = [&](const std::string& text) {
      if (progress.due()) progress.Show(Shorten(text, kLine));
    };
    done = reduction::ReduceRow(options);
  }
  if (!done) return Report(done.error());
  const reduction::Reduction& reduction = done->reduction;
  const Expected<std::string> text = ReadFile(done->program);
  if (!text) return Report(text.error());
  constexpr size_t kShownBytes = 4096;
  std::cout << (text->size() <= kShownBytes ? *text + "\n" : "")
            << fmt::format("{}\n", reduction.record.diagnostic.empty()
                                       ? reduction.ending.Text()
                                       : fmt::format("{} in {}: {}", ToString(reduction.ending.status),
                                                     reduction.ending.stage, reduction.record.diagnostic))
            << fmt::format("from {} to {}; {} candidates run, {} not valid\n", reduction.from.Text(),
                           reduction.to.Text(), reduction.candidates, reduction.invalid);
  if (reduction.flaky) std::cout << "it does not always end so: each candidate had to do so twice\n";
  if (reduction.fresh)
    std::cout << "what ran before it in the same worker counts: each candidate had workers of its own\n";
  if (!reduction.complete) std::cout << "not finished: the best so far\n";
  std::cout << fmt::format("{}\n{}\n", done->program.string(), done->repro);
  // Ends by the signal, as a shell expects of a program that Ctrl-C ended.
  if (InterruptedBy() != 0) {
    std::cout.flush();
    ::raise(InterruptedBy());
  }
  return ExitCode::kOk;
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "reduce", "Find the smallest program that ends as a failing row does.",
                          "opbyop reduce gem__power_7x7x16_f32_97017866 --run out/nightly --target iree -o smallest");
  struct Arguments {
    reduction::ReduceOptions options;
    int64_t time_limit_s = 300;
    uint64_t seed = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  reduction::ReduceOptions& options = arguments->options;
  options.run = "out/nightly";
  options.target = "host";
  app->add_option("ROW", options.row,
                  "<model>__<case id>, a case id, or a model, which is reduced to its shortest failing "
                  "sequence of ops")
      ->required();
  app->add_option("--run", options.run, "Folder with manifest.yaml")->capture_default_str();
  app->add_option("--target", options.target, "Name or file of the target")->capture_default_str();
  CLI::Option* const policy =
      app->add_option("--policy", options.policy, "How inputs are generated; default: as in the results in --run");
  app->add_flag("--chained", options.chained,
                "Use the operands on which the op failed in `opbyop run --mode=chained` of --run")
      ->excludes(policy);
  CLI::Option* const seed =
      app->add_option("--seed", arguments->seed, "Seed of the run; default: that of the results in --run");
  app->add_option("--time-limit", arguments->time_limit_s,
                  "Seconds after which the smallest program so far is the result")
      ->check(CLI::Range(int64_t{1}, int64_t{30} * 24 * 3600))
      ->capture_default_str();
  app->add_option("-o,--output", options.output, "Folder for original/ and reduced/; default out/reduce/ROW");
  return InReadingChild({app, [arguments, seed]() -> ExitCode {
                           reduction::ReduceOptions& options = arguments->options;
                           if (seed->count() > 0) options.seed = arguments->seed;
                           options.time_limit = std::chrono::seconds(arguments->time_limit_s);
                           if (options.output.empty())
                             options.output = std::filesystem::path("out/reduce") / options.row;
                           return Reduce(options);
                         }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
