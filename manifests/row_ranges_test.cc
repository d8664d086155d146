// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/row_ranges.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(RowRangesTest, NeighboursBecomeARange) { EXPECT_EQ(FormatRowRanges({0, 1, 2, 7, 9, 10}), "0-2,7,9-10"); }

TEST(RowRangesTest, NoRowIsNotAllRows) {
  EXPECT_EQ(FormatRowRanges({}), "none");
  EXPECT_EQ(ParseRowRanges("none", 3), std::vector<bool>(3));
}

TEST(RowRangesTest, WhatIsFormattedIsParsedBack) {
  const auto chosen = ParseRowRanges("0-2,7", 9);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(*chosen, (std::vector<bool>{true, true, true, false, false, false, false, true, false}));
}

TEST(RowRangesTest, WhatIsNoListOfRowsIsRefused) {
  for (const char* text : {"x", "1-", "-1", "3-2", "9", "1,,2", "0-9", "1;2", " 1"}) {
    EXPECT_FALSE(ParseRowRanges(text, 9)) << text;
  }
}

}  // namespace
}  // namespace opbyop
