// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/counts.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(CountsTest, RowsThatSayNothingAreNotJudged) {
  Counts counts;
  for (const Status status : {Status::kUnsupported, Status::kInconclusive, Status::kSkipped}) counts.Add(status);
  EXPECT_EQ(counts.rows, 3);
  EXPECT_EQ(counts.judged(), 0);
  EXPECT_EQ(counts.problems(), 0);
}

TEST(CountsTest, EveryOtherStatusIsAJudgement) {
  for (const Status status : kAllStatuses) {
    Counts counts;
    counts.Add(status);
    EXPECT_EQ(counts.judged(), SaysNothing(status) ? 0 : 1) << ToString(status);
    EXPECT_FALSE(SaysNothing(status) && IsProblem(status)) << ToString(status);
  }
}

TEST(CountsTest, ThePassRateOfNoRowsIsZero) { EXPECT_EQ(Counts().pass_rate(), 0); }

}  // namespace
}  // namespace opbyop
