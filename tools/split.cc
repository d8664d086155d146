// opbyop split MODEL... -o DIR

#include <iostream>
#include <memory>

#include "generator/split_command.h"
#include "tools/commands.h"

namespace opbyop {

Command SplitCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("split", "Write one file per distinct op of the models, and their manifest.");
  auto command = std::make_shared<SplitCommand>();
  app->add_option("MODEL", command->models, "Files (text, bytecode, portable artifact), NAME=FILE, or folders")
      ->required();
  app->add_option("-o,--output", command->output, "Folder for manifest.yaml and cases/")->required();
  app->add_option("--entry", command->options.entry, "Function to split")->capture_default_str();
  app->add_option("--fold-limit", command->options.fold_limit,
                  "Constants up to this many bytes are folded into their op; larger ones become arguments")
      ->capture_default_str();
  app->add_flag("--vary-constants", command->options.vary_constants,
                "Give an op of nothing but constants arguments instead, so that it runs on the device");
  app->add_flag("-q,--quiet", command->quiet, "No line per model");
  return {app, [command] { return RunSplit(*command, std::cout, std::cerr); }};
}

}  // namespace opbyop
