// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/placeholders.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

std::string Expand(std::string_view text) {
  return ExpandPlaceholders(text, {{"bin", "/bin"}, {"file", "{bin}.yaml"}});
}

TEST(PlaceholdersTest, EveryPlaceholderIsReplaced) { EXPECT_EQ(Expand("{bin}/w{bin}"), "/bin/w/bin"); }

TEST(PlaceholdersTest, OtherBracesStay) { EXPECT_EQ(Expand("module(f{opt=1 x={2}}) {}"), "module(f{opt=1 x={2}}) {}"); }

TEST(PlaceholdersTest, APlaceholderInsideOtherBracesIsReplaced) { EXPECT_EQ(Expand("{a={bin}}"), "{a=/bin}"); }

TEST(PlaceholdersTest, AnUnclosedBraceStays) { EXPECT_EQ(Expand("{bin"), "{bin"); }

TEST(PlaceholdersTest, AValueIsNotExpandedAgain) { EXPECT_EQ(Expand("{file}"), "{bin}.yaml"); }

}  // namespace
}  // namespace opbyop
