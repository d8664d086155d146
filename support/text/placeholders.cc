// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/placeholders.h"

#include <cstdlib>

namespace opbyop {

std::optional<std::string> VariableValue(std::string_view name) {
  constexpr std::string_view kVariable = "env:";
  if (!name.starts_with(kVariable)) return std::nullopt;
  const char* value = std::getenv(std::string(name.substr(kVariable.size())).c_str());
  return value == nullptr ? "" : value;
}

std::string ExpandPlaceholders(std::string_view text, const PlaceholderValue& value_of) {
  std::string expanded;
  while (!text.empty()) {
    const size_t open = text.find('{');
    expanded += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const size_t close = text.find('}');
    const std::optional<std::string> value =
        close == std::string_view::npos ? std::nullopt : value_of(text.substr(1, close - 1));
    expanded += value ? *value : "{";
    text.remove_prefix(value ? close + 1 : 1);
  }
  return expanded;
}

std::string ExpandPlaceholders(std::string_view text, const std::map<std::string_view, std::string>& values) {
  return ExpandPlaceholders(text, [&](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace opbyop
