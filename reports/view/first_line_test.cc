// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/first_line.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

TEST(SafeTextTest, FirstLineIsTheFirstWithText) {
  EXPECT_EQ(FirstLine("\n  \n error: x \r\nnote"), "error: x");
  EXPECT_EQ(FirstLine(" \n"), "");
}

}  // namespace
}  // namespace opbyop::reports
