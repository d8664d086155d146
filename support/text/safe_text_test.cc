// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/safe_text.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(SafeTextTest, ValidTextStaysAsItIs) {
  const std::string text = "tensor<2xf32> \"µ\" \xF0\x9F\x98\x80\t\n";
  EXPECT_EQ(SafeText(text), text);
}

TEST(SafeTextTest, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(SafeText("a\xff"), "a\uFFFD");
  EXPECT_EQ(SafeText("a\xC3"), "a\uFFFD") << "cut inside a character";
  EXPECT_EQ(SafeText("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(SafeText("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(SafeText("\xF5\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "past the last code point";
}

TEST(SafeTextTest, CharactersThatXmlForbidsAreReplaced) {
  EXPECT_EQ(SafeText(std::string("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(SafeText("\x01\x0b\x7f"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(SafeText("\xEF\xBF\xBE"), "\uFFFD");
}

TEST(SafeTextTest, TerminalColorsAreRemoved) {
  EXPECT_EQ(SafeText("\x1b[0;1;31merror: \x1b[0mx"), "error: x");
  EXPECT_EQ(SafeText("\x1b[31"), "\uFFFD[31") << "unfinished";
}

TEST(SafeTextTest, ShorteningCutsBetweenCharacters) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcdefg", 6), "abc…");
  EXPECT_EQ(Shorten("abµµµµ", 6), "ab…");
  EXPECT_LE(Shorten(std::string(1000, 'x'), 500).size(), 500u);
}

TEST(SafeTextTest, ControlCharactersOfEightBitsAreReplaced) {
  EXPECT_EQ(SafeText("\xC2\x9B"
                     "31m"),
            "\uFFFD31m")
      << "the escape of a terminal in one character";
}

TEST(SafeTextTest, ALineContainsNoLineEnds) { EXPECT_EQ(SafeLine("a\r\nb\n", 10), "a  b "); }

TEST(SafeTextTest, ACutLineSaysHowLongItWas) {
  EXPECT_EQ(SafeLine("abcdef", 6), "abcdef");
  EXPECT_EQ(SafeLine("abcdefg", 6), "abc… [cut: 7 bytes]");
}

}  // namespace
}  // namespace opbyop
