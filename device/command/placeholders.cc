// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/placeholders.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/text/placeholders.h"

namespace opbyop::command {
namespace {

constexpr std::string_view kVariable = "env:";
constexpr std::string_view kVariableOfFile = "env_file:";

// The variable that a placeholder names, or nullopt if it names none.
std::optional<std::string> VariableOf(std::string_view name) {
  for (const std::string_view prefix : {kVariable, kVariableOfFile}) {
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  }
  return std::nullopt;
}

// The replacement of the text between braces, or nullopt if it is no placeholder.
std::optional<std::string> ValueOf(std::string_view name, const Placeholders& values) {
  const std::array<std::pair<std::string_view, const std::string*>, 7> known = {{{"input", &values.input},
                                                                                 {"output", &values.output},
                                                                                 {"dir", &values.dir},
                                                                                 {"case", &values.case_id},
                                                                                 {"bin", &values.bin},
                                                                                 {"root", &values.root},
                                                                                 {"target_dir", &values.target_dir}}};
  for (const auto& [key, value] : known) {
    if (key == name) return *value;
  }
  const std::optional<std::string> variable = VariableOf(name);
  if (!variable) return std::nullopt;
  const char* value = std::getenv(variable->c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

std::string Expand(std::string_view argument, const Placeholders& values) {
  return ExpandPlaceholders(argument, [&](std::string_view name) { return ValueOf(name, values); });
}

std::vector<std::string> Expand(const std::vector<std::string>& argv, const Placeholders& values) {
  std::vector<std::string> expanded;
  expanded.reserve(argv.size());
  for (const std::string& argument : argv) expanded.push_back(Expand(argument, values));
  return expanded;
}

std::optional<std::string> MissingVariable(std::string_view argument) {
  std::optional<std::string> missing;
  const auto look = [&](std::string_view name) -> std::optional<std::string> {
    const std::optional<std::string> variable = VariableOf(name);
    if (!variable) return std::nullopt;
    const char* value = std::getenv(variable->c_str());
    if (value == nullptr) {
      if (!missing) missing = fmt::format("the environment variable {} is not set", *variable);
      return "";
    }
    std::error_code error;
    if (name.starts_with(kVariableOfFile) && !std::filesystem::is_regular_file(value, error) && !missing) {
      missing = fmt::format("the environment variable {} names {}, which is no file", *variable,
                            *value == '\0' ? "nothing" : value);
    }
    return value;
  };
  (void)ExpandPlaceholders(argument, look);
  return missing;
}

}  // namespace opbyop::command
