// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/log_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using testing::ElementsAre;

TEST(LogTailTest, KeepsTheLastBytesOnly) {
  LogTail tail(8);
  for (int i = 0; i < 1000; ++i) tail.Append("abc");
  tail.Append("xyz");
  EXPECT_EQ(tail.text(), "bcabcxyz");
}

TEST(LogTailTest, APieceLongerThanTheLimitIsCutToItsEnd) {
  LogTail tail(4);
  tail.Append("old");
  tail.Append("0123456789");
  EXPECT_EQ(tail.text(), "6789");
}

TEST(LogTailTest, GivesTheLastLines) {
  LogTail tail(1000);
  tail.Append("one\ntwo\nthree");
  EXPECT_THAT(tail.Lines(2), ElementsAre("two", "three"));
  EXPECT_THAT(tail.Lines(9), ElementsAre("one", "two", "three"));
}

TEST(LogTailTest, CutsEndlessLines) {
  LogTail tail(10000);
  tail.Append(std::string(5000, 'x'));
  EXPECT_LT(tail.Lines(1)[0].size(), LogTail::kMaxLineBytes + 50);
  EXPECT_THAT(tail.Lines(1)[0], testing::EndsWith("[cut: 5000 bytes]"));
}

TEST(LogTailTest, LinesAreTextWhateverWasPrinted) {
  LogTail tail(1000);
  tail.Append("\x1b[1mbold\x1b[0m \xff\n");
  EXPECT_THAT(tail.Lines(1), ElementsAre("bold \uFFFD"));
}

TEST(CauseOfDeathTest, FindsTheAssertionAmongTheNoise) {
  EXPECT_EQ(
      CauseOfDeath("warning: x\nopt: a.h:49: T f(): Assertion `a' failed.\nPLEASE submit a bug report to y\n 0. z\n"),
      "opt: a.h:49: T f(): Assertion `a' failed.");
}

TEST(CauseOfDeathTest, TakesTheMessageBeforeLlvmsRequest) {
  EXPECT_EQ(CauseOfDeath("Unsupported element type.\nPLEASE submit a bug report to y\nStack dump:\n"),
            "Unsupported element type.");
}

TEST(CauseOfDeathTest, SaysNothingWhereNothingIsSaid) { EXPECT_EQ(CauseOfDeath("compiling\n"), ""); }

}  // namespace
}  // namespace opbyop
