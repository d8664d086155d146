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

class MayShareModuleTest : public testing::Test {
 protected:
  void SetUp() override {
    target_.batch = 8;
    settings_.target = &target_;
    case_.origins.resize(1);
    case_.origins[0].model = "ffnn";
  }

  Target target_;
  SlotSettings settings_;
  Case case_ = {.id = "add_4_f32_00000000", .op = "stablehlo.add"};
};

TEST_F(MayShareModuleTest, AnOpOfATargetThatTakesSeveral) {
  EXPECT_TRUE(MayShareModule(case_, settings_));
  target_.batch = 1;
  EXPECT_FALSE(MayShareModule(case_, settings_));
}

TEST_F(MayShareModuleTest, NotWhereEachCaseHasFilesOfItsOwn) {
  settings_.keep = "kept";
  EXPECT_FALSE(MayShareModule(case_, settings_));
}

TEST_F(MayShareModuleTest, NotACaseOfSeveralProcesses) {
  case_.grid.partitions = 2;
  EXPECT_FALSE(MayShareModule(case_, settings_));
}

TEST_F(MayShareModuleTest, NotAModelNorAProgramThatACompilerMade) {
  case_.op = kLayer;
  EXPECT_FALSE(MayShareModule(case_, settings_));
  case_.op = "ttir.add";
  settings_.made_by["ffnn"] = "stablehlo-to-ttir";
  EXPECT_FALSE(MayShareModule(case_, settings_));
}

TEST_F(MayShareModuleTest, NotACaseThatMustFailButOneThatIsKnownToBeFlaky) {
  const auto with = [&](const std::string& status) {
    const Expected<Baseline> baseline = ParseBaseline(
        "schema: opbyop-baseline/1\ntarget: mock\nentries:\n- {op: stablehlo.add, stage: compare, status: " + status +
            ", reason: r}\n",
        "mock.yaml");
    EXPECT_TRUE(baseline) << baseline.error().message;
    settings_.baseline = &*baseline;
    return MayShareModule(case_, settings_);
  };
  EXPECT_FALSE(with("fail"));
  EXPECT_TRUE(with("flaky"));
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
