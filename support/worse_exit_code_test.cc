// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/worse_exit_code.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(WorseExitCodeTest, AnUnexpectedResultTakesPrecedence) {
  EXPECT_EQ(WorseOf(ExitCode::kOk, ExitCode::kUnexpectedResult), ExitCode::kUnexpectedResult);
  EXPECT_EQ(WorseOf(ExitCode::kUnexpectedResult, ExitCode::kNothingJudged), ExitCode::kUnexpectedResult);
  EXPECT_EQ(WorseOf(ExitCode::kPartial, ExitCode::kUnexpectedResult), ExitCode::kUnexpectedResult);
}

TEST(WorseExitCodeTest, NothingJudgedTakesPrecedenceOverPartial) {
  EXPECT_EQ(WorseOf(ExitCode::kPartial, ExitCode::kNothingJudged), ExitCode::kNothingJudged);
  EXPECT_EQ(WorseOf(ExitCode::kNothingJudged, ExitCode::kOk), ExitCode::kNothingJudged);
}

TEST(WorseExitCodeTest, APartThatCouldNotContinueTakesPrecedence) {
  EXPECT_EQ(WorseOf(ExitCode::kUnexpectedResult, ExitCode::kNoInput), ExitCode::kNoInput);
  EXPECT_EQ(WorseOf(ExitCode::kNoInput, ExitCode::kUsage), ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop
