// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/status.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(StatusTest, EveryNameIsReadBack) {
  for (const Status status : kAllStatuses) EXPECT_EQ(ParseStatus(ToString(status)), status);
}

TEST(StatusTest, ReadsTheOldNameOfInconclusive) { EXPECT_EQ(ParseStatus("mistrusted"), Status::kInconclusive); }

TEST(StatusTest, UnknownNameIsNoStatus) { EXPECT_FALSE(ParseStatus("PASS")); }

TEST(StatusTest, AMissingRowIsAlwaysAProblem) { EXPECT_TRUE(IsProblem(Status::kMissing)); }

TEST(StatusTest, AnInconclusivePassIsNeitherProblemNorFailure) {
  EXPECT_FALSE(IsProblem(Status::kInconclusive));
  EXPECT_FALSE(IsFailure(Status::kInconclusive));
}

TEST(StatusTest, AnImpreciseRowIsAFailureThatTheWorkerSurvived) {
  EXPECT_TRUE(IsFailure(Status::kImprecise));
  EXPECT_TRUE(IsProblem(Status::kImprecise));
  EXPECT_FALSE(IsDeath(Status::kImprecise));
}

TEST(StatusTest, StatusesAreListedInTheirOrder) {
  for (size_t i = 0; i < kAllStatuses.size(); ++i) EXPECT_EQ(static_cast<size_t>(kAllStatuses[i]), i);
}

TEST(StatusTest, ADeathIsAFailureAFailureAProblemAndAProblemBlocks) {
  for (const Status status : kAllStatuses) {
    EXPECT_TRUE(!IsDeath(status) || IsFailure(status)) << ToString(status);
    EXPECT_TRUE(!IsFailure(status) || IsProblem(status)) << ToString(status);
    EXPECT_TRUE(!IsProblem(status) || IsBlocking(status)) << ToString(status);
    EXPECT_FALSE(IsProblem(status) && IsUnjudged(status)) << ToString(status);
  }
}

TEST(StatusTest, AModelIsNotReadyWhileOneOfItsRowsIsUnsupportedOrExpectedToFail) {
  EXPECT_TRUE(IsBlocking(Status::kUnsupported));
  EXPECT_TRUE(IsBlocking(Status::kExpectedFail));
  for (const Status status : {Status::kPass, Status::kInconclusive, Status::kSkipped}) {
    EXPECT_FALSE(IsBlocking(status)) << ToString(status);
  }
}

TEST(StatusTest, AWorkerMayNotReportStatusesOverSeveralRuns) {
  for (const Status status : {Status::kFlaky, Status::kMissing, Status::kExpectedFail, Status::kUnexpectedPass}) {
    EXPECT_FALSE(IsWorkerStatus(status)) << ToString(status);
  }
  EXPECT_TRUE(IsWorkerStatus(Status::kPass));
  EXPECT_TRUE(IsWorkerStatus(Status::kCrash)) << "of a tool that it ran";
}

}  // namespace
}  // namespace opbyop
