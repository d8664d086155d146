// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop eval FILE [--input a.npy]...

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "commands/command.h"
#include "commands/execute.h"
#include "harness/run/interrupt.h"
#include "reference/worker/eval_command.h"
#include "reference/worker/eval_progress.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "eval", "Evaluate @main with the reference. Exits with 1 if a check fails.",
                          "opbyop eval model.mlir --input=x.npy");
  auto options = std::make_shared<reference::EvalCommandOptions>();
  app->add_option("FILE", options->file, "StableHLO as text, bytecode or portable artifact; `-`: the standard input")
      ->required();
  app->add_option("--entry", options->entry, "Function to evaluate")->capture_default_str();
  app->add_option("--input", options->inputs, "An argument as .npy, in order; default: generated inputs");
  app->add_option("-o,--output", options->output_dir,
                  "Folder for result_<i>.npy; with --split-input-file in section_<n>/ of it");
  auto probe = std::make_shared<std::string>();
  auto* probed = app->add_option("--probe", *probe,
                                 "Also write what interpreter.probe marks, or with --probe=all the results of every "
                                 "op, as probe_<n>_<name>.npy with an index.csv into the folder of --output")
                     ->expected(0, 1)
                     ->default_str("marked");
  app->add_flag("--split-input-file", options->split_input_file, "Judge each section between `// -----` by itself");
  app->add_option("--seed", options->seed, "Seed of generated inputs")->capture_default_str();
  app->add_option("--meaning", options->meanings,
                  "Definitions of custom calls and composites, as StableHLO or (NAME.py) Python")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--policy", options->policy, "How inputs are generated")->capture_default_str();
  app->add_option("--max-executions", options->max_executions,
                  "A program that executes more ops is unsupported; every call and every known iteration of "
                  "a loop counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_flag("-q,--quiet", options->quiet, "Do not print results");
  return InReadingChild(
      {app, [options, probe, probed] {
         if (probed->count() > 0) {
           const Expected<reference::ProbeKind> kind = reference::ParseProbeKind(probe->empty() ? "marked" : *probe);
           if (!kind) return Report(kind.error());
           options->probe = *kind;
         }
         // Shows the current position every five seconds, and when the run is interrupted.
         reference::EvalProgress progress;
         const harness::InterruptWatch watch([&](int) { return "eval: interrupted: " + progress.Text(); });
         constexpr std::chrono::seconds kBetweenLines(5);
         const reference::ProgressLines lines(progress, std::cerr, kBetweenLines);
         options->progress = &progress;
         options->threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
         const Expected<reference::EvalReport> report = reference::RunEval(*options, std::cout);
         return report ? report->exit_code() : Report(report.error());
       }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
