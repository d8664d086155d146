// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/comparison_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opbyop {
namespace {

using testing::HasSubstr;

Comparison Output(int64_t output) {
  Comparison comparison;
  comparison.output = output;
  comparison.elements = 4;
  return comparison;
}

Comparison Refused(int64_t output) {
  Comparison comparison = Output(output);
  comparison.accepted = false;
  comparison.mismatches = 3;
  comparison.bound_ratio = 7;
  comparison.worst = {{{1, 2}, "2", "1", 7}};
  return comparison;
}

Comparison Imprecise(int64_t output) {
  Comparison comparison = Output(output);
  comparison.precision_ratio = 12;
  return comparison;
}

TEST(ComparisonVerdictTest, TheCasePassesIfAllOutputsAreAccepted) {
  const ComparisonVerdict verdict = VerdictOf(std::vector{Output(0), Output(1)});
  EXPECT_EQ(verdict.status, Status::kPass);
  EXPECT_EQ(verdict.deciding, std::nullopt);
  EXPECT_EQ(verdict.diagnostic, "");
}

TEST(ComparisonVerdictTest, TheFirstRefusedOutputFailsTheCase) {
  const ComparisonVerdict verdict = VerdictOf(std::vector{Output(0), Refused(1), Refused(2)});
  EXPECT_EQ(verdict.status, Status::kFail);
  EXPECT_EQ(verdict.deciding, 1U);
  EXPECT_THAT(verdict.diagnostic, HasSubstr("output 1[1,2]: got 2, expected 1, 3 of 4 elements"));
}

TEST(ComparisonVerdictTest, ErrorsBeyondRoundingAreImprecise) {
  const ComparisonVerdict verdict = VerdictOf(std::vector{Output(0), Imprecise(1)});
  EXPECT_EQ(verdict.status, Status::kImprecise);
  EXPECT_EQ(verdict.deciding, 1U);
  EXPECT_THAT(verdict.diagnostic, HasSubstr("12 x what rounding"));
}

TEST(ComparisonVerdictTest, ARefusedOutputCountsMoreThanAnEarlierImpreciseOne) {
  const ComparisonVerdict verdict = VerdictOf(std::vector{Imprecise(0), Refused(1)});
  EXPECT_EQ(verdict.status, Status::kFail);
  EXPECT_EQ(verdict.deciding, 1U);
}

TEST(ComparisonVerdictTest, TheProcessIsNamedIfThereAreSeveral) {
  Comparison third = Refused(1);
  third.process = 3;
  EXPECT_THAT(VerdictOf(std::vector{Output(0), third}).diagnostic, HasSubstr("process 3, output 1[1,2]: got 2"));
  Comparison first = Imprecise(0);
  first.process = 0;
  EXPECT_THAT(VerdictOf(std::vector{first}).diagnostic, HasSubstr("process 0, output 0: every element"));
}

}  // namespace
}  // namespace opbyop
