// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/placeholders.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "support/placeholders.h"

namespace opbyop::command {
namespace {

constexpr std::string_view kVariable = "env:";

// What the text between braces stands for; nullopt where it is not a placeholder.
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
  if (!name.starts_with(kVariable)) return std::nullopt;
  const char* value = std::getenv(std::string(name.substr(kVariable.size())).c_str());
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

std::vector<std::string> MissingVariables(std::string_view argument) {
  std::vector<std::string> missing;
  constexpr std::string_view kOpening = "{env:";
  for (size_t at = argument.find(kOpening); at != std::string_view::npos; at = argument.find(kOpening, at + 1)) {
    const size_t begin = at + kOpening.size();
    const size_t close = argument.find('}', begin);
    if (close == std::string_view::npos) break;
    std::string name(argument.substr(begin, close - begin));
    if (std::getenv(name.c_str()) == nullptr) missing.push_back(std::move(name));
  }
  return missing;
}

}  // namespace opbyop::command
