// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/case_details.h"

#include <gtest/gtest.h>

#include <limits>

namespace opbyop::history {
namespace {

CaseRecord RecordOf(double bound_ratio) {
  CaseRecord record{.id = "add_4_f32_00000000"};
  record.stages = {{"parse", Status::kPass, 1.5, ""}, {"compare", Status::kFail, 2.5, "wrong"}};
  Comparison& comparison = record.comparisons.emplace_back();
  comparison.policy = "domain";
  comparison.rule = "ulp<=1";
  comparison.bound_ratio = bound_ratio;
  record.timing = {10, 90, 100, 130};
  return record;
}

TEST(RunDetailsTest, ACaseHasItsStagesComparisonsAndNumbers) {
  RunDetails details;
  details.Add(2, RecordOf(0.5));
  const CaseDetails* found = details.Find(2);
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->stages.size(), 2);
  EXPECT_EQ(*found->stages[1].name, "compare");
  EXPECT_EQ(found->stages[1].status, Status::kFail);
  EXPECT_EQ(found->stages[1].ms, 2.5);
  ASSERT_EQ(found->comparisons.size(), 1);
  EXPECT_EQ(*found->comparisons[0].policy, "domain");
  EXPECT_EQ(*found->comparisons[0].rule, "ulp<=1");
  EXPECT_EQ(found->numbers.n, 10);
  EXPECT_EQ(found->numbers.bound_ratio, 0.5);
  EXPECT_EQ(found->p95_us, 130);
}

TEST(RunDetailsTest, ACaseWithoutARecordHasNone) {
  RunDetails details;
  details.Add(2, RecordOf(0.5));
  EXPECT_EQ(details.Find(1), nullptr);
  EXPECT_EQ(details.Find(3), nullptr);
}

TEST(RunDetailsTest, TheLastRecordOfACaseCounts) {
  RunDetails details;
  details.Add(0, RecordOf(0.5));
  CaseRecord again = RecordOf(0.25);
  again.stages.pop_back();
  details.Add(0, again);
  EXPECT_EQ(details.Find(0)->stages.size(), 1);
  EXPECT_EQ(details.Find(0)->numbers.bound_ratio, 0.25);
}

TEST(CaseNumbersTest, ARatioThatIsNoNumberIsTheWorst) {
  EXPECT_EQ(NumbersOf(RecordOf(std::numeric_limits<double>::quiet_NaN())).bound_ratio,
            std::numeric_limits<double>::infinity());
}

TEST(CaseNumbersTest, ATimeThatIsNoneIsNotKept) {
  CaseRecord record = RecordOf(0);
  record.timing.median_us = 0;
  EXPECT_EQ(NumbersOf(record).n, 0);
}

}  // namespace
}  // namespace opbyop::history
