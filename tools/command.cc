#include "tools/command.h"

namespace opbyop {

int RunVerb(CLI::App& app, std::span<const Command> commands, int argc, char** argv) {
  app.require_subcommand(1);
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

}  // namespace opbyop
