// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/history_option.h"

namespace opbyop::commands {

void AddHistoryOption(CLI::App& app, std::string& where) {
  app.add_option("--db", where, "The history: a file, or postgresql://USER@HOST/NAME")
      ->envname("OPBYOP_HISTORY")
      ->capture_default_str();
}

}  // namespace opbyop::commands
