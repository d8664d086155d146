// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop: splits models, runs their ops, reports. `opbyop --help` lists the verbs, each of which is a program of its own
// in the same folder: opbyop-split. Help, man page and completion are made from the verbs' help pages.

#include <algorithm>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "commands/cli_pages.h"
#include "commands/command.h"
#include "commands/execute.h"
#include "commands/help_page.h"
#include "support/start_program.h"

namespace opbyop::commands {
namespace {

bool AsksForHelp(std::span<char*> words) {
  for (const std::string_view word : words) {
    if (word == "--") return false;
    if (word == "-h" || word == "--help") return true;
  }
  return false;
}

int Main(int argc, char** argv) {
  CLI::App app(kOpbyopText, kOpbyop);
  AddProgramOptions(app);
  std::vector<Command> commands;
  for (const ShippedPage& page : ShippedPages()) {
    const Expected<CLI::App*> verb = AddPage(app, page.text);
    if (!verb) return static_cast<int>(Report(verb.error()));
    commands.push_back({*verb, [argv, name = VerbOf(page)] { return BecomeVerb(name, argv); }});
  }
  return RunVerb(app, commands, argc, argv);
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) {
  namespace commands = opbyop::commands;
  const std::span<char*> words(argv, static_cast<size_t>(argc));
  // The verb finds its process as this program's caller left it: StartProgram is for what happens here.
  const bool is_verb = argc > 1 && std::ranges::any_of(commands::ShippedPages(), [&](const auto& page) {
                         return commands::VerbOf(page) == argv[1];
                       });
  if (is_verb && !commands::AsksForHelp(words.subspan(2))) {
    return static_cast<int>(commands::BecomeVerb(argv[1], argv));
  }
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started) {
    return static_cast<int>(commands::Report(started.error()));
  }
  return commands::Main(argc, argv);
}
