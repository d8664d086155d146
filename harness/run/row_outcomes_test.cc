// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/row_outcomes.h"

#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

class RowOutcomesTest : public testing::Test {
 protected:
  RowOutcomesTest() { outcomes_.Begin(rows_); }

  static std::shared_ptr<const CaseRecord> Record(const std::string& id, Status status) {
    return std::make_shared<const CaseRecord>(CaseRecord{.id = id, .status = status, .stage = "execute"});
  }
  void End(size_t row, Status status) {
    outcomes_.Add(rows_[row], JudgeRow(rows_[row], Record(rows_[row].c->id, status), nullptr));
  }

  const Case add_{.id = "add"}, mul_{.id = "mul"};
  const std::vector<Row> rows_ = {{&add_, "one"}, {&add_, "two"}, {&mul_, "one"}};
  RowOutcomes outcomes_;
};

TEST_F(RowOutcomesTest, WithoutABaselineARowEndsAsItsCase) {
  const RowOutcome outcome = JudgeRow(rows_[0], Record("add", Status::kCrash), nullptr);
  EXPECT_EQ(outcome.status, Status::kCrash);
  EXPECT_EQ(outcome.baseline, nullptr);
}

TEST_F(RowOutcomesTest, ABaselineExpectsAFailure) {
  const Expected<Baseline> baseline = ParseBaseline(
      "schema: opbyop-baseline/1\ntarget: host\nentries:\n"
      "- {id: 'two__*', stage: execute, status: crash, reason: known}\n",
      "test.yaml");
  ASSERT_TRUE(baseline) << baseline.error().message;
  EXPECT_EQ(JudgeRow(rows_[1], Record("add", Status::kCrash), &*baseline).status, Status::kExpectedFail);
  EXPECT_EQ(JudgeRow(rows_[0], Record("add", Status::kCrash), &*baseline).status, Status::kCrash);
}

TEST_F(RowOutcomesTest, RowsThatWereCountedAreCorrectedWhenTheirCaseIsAmended) {
  End(0, Status::kPass);
  End(2, Status::kPass);
  outcomes_.Amend(*Record("add", Status::kFail));
  EXPECT_TRUE(outcomes_.accused().empty());
  outcomes_.ApplyAmended(nullptr);
  EXPECT_EQ(outcomes_.counts().rows, 2);
  ASSERT_EQ(outcomes_.accused().size(), 1U) << "the other row of the case was not counted before";
  EXPECT_EQ(outcomes_.accused()[0].row, &rows_[0]);
  EXPECT_EQ(outcomes_.accused()[0].outcome.status, Status::kFail);
}

TEST_F(RowOutcomesTest, ARowThatWasRedBeforeIsNotAccused) {
  End(0, Status::kCrash);
  outcomes_.Amend(*Record("add", Status::kFail));
  outcomes_.ApplyAmended(nullptr);
  EXPECT_TRUE(outcomes_.accused().empty());
}

TEST_F(RowOutcomesTest, ANewRunForgetsTheCounts) {
  End(0, Status::kPass);
  outcomes_.Begin(rows_);
  EXPECT_EQ(outcomes_.counts().rows, 0);
}

}  // namespace
}  // namespace opbyop::harness
