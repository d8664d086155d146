// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop locate MODEL: finds the smallest part of a model that fails.

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/interrupt.h"
#include "commands/locate/locate_command.h"
#include "support/files/file.h"
#include "support/text/count_text.h"
#include "support/text/progress_line.h"
#include "support/text/safe_text.h"

namespace opbyop::commands {
namespace {

constexpr size_t kShownLine = 120;
constexpr size_t kShownProgram = 4096;

ExitCode Locate(locate::LocateOptions options) {
  EndAtFirstInterrupt();
  Expected<locate::LocatedModel> done = MakeError(ExitCode::kInternal, "");
  {
    ProgressLine progress(stderr, ProgressLine::StyleOf(stderr));
    options.stop = [] { return InterruptedBy() != 0; };
    options.say = [&](const std::string& text) {
      if (progress.due()) progress.Show(Shorten(text, kShownLine));
    };
    done = locate::LocateInModel(options);
  }
  if (!done) return Report(done.error());
  const Expected<std::string> text = ReadFile(done->program);
  if (!text) return Report(text.error());
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  std::cout << Text(done->tree, terminal ? locate::Style::kColored : locate::Style::kPlain)
            << fmt::format("{} judged; reduced to {}\n\n", CountText(done->judged, "program"), done->size)
            << (text->size() <= kShownProgram ? *text + "\n" : "") << done->page.string() << '\n'
            << done->program.string() << '\n'
            << done->repro << '\n';
  return ExitCode::kUnexpectedResult;
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "locate",
                          "Find the smallest part of a model that fails, from the model down to an op, on the "
                          "reference's values.",
                          "opbyop locate model.mlirbc --target iree -o out/locate");
  struct Arguments {
    locate::LocateOptions options;
    int64_t time_limit_s = 600;
  };
  auto arguments = std::make_shared<Arguments>();
  locate::LocateOptions& options = arguments->options;
  app->add_option("MODEL", options.model, "File of a model, as for `split`")->required();
  app->add_option("--target", options.target, "Name or file of the target")->capture_default_str();
  app->add_option("--entry", options.entry, "Function to run")->capture_default_str();
  AddShapeOption(*app, options.shapes);
  app->add_option("--policy", options.policy, "How the model's inputs are generated")->capture_default_str();
  app->add_option("--seed", options.seed, "Seed of the model's inputs")->capture_default_str();
  app->add_option("--time-limit", arguments->time_limit_s,
                  "Seconds after which the search stops; the same command goes on from there")
      ->check(CLI::Range(int64_t{1}, int64_t{30} * 24 * 3600))
      ->capture_default_str();
  app->add_flag("--fresh", options.fresh, "Remove the steps of an earlier search in the folder");
  app->add_option("-o,--output", options.output,
                  "Folder for the steps, the tree and the program; default out/locate/MODEL");
  return InReadingChild({app, [arguments] {
                           arguments->options.time_limit = std::chrono::seconds(arguments->time_limit_s);
                           return Locate(arguments->options);
                         }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
