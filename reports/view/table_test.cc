// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace opbyop::reports {
namespace {

// Texts that a page or a terminal could interpret as markup or commands.
constexpr std::array<std::string_view, 6> kHostile = {
    "a | b\n| c",   "```\n# x", "<script>alert(1)</script>", "[x](http://y) ![z](w)", "~~a~~ $b$ &lt; _c_ *d*",
    "\x1b[2Jx\r\ny"};

TEST(MarkdownCellTest, NothingInItIsMarkup) {
  for (const std::string_view text : kHostile) {
    const std::string cell = MarkdownCell(text);
    EXPECT_EQ(cell.find_first_of("\n\r\x1b"), std::string::npos) << cell;
    for (size_t i = 0; i < cell.size(); ++i) {
      const bool markup = std::string_view("|`*_<[~&$").find(cell[i]) != std::string_view::npos;
      EXPECT_TRUE(!markup || (i > 0 && cell[i - 1] == '\\')) << cell;
    }
  }
}

TEST(MarkdownCodeTest, ItsBackticksOutnumberThoseInTheText) {
  EXPECT_EQ(MarkdownCode("opbyop repro x"), "`opbyop repro x`");
  EXPECT_EQ(MarkdownCode("a `b` ``c``"), "``` a `b` ``c`` ```");
  EXPECT_EQ(MarkdownCode("a\nb"), "`a b`");
}

TEST(TableMarkdownTest, ARowIsALineWhateverIsInIt) {
  for (const std::string_view text : kHostile) {
    const std::string table = TableMarkdown({{"h", "i"}, {{std::string(text), std::string(text)}}});
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  }
}

}  // namespace
}  // namespace opbyop::reports
