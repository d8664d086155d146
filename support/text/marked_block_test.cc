// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/marked_block.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(MarkedBlockTest, ReplacesTheTextBetweenTheMarks) {
  EXPECT_EQ(ReplaceMarkedBlock("a<b>old<e>c", "<b>", "<e>", "new").value(), "a<b>new<e>c");
}

TEST(MarkedBlockTest, APageWithoutBothMarksInOrderIsRefused) {
  for (const char* page : {"", "<b>", "<e>", "<e><b>"}) {
    EXPECT_FALSE(ReplaceMarkedBlock(page, "<b>", "<e>", "new").has_value()) << page;
  }
}

}  // namespace
}  // namespace opbyop
