// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/replace_all.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(ReplaceAllTest, EveryOccurrenceIsReplaced) {
  EXPECT_EQ(ReplaceAll("{bin}/a {bin}/b", "{bin}", "/usr/bin"), "/usr/bin/a /usr/bin/b");
}

TEST(ReplaceAllTest, InsertedTextIsNotReplacedAgain) { EXPECT_EQ(ReplaceAll("a", "a", "aa"), "aa"); }

TEST(ReplaceAllTest, TextWithoutAnOccurrenceIsUnchanged) { EXPECT_EQ(ReplaceAll("plain", "{bin}", "x"), "plain"); }

}  // namespace
}  // namespace opbyop
