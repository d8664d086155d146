// opbyop eval FILE [--input a.npy]...

#include <iostream>
#include <memory>

#include "reference/eval_command.h"
#include "tools/commands.h"

namespace opbyop {

Command EvalCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("eval", "Evaluate @main with the reference; a failed check ends with 1.");
  auto options = std::make_shared<EvalCommandOptions>();
  app->add_option("FILE", options->file, "StableHLO as text, bytecode or portable artifact")->required();
  app->add_option("--input", options->inputs, "An argument as .npy, in order; seeded inputs where there are none");
  app->add_option("-o,--output", options->output_dir, "Folder for result_<i>.npy");
  app->add_flag("--split-input-file", options->split_input_file, "Judge each section between `// -----` by itself");
  app->add_option("--seed", options->seed, "Seed of drawn inputs")->capture_default_str();
  app->add_option("--policy", options->policy, "How inputs are drawn")->capture_default_str();
  app->add_flag("-q,--quiet", options->quiet, "Results are not printed");
  return {app, [options] {
            const Expected<EvalReport> report = RunEval(*options, std::cout);
            return report ? report->exit_code() : Report(report.error());
          }};
}

}  // namespace opbyop
