// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop repro ROW: runs one row again, alone, and keeps all its files in a folder.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "harness/run/kept_cases.h"
#include "manifests/cases/find_row.h"
#include "manifests/cases/manifest.h"
#include "manifests/targets/find_target.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "repro", "Run one row again and keep every stage's IR and tensors.",
                          "opbyop repro resnet18__add_1x64x56x56_f32_1a2b3c4d --run out/nightly --target xla");
  struct Arguments {
    std::string row;
    std::filesystem::path run = "out/nightly";
    std::string target = "host";
    std::string policy;
    std::vector<std::string> meanings;
    std::filesystem::path output;
    uint64_t seed = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("ROW", arguments->row, "<model>__<case id>, or a case id")->required();
  app->add_option("--run", arguments->run, "Folder with manifest.yaml")->capture_default_str();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option("--policy", arguments->policy, "How inputs are generated; default: as in a run of all rows");
  app->add_option("--meaning", arguments->meanings, "Definitions of custom calls, as in the run")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--seed", arguments->seed, "Seed of the run")->capture_default_str();
  app->add_option("-o,--output", arguments->output, "Folder for IR, tensors and logs; default out/repro/ROW");
  return {app, [arguments]() -> ExitCode {
            const Expected<Target> target = FindTarget(arguments->target, arguments->run);
            if (!target) return Report(target.error());
            const Expected<Manifest> manifest = harness::LoadCases(arguments->run / "manifest.yaml", *target);
            if (!manifest) return Report(manifest.error());
            const Expected<Row> found = FindRow(*manifest, arguments->row);
            if (!found) return Report(found.error());
            const std::string row = RowName(*found);
            if (arguments->output.empty()) arguments->output = std::filesystem::path("out/repro") / row;
            std::cout << "everything of " << row << " goes to " << arguments->output.string() << '\n';
            std::vector<std::string> argv = {"--manifest=" + manifest->path.string(),
                                             "--target=" + arguments->target,
                                             fmt::format("--seed={}", arguments->seed),
                                             "--fresh-seed=none",
                                             "--out=" + arguments->output.string(),
                                             "--keep=" + arguments->output.string(),
                                             "--jobs=1",
                                             "--reports=off",
                                             "--progress=gtest",
                                             "--gtest_filter=*/" + row};
            if (!arguments->policy.empty()) argv.push_back("--policy=" + arguments->policy);
            for (const std::string& file : arguments->meanings) argv.push_back("--meaning=" + file);
            return ExecuteSibling("conformance", argv);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
