// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop bisect ROW --good V1 --bad V2: finds the first version of a toolchain on PyPI with which the row fails in the
// same way.

#include <fmt/format.h>

#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/target_facts.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(
      parent, "bisect", "Find the first version of a toolchain from PyPI that fails a row.",
      "opbyop bisect gem__power_7x7x16_f32_97017866 --good 3.10.0 --bad 3.13.0 --run out/nightly --target iree");
  struct Arguments {
    std::string row;
    std::filesystem::path run = "out/nightly";
    std::string target = "host";
    std::string policy;
    uint64_t seed = 0;
    std::string good;
    std::string bad;
    std::vector<std::string> packages;
    std::filesystem::path cache;
    std::filesystem::path output;
    bool pre = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("ROW", arguments->row, "<model>__<case id>, or a case id")->required();
  app->add_option("--good", arguments->good, "A version with which the row does not fail in this way")->required();
  app->add_option("--bad", arguments->bad, "A version with which the row fails")->required();
  app->add_option("--run", arguments->run, "Folder with manifest.yaml")->capture_default_str();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option("--policy", arguments->policy, "How inputs are generated; default: as in a run of all rows");
  app->add_option("--seed", arguments->seed, "Seed of the run")->capture_default_str();
  app->add_option("--package", arguments->packages,
                  "Package whose version changes; may be repeated; default: the first of the target's "
                  "requirements, and those with the same version");
  app->add_flag("--pre", arguments->pre, "Try versions before a release, too");
  app->add_option("--cache", arguments->cache, "Where environments are kept; default ~/.cache/opbyop/bisect");
  app->add_option("-o,--output", arguments->output, "Folder of the table; default out/bisect/ROW");
  return {app, [arguments]() -> ExitCode {
            if (arguments->output.empty()) arguments->output = std::filesystem::path("out/bisect") / arguments->row;
            const Expected<std::string> facts = TargetFacts(arguments->target, arguments->output);
            if (!facts) return Report(facts.error());
            std::vector<std::string> argv = {arguments->row,
                                             "--good=" + arguments->good,
                                             "--bad=" + arguments->bad,
                                             "--run=" + arguments->run.string(),
                                             "--output=" + arguments->output.string(),
                                             fmt::format("--seed={}", arguments->seed),
                                             "--target-facts=" + *facts};
            for (const std::string& package : arguments->packages) argv.push_back("--package=" + package);
            if (!arguments->policy.empty()) argv.push_back("--policy=" + arguments->policy);
            if (!arguments->cache.empty()) argv.push_back("--cache=" + arguments->cache.string());
            if (arguments->pre) argv.emplace_back("--pre");
            return ExecutePython("commands/bisect/bisect_versions.py", argv);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
