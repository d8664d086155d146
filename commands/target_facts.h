// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts of a target for the Python programs of `bundle` and `bisect`: JSON, with placeholders replaced.
#ifndef OPBYOP_COMMANDS_TARGET_FACTS_H_
#define OPBYOP_COMMANDS_TARGET_FACTS_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::commands {

// Returns the errors of FindTarget.
Expected<std::string> TargetFacts(const std::string& target, const std::filesystem::path& folder);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_TARGET_FACTS_H_
