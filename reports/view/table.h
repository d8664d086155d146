// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A small table, for a terminal and as Markdown.
//
//   Table table{{"stage", "rows"}, {{"parse", "12"}, {"compile", "9"}}};
//   std::cout << TableText(table);
#ifndef OPBYOP_REPORTS_VIEW_TABLE_H_
#define OPBYOP_REPORTS_VIEW_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop::reports {

using Cells = std::vector<std::string>;

// The first column is left-aligned, the others right.
struct Table {
  Cells head;
  std::vector<Cells> body;
};

std::string TableText(const Table& table);
std::string TableMarkdown(const Table& table);

// Text as one cell of a Markdown table, without markup.
std::string MarkdownCell(std::string_view text);

// Text as inline code, whatever characters it has.
std::string MarkdownCode(std::string_view text);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_TABLE_H_
