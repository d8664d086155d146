// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces names in braces by their values.
//
//   ExpandPlaceholders("{bin}/worker --pass=f{x=1}", {{"bin", "/usr/bin"}})   // "/usr/bin/worker --pass=f{x=1}"
//
// Any other text in braces is left as it is, and values are not expanded again.
#ifndef OPBYOP_SUPPORT_TEXT_PLACEHOLDERS_H_
#define OPBYOP_SUPPORT_TEXT_PLACEHOLDERS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace opbyop {

// The value of `name`, or nullopt if it is no placeholder.
using PlaceholderValue = std::function<std::optional<std::string>(std::string_view name)>;

// Returns the variable's value for "env:NAME" (empty if it is not set), and nullopt for any other name.
std::optional<std::string> VariableValue(std::string_view name);

std::string ExpandPlaceholders(std::string_view text, const PlaceholderValue& value_of);
std::string ExpandPlaceholders(std::string_view text, const std::map<std::string_view, std::string>& values);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_PLACEHOLDERS_H_
