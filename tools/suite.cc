// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop suite NAME -o DIR

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "generator/suite/suite_command.h"
#include "support/project_folder.h"
#include "tools/commands.h"

namespace opbyop::tools {

Command SuiteCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("suite", "Write the cases of a suite that is made from the specification.");
  auto command = std::make_shared<generator::SuiteCommand>();
  auto name = std::make_shared<std::string>();
  app->add_option("NAME", *name, "The suite")->required()->check(CLI::IsMember({"stablehlo"}));
  CLI::Option* output = app->add_option("-o,--output", command->output, "Folder for manifest.yaml and cases/");
  CLI::Option* coverage =
      app->add_option("--coverage", command->coverage, "Write what the suite covers as a page, and no cases");
  output->excludes(coverage);
  app->add_option("--level", command->level, "smoke: each value of a recipe once; full: every pair of values")
      ->transform(CLI::CheckedTransformer(std::map<std::string, generator::Level>{{"smoke", generator::Level::kSmoke},
                                                                                  {"full", generator::Level::kFull}}))
      ->default_str("smoke");
  app->add_option("--op", command->ops, "Only ops whose name matches: add, chlo.*, *dot*")->capture_default_str();
  return {app, [command, name] {
            if (command->output.empty() && command->coverage.empty()) {
              return Report({ExitCode::kUsage, "suite: -o DIR or --coverage FILE is required"});
            }
            command->suite = ProjectFolder() / "generator/suite" / *name;
            return generator::RunSuite(*command, std::cout, std::cerr);
          }};
}

}  // namespace opbyop::tools
