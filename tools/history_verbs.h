// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the verbs that ask a history have in common.
#ifndef OPBYOP_TOOLS_HISTORY_VERBS_H_
#define OPBYOP_TOOLS_HISTORY_VERBS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace opbyop::tools {

inline constexpr std::string_view kDefaultHistory = "out/history.db";

// --db, or the variable OPBYOP_HISTORY; `where` holds the default.
void AddHistoryOption(CLI::App& app, std::string& where);

}  // namespace opbyop::tools

#endif  // OPBYOP_TOOLS_HISTORY_VERBS_H_
