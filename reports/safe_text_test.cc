#include "reports/safe_text.h"

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

TEST(SafeTextTest, ColoursOfTheTerminalGo) {
  EXPECT_EQ(SafeText("\x1b[0;1;31merror: \x1b[0mx"), "error: x");
  EXPECT_EQ(SafeText("\x1b[31"), "\uFFFD[31") << "unfinished";
}

TEST(SafeTextTest, FirstLineIsTheFirstWithText) {
  EXPECT_EQ(FirstLine("\n  \n error: x \r\nnote"), "error: x");
  EXPECT_EQ(FirstLine(" \n"), "");
}

TEST(SafeTextTest, ShorteningCutsBetweenCharacters) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcdefg", 6), "abc…");
  EXPECT_EQ(Shorten("abµµµµ", 6), "ab…");
  EXPECT_LE(Shorten(std::string(1000, 'x'), 500).size(), 500u);
}

TEST(SafeTextTest, ThousandsAreGrouped) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(-123456), "-123,456");
}

}  // namespace
}  // namespace opbyop
