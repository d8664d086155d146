// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests programs that must be refused, in a slot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/run/scheduler_fixture.h"
#include "harness/slot/valid_counterparts.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::HasSubstr;
using testing::IsEmpty;

class RefusedTest : public SchedulerTest {
 protected:
  // Returns the record of a case that does `broken`, whose valid counterpart does `valid`.
  CaseRecord RunWithValidTwin(const Behaviour& broken, const Behaviour& valid, const Grid& grid = {}) {
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, {broken, valid});
    EXPECT_TRUE(path);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest) << manifest.error().message;
    Case c = manifest->cases[0];
    valid_file_ = manifest->cases[1].file;
    c.breach = std::make_shared<const Breach>(Breach{"slice.C4", "strides are positive", valid_file_});
    c.grid = grid;
    Slot slot(0, settings_, start_, shared_);
    Expected<CaseRecord> record = slot.Run(c);
    EXPECT_TRUE(record) << record.error().message;
    return record ? *record : CaseRecord();
  }

  std::string valid_file_;
};

TEST_F(RefusedTest, ARefusedProgramPassesAndNothingIsExecuted) {
  const CaseRecord record = RunWithValidTwin({"fail", "parse"}, {});
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.stage, "parse");
  EXPECT_THAT(record.diagnostic, testing::Not(IsEmpty()));
  EXPECT_THAT(record.sets, IsEmpty());
  EXPECT_EQ(record.stages.size(), 1u);
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(RefusedTest, AnAcceptedProgramIsRed) {
  const CaseRecord record = RunWithValidTwin({}, {});
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "lower");
  EXPECT_EQ(record.diagnostic, "accepted a program that breaks slice.C4: strides are positive");
  EXPECT_EQ(record.attempts, 1) << "a compiler says the same again";
}

TEST_F(RefusedTest, ARuleAboutMoreProcessesThanTheTargetHasDevicesIsNotTried) {
  const CaseRecord record = RunWithValidTwin({}, {}, {.replicas = 2});
  EXPECT_EQ(record.status, Status::kUnsupported);
  EXPECT_EQ(record.diagnostic, "needs 2 devices, has 1");
}

TEST_F(RefusedTest, ACompilerThatDiesOfItHasCrashed) {
  EXPECT_EQ(RunWithValidTwin({"segfault", "lower"}, {}).status, Status::kCrash);
}

TEST_F(RefusedTest, ARefusalOfTheValidProgramTooProvesNothing) {
  const CaseRecord record = RunWithValidTwin({"unsupported", "parse"}, {"unsupported", "lower"});
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("but so is the program that breaks nothing: unsupported in stage lower"));
}

TEST_F(RefusedTest, AValidProgramThatKillsTheCompilerProvesNothing) {
  const CaseRecord record = RunWithValidTwin({"fail", "parse"}, {"segfault", "lower"});
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_THAT(record.diagnostic, HasSubstr("crash in stage lower"));
}

TEST_F(RefusedTest, AValidProgramIsCompiledOnceForAllThatBreakIt) {
  ValidCounterparts twins;
  shared_.valid_twins = &twins;
  EXPECT_EQ(RunWithValidTwin({"fail", "parse"}, {}).status, Status::kPass);
  EXPECT_EQ(twins.Find(valid_file_), "");
}

TEST_F(RefusedTest, ATargetThatVerifiesElsewhereIsNotAsked) {
  target_.verifies = false;
  const CaseRecord record = RunWithValidTwin({}, {});
  EXPECT_EQ(record.status, Status::kUnsupported);
  EXPECT_THAT(record.diagnostic, HasSubstr("`verifies: false`"));
}

}  // namespace
}  // namespace opbyop::harness
