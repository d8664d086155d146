// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop bundle ROW: collects everything that a report of a failing row to the compiler's project needs.

#include <fmt/format.h>

#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/target_facts.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app =
      AddVerb(parent, "bundle",
              "Write the report of a failing row to its compiler's project: programs, inputs, commands, versions.",
              "opbyop bundle gem__power_7x7x16_f32_97017866 --run out/nightly --target iree -o finding");
  struct Arguments {
    std::string row;
    std::filesystem::path run = "out/nightly";
    std::string target = "host";
    std::string policy;
    uint64_t seed = 0;
    int64_t time_limit_s = 300;
    std::filesystem::path output;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("ROW", arguments->row, "<model>__<case id>, a case id, or a model")->required();
  app->add_option("--run", arguments->run, "Folder with manifest.yaml")->capture_default_str();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option("--policy", arguments->policy, "How inputs are generated; default: as in the results in --run");
  CLI::Option* const seed = app->add_option("--seed", arguments->seed, "Seed of the run");
  app->add_option("--time-limit", arguments->time_limit_s, "Seconds that reducing the program may take")
      ->check(CLI::Range(int64_t{1}, int64_t{30} * 24 * 3600))
      ->capture_default_str();
  app->add_option("-o,--output", arguments->output, "Folder of the bundle; its zip is written next to it")->required();
  return {app, [arguments, seed]() -> ExitCode {
            const Expected<std::string> facts = TargetFacts(arguments->target, arguments->output);
            if (!facts) return Report(facts.error());
            std::vector<std::string> argv = {
                arguments->row, "--run=" + arguments->run.string(), "--output=" + arguments->output.string(),
                fmt::format("--time-limit={}", arguments->time_limit_s), "--target-facts=" + *facts};
            if (!arguments->policy.empty()) argv.push_back("--policy=" + arguments->policy);
            if (seed->count() > 0) argv.push_back(fmt::format("--seed={}", arguments->seed));
            return ExecutePython("commands/bundle/finding_bundle.py", argv);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
