// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/counts.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(CountsTest, UnjudgedRowsAreNotCountedAsJudged) {
  Counts counts;
  for (const Status status : {Status::kUnsupported, Status::kInconclusive, Status::kSkipped}) counts.Add(status);
  EXPECT_EQ(counts.rows, 3);
  EXPECT_EQ(counts.judged(), 0);
  EXPECT_EQ(counts.problems(), 0);
}

TEST(CountsTest, RowsOfEveryOtherStatusAreJudged) {
  for (const Status status : kAllStatuses) {
    Counts counts;
    counts.Add(status);
    EXPECT_EQ(counts.judged(), IsUnjudged(status) ? 0 : 1) << ToString(status);
    EXPECT_FALSE(IsUnjudged(status) && IsProblem(status)) << ToString(status);
  }
}

TEST(CountsTest, ThePassRateOfNoRowsIsZero) { EXPECT_EQ(Counts().pass_rate(), 0); }

}  // namespace
}  // namespace opbyop
