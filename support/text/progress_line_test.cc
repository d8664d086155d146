// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/progress_line.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace opbyop {
namespace {

// The output of a line of this style after `use`.
template <typename Use>
std::string Printed(ProgressLine::Style style, Use use) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  {
    ProgressLine line(stream, style);
    use(line);
  }
  std::fclose(stream);
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return {text, size};
}

TEST(ProgressLineTest, TheLineOfATerminalIsUpdatedAndCleared) {
  EXPECT_EQ(Printed(ProgressLine::Style::kTty,
                    [](ProgressLine& line) {
                      line.Show("one");
                      line.Show("two");
                    }),
            "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K");
}

TEST(ProgressLineTest, ALogGetsLines) {
  EXPECT_EQ(Printed(ProgressLine::Style::kPlain, [](ProgressLine& line) { line.Show("one"); }), "one\n");
}

TEST(ProgressLineTest, QuietPrintsNothing) {
  EXPECT_EQ(Printed(ProgressLine::Style::kQuiet,
                    [](ProgressLine& line) {
                      EXPECT_FALSE(line.due());
                      line.Show("one");
                    }),
            "");
}

TEST(ProgressLineTest, AQuickCommandPrintsNoLine) {
  Printed(ProgressLine::Style::kPlain, [](ProgressLine& line) { EXPECT_FALSE(line.due()); });
}

TEST(ShareTextTest, SharesAreRounded) {
  EXPECT_EQ(ShareText(2, 3), "[     2/3]  67 %");
  EXPECT_EQ(ShareText(1, 3), "[     1/3]  33 %");
}

TEST(ShareTextTest, OnlyAllIsOneHundredPercentAndOnlyNothingIsZero) {
  EXPECT_EQ(ShareText(9999, 10000), "[  9999/10000]  99 %");
  EXPECT_EQ(ShareText(1, 10000), "[     1/10000]   1 %");
  EXPECT_EQ(ShareText(0, 10), "[     0/10]   0 %");
  EXPECT_EQ(ShareText(10, 10), "[    10/10] 100 %");
  EXPECT_EQ(ShareText(0, 0), "[     0/0] 100 %");
}

}  // namespace
}  // namespace opbyop
