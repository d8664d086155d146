// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace opbyop {

namespace {

constexpr std::string_view kMark = "// -----";

}  // namespace

std::vector<Section> SectionsOf(std::string_view text) {
  std::vector<Section> sections;
  int line = 1;
  while (true) {
    const size_t mark = text.find(kMark);
    const std::string_view part = text.substr(0, mark);
    sections.push_back({line, std::string(static_cast<size_t>(line - 1), '\n').append(part)});
    if (mark == std::string_view::npos) return sections;
    line += static_cast<int>(std::ranges::count(part, '\n'));
    text.remove_prefix(mark + kMark.size());
  }
}

bool IsEmpty(const Section& section) {
  std::istringstream lines(section.text);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string::npos && line.compare(begin, 2, "//") != 0) return false;
  }
  return true;
}

std::string AboutSections(std::string_view text) {
  size_t sections = 1;
  for (size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) ++sections;
  if (sections == 1) return "";
  return fmt::format("; the file has {} sections, with `{}` between them: --split-input-file takes each by itself",
                     sections, kMark);
}

}  // namespace opbyop
