// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace opbyop {
namespace {

TEST(PatternTest, IsFoundAnywhere) {
  const Expected<Pattern> pattern = Pattern::Compile(R"(legalize \w+$)");
  ASSERT_TRUE(pattern) << pattern.error().message;
  EXPECT_TRUE(pattern->IsFoundIn("failed to legalize it"));
  EXPECT_FALSE(pattern->IsFoundIn("failed to legalize it here"));
}

TEST(PatternTest, ALongTextIsSearchedToItsEnd) {
  const Expected<Pattern> pattern = Pattern::Compile("(x+)+y");
  ASSERT_TRUE(pattern) << pattern.error().message;
  EXPECT_TRUE(pattern->IsFoundIn(std::string(1 << 20, 'x') + "y"));
  EXPECT_FALSE(pattern->IsFoundIn(std::string(1 << 20, 'x')));
}

TEST(PatternTest, InvalidUtf8IsMatched) {
  EXPECT_TRUE(
      Pattern::Compile("a..b")->IsFoundIn("a\xff\x80"
                                          "b"));
  EXPECT_TRUE(Pattern::Compile("\xc3\xa4")->IsFoundIn("b\xc3\xa4r"));
}

TEST(PatternTest, PatternsThatNeedMoreThanLinearTimeAreRefused) {
  for (const char* text : {"(a", "a(?=b)", R"((a)\1)"}) {
    const Expected<Pattern> pattern = Pattern::Compile(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_NE(pattern.error().message.find("is no regular expression"), std::string::npos) << pattern.error().message;
  }
}

}  // namespace
}  // namespace opbyop
