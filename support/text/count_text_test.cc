// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/count_text.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(CountTextTest, DigitsAreGroupedByThree) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(-123456), "-123,456");
}

TEST(CountTextTest, OnlyOneIsSingular) {
  EXPECT_EQ(CountText(0, "case"), "0 cases");
  EXPECT_EQ(CountText(1, "case"), "1 case");
  EXPECT_EQ(CountText(12345u, "case"), "12,345 cases");
}

TEST(CountTextTest, UnnamedTextsAreCounted) {
  EXPECT_EQ(SomeOf({}, 2), "");
  EXPECT_EQ(SomeOf({"add", "tanh"}, 2), "add, tanh");
  EXPECT_EQ(SomeOf({"add", "tanh", "sort"}, 2), "add, tanh and 1 more");
}

}  // namespace
}  // namespace opbyop
