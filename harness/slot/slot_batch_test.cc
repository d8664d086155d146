// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests cases that share a module.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/run/scheduler_fixture.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::HasSubstr;

// A case must end in the same way in a batch and alone.
class BatchedTest : public SchedulerTest {
 protected:
  // Runs the cases in batches of 8 and alone, checks that each ends in the same way, and returns the batched records.
  std::map<std::string, CaseRecord> RunBothWays(const std::vector<Behaviour>& behaviours) {
    const std::map<std::string, CaseRecord> alone = Run(behaviours);
    target_.batch = 8;
    std::map<std::string, CaseRecord> batched = Run(behaviours);
    EXPECT_EQ(alone.size(), batched.size());
    for (const auto& [name, record] : batched) {
      const CaseRecord& expected = alone.at(name);
      EXPECT_EQ(record.status, expected.status) << name << ": " << record.diagnostic;
      EXPECT_EQ(record.stage, expected.stage) << name;
      EXPECT_EQ(record.diagnostic, expected.diagnostic) << name;
      EXPECT_EQ(record.signal, expected.signal) << name;
      EXPECT_EQ(record.attempts, expected.attempts) << name;
      EXPECT_EQ(record.stderr_tail, expected.stderr_tail) << name;
      EXPECT_EQ(record.stages.size(), expected.stages.size()) << name;
      EXPECT_EQ(record.comparisons.size(), expected.comparisons.size()) << name;
      EXPECT_EQ(record.seed, expected.seed) << name;
      if (record.status != Status::kPass && record.status != Status::kInconclusive) {
        EXPECT_EQ(record.batched, 0) << name;
      }
    }
    return batched;
  }
};

TEST_F(BatchedTest, GoodCasesShareAModuleAndTheRecordSaysSo) {
  RunBothWays({{}, {}, {}});
  // Use one slot: two may divide the cases so that the last is alone in a batch.
  EXPECT_GT(Run({{}, {}, {}}, 1, 1).at("pass lower").batched, 1);
}

TEST_F(BatchedTest, AMemberThatDoesNotCompileIsFoundByHalving) {
  RunBothWays({{"fail", "lower"}, {"unsupported", "lower"}, {"segfault", "parse"}, {"assertion", "lower"}});
}

TEST_F(BatchedTest, AMemberThatHangsTheCompilerIsFoundByHalving) { RunBothWays({{"hang", "parse"}}); }

TEST_F(BatchedTest, AMemberThatFailsOnTheDeviceRunsAloneAgain) {
  RunBothWays({{"fail", "execute"}, {"segfault", "execute"}, {"abort", "load"}, {"hang", "execute"}});
}

TEST_F(BatchedTest, AMemberThatIsJudgedBadlyRunsAloneAgain) {
  RunBothWays({{"wrong_result", "execute"}, {"zero", "execute"}, {"segfault", "compare"}, {"skip_stage", "execute"}});
}

TEST_F(BatchedTest, AMemberThatHadNotStartedWhenTheWorkerDiedIsNotBlamed) {
  RunBothWays({{"spurn_next", "lower"}, {"spurn_next", "execute"}, {"spurn_next", "compare"}});
}

TEST_F(BatchedTest, WithoutADeviceMembersEndAsTheyDoAlone) {
  settings_.target_worker.argv.push_back("--hello=no-device");
  const auto records = RunBothWays({{"fail", "lower"}, {"wrong_result", "execute"}, {"segfault", "parse"}});
  EXPECT_EQ(records.at("wrong_result execute").stages.size(), 2u);
  EXPECT_GT(Run({{}, {}, {}}, 1, 1).at("pass lower").batched, 1);
}

TEST_F(BatchedTest, ACaseThatMayNotShareAModuleRunsAlone) {
  target_.batch = 8;
  EXPECT_GT(Run({{}, {}, {}}, 1, 1).at("pass lower").batched, 1);
  Expect("{op: mock.pass, status: fail, stage: compare, reason: r}");
  EXPECT_EQ(Run({{}, {}, {}}, 1, 1).at("pass lower").batched, 0);
}

TEST_F(BatchedTest, EveryMemberIsJudgedUnderEveryPolicy) {
  settings_.policies = {{"domain", "domain"}, {"edge", "edge"}};
  Behaviour wrong{"wrong_result", "execute"}, crash{"segfault", "execute"};
  wrong.policy = crash.policy = "edge";
  const auto records = RunBothWays({wrong, crash, {"cached", "execute"}});
  EXPECT_EQ(records.at("pass lower").sets.size(), 2u);
  EXPECT_EQ(records.at("cached execute").status, Status::kFail);
}

TEST_F(BatchedTest, AMemberThatFailsInItsBatchAndPassesAloneIsFlaky) {
  target_.batch = 8;
  const CaseRecord record = Run({{"random_wrong_result", "execute"}}, 1, 1).at("random_wrong_result execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
  EXPECT_EQ(record.first_attempt.stage, "compare");
  EXPECT_THAT(record.diagnostic, HasSubstr("in a batch of "));
}

TEST_F(BatchedTest, AMemberThatDiesInItsBatchAndPassesAloneIsFlaky) {
  target_.batch = 8;
  const CaseRecord record = Run({{"flaky", "execute"}}, 1, 1).at("flaky execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.first_attempt.status, Status::kCrash);
}

}  // namespace
}  // namespace opbyop::harness
