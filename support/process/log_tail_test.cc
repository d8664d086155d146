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

TEST(LogTailTest, ReturnsTheLastLines) {
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

TEST(LogTailTest, LinesAreValidTextForAnyOutput) {
  LogTail tail(1000);
  tail.Append("\x1b[1mbold\x1b[0m \xff\n");
  EXPECT_THAT(tail.Lines(1), ElementsAre("bold \uFFFD"));
}

TEST(LogTailTest, AStackDumpDoesNotDisplaceTheLinesBeforeIt) {
  LogTail tail(100'000);
  tail.Append("Unsupported element type.\nStack dump:\n0.\tProgram arguments: opt\n");
  for (int i = 0; i < 50; ++i) tail.Append(" #" + std::to_string(i) + " 0x00005581 f(int) (/bin/opt+0x5581)\n");
  tail.Append("1 opt 0x0000000000005581\n2 opt 0x0000000000005582 g() + 7\nthe end\n");
  EXPECT_THAT(tail.Lines(20),
              ElementsAre("Unsupported element type.", "Stack dump:", "0.\tProgram arguments: opt",
                          " #0 0x00005581 f(int) (/bin/opt+0x5581)", " #1 0x00005581 f(int) (/bin/opt+0x5581)",
                          " #2 0x00005581 f(int) (/bin/opt+0x5581)", "... 49 more stack frames", "the end"));
}

TEST(LogTailTest, NumbersAtTheStartOfALineAreNoStackFrames) {
  LogTail tail(1000);
  tail.Append("1 of 4 ops\n2 of 4 ops\n3 of 4 ops\n4 of 4 ops\n5 0x\n");
  EXPECT_EQ(tail.Lines(20).size(), 5u);
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

// Without its reason, an unreachable looks the same for every type.
TEST(CauseOfDeathTest, TakesTheMessageBeforeAnUnreachable) {
  EXPECT_EQ(CauseOfDeath("loc(\"a\":1:1): warning: Empty map.\nmodule {\n^\nUnsupported element type f8E4M3FN.\n"
                         "UNREACHABLE executed at /b/lib/Utils.h:49!\nPLEASE submit a bug report to y\n"),
            "Unsupported element type f8E4M3FN. (UNREACHABLE executed at /b/lib/Utils.h:49!)");
}

TEST(CauseOfDeathTest, TakesTheMessageBeforeAnAssertion) {
  EXPECT_EQ(CauseOfDeath("no such tile\nopt: a.h:49: T f(): Assertion `a' failed.\n"),
            "no such tile (opt: a.h:49: T f(): Assertion `a' failed.)");
}

TEST(CauseOfDeathTest, APartOfAWarningIsNoMessage) {
  const std::string assertion = "opt: a.h:49: T f(): Assertion `a' failed.";
  EXPECT_EQ(CauseOfDeath("x: warning: Empty map.\n" + assertion + "\n"), assertion);
  EXPECT_EQ(CauseOfDeath("x: warning: Empty map.\nmodule {\n^\n" + assertion + "\n"), assertion);
  EXPECT_EQ(CauseOfDeath("x: note: see current operation:\n%0 = \"a.b\"() : () -> i32\n" + assertion + "\n"),
            assertion);
  EXPECT_EQ(CauseOfDeath("\n" + assertion + "\n"), assertion);
}

// The time and the thread differ in every run.
TEST(CauseOfDeathTest, TakesAFatalLineOfAbslFromItsFileOn) {
  EXPECT_EQ(CauseOfDeath("I0000 00:00:1795435395.687010   18434 manager.cc:96] Creating a system.\n"
                         "F0000 00:00:1795435396.249426   18434 shape_util.cc:123] Check failed: rank == 2 (3 vs. 2) \n"
                         "*** Check failure stack trace: ***\n    @     0x7fee9f48ffb4  file::Match()\n"),
            "shape_util.cc:123] Check failed: rank == 2 (3 vs. 2) ");
  EXPECT_EQ(CauseOfDeath("F1123 12:00:01.500000 77 lower.cc:9] no such layout\n"), "lower.cc:9] no such layout");
}

TEST(CauseOfDeathTest, ALineThatOnlyStartsLikeAFatalOneIsIgnored) {
  EXPECT_EQ(CauseOfDeath("F16 is wide [1] enough\nFloat [2] x\n"), "");
}

TEST(CauseOfDeathTest, IsEmptyIfThereIsNoSuchLine) { EXPECT_EQ(CauseOfDeath("compiling\n"), ""); }

}  // namespace
}  // namespace opbyop
