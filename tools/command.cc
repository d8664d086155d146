// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/command.h"

#include <iostream>

#include "tools/cli_pages.h"
#include "tools/version.h"

namespace opbyop::tools {

int RunVerb(CLI::App& app, std::span<const Command> commands, int argc, char** argv) {
  app.require_subcommand(1);
  app.set_version_flag("--version", app.get_name() + " " + Version());
  app.add_option_function<std::string>(
         "--print",
         [&app](const std::string& page) {
           std::cout << CliPage(app, page) << std::flush;
           throw CLI::Success();
         },
         "Print the man page, or a shell's completion")
      ->check(CLI::IsMember(CliPages()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return static_cast<int>(command.run());
  }
  return static_cast<int>(ExitCode::kUsage);
}

std::vector<std::string> TypedCommand(const CLI::App& verb) {
  std::vector<std::string> positional = {verb.get_parent()->get_name(), verb.get_name()};
  std::vector<std::string> named;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    const bool is_flag = option->get_expected_max() == 0;
    std::vector<std::string>& words = option->get_positional() ? positional : named;
    if (&words == &named) named.push_back(option->get_name());
    if (!is_flag) words.insert(words.end(), option->results().begin(), option->results().end());
  }
  positional.insert(positional.end(), named.begin(), named.end());
  return positional;
}

}  // namespace opbyop::tools
