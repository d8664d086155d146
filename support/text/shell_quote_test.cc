// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/shell_quote.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ShellQuoteTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellCommand({"build/bin/opbyop", "run", "--target=host"}), "build/bin/opbyop run --target=host");
}

TEST(ShellQuoteTest, SpecialCharactersOfTheShellAreQuoted) {
  EXPECT_EQ(ShellQuote("*conv*"), "'*conv*'");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellQuote("a\nb"), "'a\nb'");
}

TEST(ShellQuoteTest, AProgramMayHaveAnyName) {
  EXPECT_EQ(ShellCommand({"A=b", "c=d"}), "'A=b' c=d");
  EXPECT_EQ(ShellCommand({"if", "if"}), "'if' if");
}

TEST(ShellQuoteTest, ACommentEndsWithItsLine) {
  EXPECT_EQ(ShellComment("1.0\nrm -rf /\r\x1b[2J\tx"), "1.0 rm -rf /  x");
}

}  // namespace
}  // namespace opbyop
