// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/terminal_color.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace opbyop {
namespace {

class TerminalColorTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
  }
};

TEST_F(TerminalColorTest, ATerminalGetsColorsAndAFileDoesNot) {
  EXPECT_TRUE(WantsColor("auto", true));
  EXPECT_FALSE(WantsColor("auto", false));
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(WantsColor("auto", true));
}

TEST_F(TerminalColorTest, AnExplicitYesOrNoApplies) {
  for (const char* yes : {"yes", "YES", "true", "t", "1"}) EXPECT_TRUE(WantsColor(yes, false)) << yes;
  for (const char* no : {"no", "0", "false", ""}) EXPECT_FALSE(WantsColor(no, true)) << no;
}

TEST_F(TerminalColorTest, NoColorAppliesUnlessTheFlagSaysYes) {
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(WantsColor("auto", true));
  EXPECT_TRUE(WantsColor("yes", true));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(WantsColor("auto", true)) << "an empty one says nothing";
}

TEST_F(TerminalColorTest, OnlyTheTextIsColored) {
  EXPECT_EQ(Colored("no", Color::kRed, true), "\x1b[0;31mno\x1b[m");
  EXPECT_EQ(Colored("no", Color::kRed, false), "no");
}

}  // namespace
}  // namespace opbyop
