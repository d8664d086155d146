// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/batch.h"

#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

TEST(BatchTest, SlotsShareTheRemainingCases) {
  EXPECT_EQ(BatchSize(1000, 2, 50), 50u);
  EXPECT_EQ(BatchSize(21, 2, 50), 11u);
  EXPECT_EQ(BatchSize(1, 2, 50), 1u);
  EXPECT_EQ(BatchSize(10, 2, 1), 1u);
}

TEST(BatchTest, AMemberHasItsShareOfTheCompileTime) {
  Answer compiled;
  compiled.stages = {{"parse", Status::kPass, 8}, {"lower", Status::kPass, 2}};
  compiled.peak_rss_kb = 100;
  const CaseRecord record = MemberRecord(compiled, 4);
  EXPECT_EQ(record.status, Status::kPass);
  ASSERT_EQ(record.stages.size(), 2u);
  EXPECT_EQ(record.stages[0].ms, 2);
  EXPECT_EQ(record.stages[1].ms, 0.5);
  EXPECT_EQ(record.batched, 4);
  EXPECT_EQ(record.peak_rss_kb, 100);
}

TEST(BatchTest, OnlyPassesAndUnjudgedCasesAreFinalInABatch) {
  for (const Status status : kAllStatuses) {
    CaseRecord record;
    record.status = status;
    const bool stands = status == Status::kPass || status == Status::kInconclusive || status == Status::kSkipped;
    EXPECT_EQ(IsFinalInBatch(record), stands) << ToString(status);
    record.reference = Status::kCrash;
    EXPECT_FALSE(IsFinalInBatch(record)) << "the reference is asked once more";
  }
}

}  // namespace
}  // namespace opbyop::harness
