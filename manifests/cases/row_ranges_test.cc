// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/row_ranges.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(RowRangesTest, NeighboursBecomeARange) { EXPECT_EQ(FormatRows({0, 1, 2, 7, 9, 10}), "0-2,7,9-10"); }

TEST(RowRangesTest, NoRowIsNotAllRows) {
  EXPECT_EQ(FormatRows({}), "none");
  EXPECT_EQ(ParseRows("none", 3), std::vector<bool>(3));
}

TEST(RowRangesTest, FormattedRangesAreParsedBack) {
  const auto chosen = ParseRows("0-2,7", 9);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(*chosen, (std::vector<bool>{true, true, true, false, false, false, false, true, false}));
}

TEST(RowRangesTest, ATextThatIsNoListOfRowsIsRefused) {
  for (const char* text : {"x", "1-", "-1", "3-2", "9", "1,,2", "0-9", "1;2", " 1", "4,2", "1-3,3-4", "2,2"}) {
    EXPECT_FALSE(ParseRows(text, 9)) << text;
  }
}

TEST(RowRangesTest, MemoryDependsOnTheTextNotOnTheClaimedNumberOfRows) {
  const auto ranges = ParseRowRanges("0-2,7-999999999999999998", 1'000'000'000'000'000'000);
  ASSERT_TRUE(ranges);
  EXPECT_EQ(ranges->size(), 2u);
  EXPECT_EQ(FormatRowRanges(*ranges), "0-2,7-999999999999999998");
}

}  // namespace
}  // namespace opbyop
