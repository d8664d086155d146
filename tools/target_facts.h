// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the Python programs behind `bundle` and `bisect` are told of a target: JSON, with placeholders filled in.
#ifndef OPBYOP_TOOLS_TARGET_FACTS_H_
#define OPBYOP_TOOLS_TARGET_FACTS_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::tools {

// Errors as FindTarget has them.
Expected<std::string> TargetFacts(const std::string& target, const std::filesystem::path& folder);

}  // namespace opbyop::tools

#endif  // OPBYOP_TOOLS_TARGET_FACTS_H_
