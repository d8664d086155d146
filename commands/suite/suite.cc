// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop suite NAME -o DIR

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "commands/command.h"
#include "commands/execute.h"
#include "generator/suite/mesh_ways.h"
#include "generator/suite/suite_command.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "suite", "Write the cases of a suite that is made from the specification.",
                          "opbyop suite stablehlo -o out/suite");
  auto command = std::make_shared<generator::SuiteCommand>();
  auto name = std::make_shared<std::string>();
  app->add_option("NAME", *name, "The suite")->required()->check(CLI::IsMember({"stablehlo"}));
  CLI::Option* output = app->add_option("-o,--output", command->output, "Folder for manifest.yaml and cases/");
  CLI::Option* coverage =
      app->add_option("--coverage", command->coverage,
                      "Write only pages about what the suite covers: this file, and coverage-sentences.md next "
                      "to it");
  output->excludes(coverage);
  auto locks = std::make_shared<bool>(false);
  CLI::Option* lock =
      app->add_flag("--lock", *locks, "Bring the committed list of cases and the page of changes up to date");
  lock->excludes(output)->excludes(coverage);
  CLI::Option* level = AddChoice<generator::Level>(
      *app, "--level", command->level, {{"smoke", generator::Level::kSmoke}, {"full", generator::Level::kFull}},
      "smoke: each value of a recipe once; full: every pair of values");
  CLI::Option* pairs =
      app->add_flag("--pairs", command->pairs, "Write programs of two ops, chosen by what compilers fuse")
          ->excludes(lock);
  auto shape = std::make_shared<std::string>();
  CLI::Option* mesh =
      app->add_option("--mesh", *shape, "Write programs for the devices of a mesh, as 2x4: sharded ops and collectives")
          ->excludes(lock)
          ->excludes(pairs);
  app->add_flag("--refused", command->refused,
                "Write the programs that every compiler must refuse; each breaks one constraint")
      ->excludes(level)
      ->excludes(pairs)
      ->excludes(mesh)
      ->excludes(coverage)
      ->excludes(lock);
  app->add_option("--op", command->ops, "Only ops with matching names: add, chlo.*, *dot*")->capture_default_str();
  return {app, [command, name, locks, shape] {
            if (*locks && IsInstalled()) {
              return Report({ExitCode::kUsage, "suite: --lock writes to a checkout, and this program is installed"});
            }
            if (!shape->empty()) command->mesh = generator::ParseMesh(*shape);
            if (!shape->empty() && !command->mesh) {
              return Report(
                  {ExitCode::kUsage, fmt::format("suite: --mesh {}: expected the devices along two axes, as 2x4, from "
                                                 "2 to {} in all",
                                                 *shape, generator::kMostMeshDevices)});
            }
            if (*locks) command->changes = ProjectFolder() / "docs/suite-changes.md";
            if (command->output.empty() && command->coverage.empty() && command->changes.empty()) {
              return Report({ExitCode::kUsage, "suite: -o DIR, --coverage FILE or --lock is required"});
            }
            command->suite = ProjectFolder() / "generator/suite" / *name;
            return generator::RunSuite(*command, std::cout, std::cerr);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
