// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "support/text/safe_text.h"

namespace opbyop::reports {
namespace {

// The width on a terminal, in characters, not bytes.
size_t Width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string TableText(const Table& table) {
  std::vector<size_t> widths(table.head.size());
  for (size_t i = 0; i < widths.size(); ++i) {
    widths[i] = Width(table.head[i]);
    for (const Cells& row : table.body) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  const auto line = [&](const Cells& cells) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths[i] - Width(cells[i]), ' ');
      text += i == 0 ? cells[i] + pad : "  " + pad + cells[i];
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  line(table.head);
  for (const Cells& row : table.body) line(row);
  return out;
}

std::string MarkdownCell(std::string_view text) {
  constexpr std::string_view kMarkup = "|\\`*_<[~&$";
  std::string out;
  for (const char c : SafeLine(text, text.size())) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string mark(longest + 1, '`');
  const std::string_view blank = longest > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", mark, blank, SafeLine(text, text.size()), blank, mark);
}

std::string TableMarkdown(const Table& table) {
  std::string out;
  const auto line = [&](const Cells& cells) {
    for (const std::string& cell : cells) out += "| " + MarkdownCell(cell) + " ";
    out += "|\n";
  };
  line(table.head);
  for (size_t i = 0; i < table.head.size(); ++i) out += i == 0 ? "|---" : "|---:";
  out += "|\n";
  for (const Cells& row : table.body) line(row);
  return out;
}

}  // namespace opbyop::reports
