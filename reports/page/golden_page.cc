// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/golden_page.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reports {
namespace {

using nlohmann::json;

// A value that fits on one line is written on one line.
std::string Lines(const json& value, size_t indent) {
  constexpr size_t kLineWidth = 120;
  std::string text = value.dump();
  if (!value.is_structured() || value.empty() || text.size() + indent <= kLineWidth) return text;
  text = value.is_object() ? "{" : "[";
  for (const auto& [key, member] : value.items()) {
    text += (text.size() > 1 ? ",\n" : "\n") + std::string(indent + 1, ' ');
    if (value.is_object()) text += json(key).dump() + ": ";
    text += Lines(member, indent + 1);
  }
  return text + "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

json GoldenPage(std::string_view name, const json& data) {
  const std::string path = TestSource("reports/web/src/testdata/" + std::string(name));
  if (std::getenv("OPBYOP_UPDATE_GOLDEN") != nullptr && !WriteFile(path, Lines(data, 0) + "\n")) return nullptr;
  const Expected<std::string> text = ReadFile(path);
  return text ? json::parse(*text) : json();
}

json PackedField(const json& page, std::string_view kind, const json& item, std::string_view field) {
  const json& names = page.at("columns").at(std::string(kind));
  const auto found = std::ranges::find(names, json(field));
  if (found == names.end()) throw std::out_of_range(std::string(field));
  return item.at(static_cast<size_t>(found - names.begin()));
}

}  // namespace opbyop::reports
