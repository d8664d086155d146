// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/graver.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(GraverTest, ARedPartWeighsMost) {
  EXPECT_EQ(Graver(ExitCode::kOk, ExitCode::kUnexpectedResult), ExitCode::kUnexpectedResult);
  EXPECT_EQ(Graver(ExitCode::kUnexpectedResult, ExitCode::kNothingJudged), ExitCode::kUnexpectedResult);
  EXPECT_EQ(Graver(ExitCode::kPartial, ExitCode::kUnexpectedResult), ExitCode::kUnexpectedResult);
}

TEST(GraverTest, NothingJudgedWeighsMoreThanAModelThatWasNotSplit) {
  EXPECT_EQ(Graver(ExitCode::kPartial, ExitCode::kNothingJudged), ExitCode::kNothingJudged);
  EXPECT_EQ(Graver(ExitCode::kNothingJudged, ExitCode::kOk), ExitCode::kNothingJudged);
}

TEST(GraverTest, APartThatCouldNotGoOnComesFirst) {
  EXPECT_EQ(Graver(ExitCode::kUnexpectedResult, ExitCode::kNoInput), ExitCode::kNoInput);
  EXPECT_EQ(Graver(ExitCode::kNoInput, ExitCode::kUsage), ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop
