// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/shell_quote.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ShellQuoteTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellCommand({"build/bin/opbyop", "run", "--target=host"}), "build/bin/opbyop run --target=host");
}

TEST(ShellQuoteTest, WhatAShellWouldReadOtherwiseIsQuoted) {
  EXPECT_EQ(ShellQuote("*conv*"), "'*conv*'");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("it's"), R"('it'\''s')");
  EXPECT_EQ(ShellQuote("a\nb"), "'a\nb'");
}

}  // namespace
}  // namespace opbyop
