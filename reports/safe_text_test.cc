#include "reports/safe_text.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(SafeTextTest, FirstLineIsTheFirstWithText) {
  EXPECT_EQ(FirstLine("\n  \n error: x \r\nnote"), "error: x");
  EXPECT_EQ(FirstLine(" \n"), "");
}

TEST(SafeTextTest, ThousandsAreGrouped) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(-123456), "-123,456");
}

}  // namespace
}  // namespace opbyop
