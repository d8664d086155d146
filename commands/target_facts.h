// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the Python programs behind `bundle` and `bisect` are told of a target: JSON, with placeholders filled in.
#ifndef OPBYOP_COMMANDS_TARGET_FACTS_H_
#define OPBYOP_COMMANDS_TARGET_FACTS_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::commands {

// Errors as FindTarget has them.
Expected<std::string> TargetFacts(const std::string& target, const std::filesystem::path& folder);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_TARGET_FACTS_H_
