// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The option that names a history, for the verbs that use one.
#ifndef OPBYOP_COMMANDS_HISTORY_OPTION_H_
#define OPBYOP_COMMANDS_HISTORY_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace opbyop::commands {

inline constexpr std::string_view kDefaultHistory = "out/history.db";

// Adds --db, with the variable OPBYOP_HISTORY; `where` has the default.
void AddHistoryOption(CLI::App& app, std::string& where);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_HISTORY_OPTION_H_
