// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a case on several sets of inputs, and cases that are run on a second target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/inputs/fresh_draw.h"
#include "harness/run/scheduler_fixture.h"
#include "manifests/cases/manifest.h"
#include "support/files/file.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::HasSubstr;
using testing::IsEmpty;

// Several policies, of which `sparse` draws the same inputs as `domain`.
class InputSetsTest : public SchedulerTest {
 protected:
  InputSetsTest() {
    settings_.policies = {{"domain", "domain"}, {"sparse", "sparse"}, {"edge", "edge"}};
    settings_.second_draw = true;
  }

  static std::vector<std::string> SetsOf(const CaseRecord& record) {
    std::vector<std::string> sets;
    for (const InputSetRecord& set : record.sets) {
      sets.push_back(set.policy + " " + std::string(ToString(set.status)));
    }
    return sets;
  }
};

TEST_F(InputSetsTest, ACaseIsCompiledOnceAndJudgedOnEachDistinctSet) {
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass"));
  std::vector<std::string> stages;
  for (const StageRecord& stage : record.stages) stages.push_back(stage.name);
  EXPECT_EQ(stages, target_.StageNames());
  ASSERT_EQ(record.comparisons.size(), 2u);
  EXPECT_EQ(record.comparisons[1].policy, "edge");
  EXPECT_EQ(record.repro, "opbyop repro mock__" + record.id);
}

TEST_F(InputSetsTest, EachSetSaysWhatJudgingItCost) {
  const CaseRecord record = Run({})["pass lower"];
  ASSERT_EQ(record.sets.size(), 2u);
  for (const InputSetRecord& set : record.sets) {
    EXPECT_GT(set.inputs_ms, 0) << set.policy;
    EXPECT_GT(set.reference_cpu_ms, 0) << set.policy;
    EXPECT_GT(set.reference_peak_kb, 0) << set.policy;
  }
}

TEST_F(InputSetsTest, IfAllPoliciesGiveTheSameInputsTheFirstDrawsAgain) {
  settings_.policies = {{"domain", "domain"}, {"sparse", "sparse"}};
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "domain#2 pass"));
  EXPECT_EQ(record.sets[1].seed, InputSeed(record.id, 1));
  settings_.second_draw = false;
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass"));
}

TEST_F(InputSetsTest, ACaseForMoreDevicesThanTheWorkerHasIsCompiledOnly) {
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  Case c = manifest->cases.front();
  c.grid = {.partitions = 8};
  Slot slot(0, settings_, start_, shared_);
  const Expected<CaseRecord> record = slot.Run(c);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->status, Status::kUnsupported);
  EXPECT_EQ(record->diagnostic, "needs 8 devices, has 1");
  EXPECT_EQ(record->stage, kLoadStage);
  EXPECT_THAT(record->sets, IsEmpty()) << "no inputs are drawn";
  ASSERT_EQ(record->stages.size(), 2u);
  EXPECT_EQ(record->stages[1].name, "lower") << "its compile stages are judged";
}

TEST_F(InputSetsTest, AShardedCaseThatIsCompiledAsAWholeIsUnsupportedWhereNothingIsExecuted) {
  start_.compile_only = "no board";
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  Case c = manifest->cases.front();
  const Expected<CaseRecord> whole = Slot(0, settings_, start_, shared_).Run(c);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->status, Status::kPass) << whole->diagnostic;
  c.sharding = std::make_shared<const CaseSharding>(CaseSharding{.partitions = 8, .inputs = {}, .outputs = {}});
  const Expected<CaseRecord> record = Slot(0, settings_, start_, shared_).Run(c);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->status, Status::kUnsupported);
  EXPECT_EQ(record->diagnostic, "needs 8 devices, has 1; split with --shards=local");
}

TEST_F(InputSetsTest, ALayerIsNeitherDrawnAgainNorLeftToASmallerOne) {
  settings_.policies = {{"domain", "domain"}, {"edge", "edge"}};
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {Behaviour()});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  Case layer = manifest->cases.front();
  layer.op = kLayer;
  settings_.twins[&layer] = &twin_;
  Slot slot(0, settings_, start_, shared_);
  const Expected<CaseRecord> judged = slot.Run(layer);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_THAT(SetsOf(*judged), testing::ElementsAre("domain pass", "edge pass"));
  settings_.policies = {{"domain", "domain"}, {"sparse", "sparse"}};
  const Expected<CaseRecord> once = Slot(0, settings_, start_, shared_).Run(layer);
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_THAT(SetsOf(*once), testing::ElementsAre("domain pass"));
}

TEST_F(InputSetsTest, ACaseWithoutInputsHasOneSet) {
  Behaviour alone;
  alone.elements = 0;
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {alone});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  Slot slot(0, settings_, start_, shared_);
  const Expected<CaseRecord> record = slot.Run(manifest->cases.front());
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->sets.size(), 1u);
}

TEST_F(InputSetsTest, TheRecordOfALargeCaseNamesItsSmallerTwin) {
  have_twins_ = true;
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "sparse skipped", "edge skipped"));
  EXPECT_THAT(record.sets[2].diagnostic, testing::EndsWith("smaller shapes: add_4_f32"));
}

TEST_F(InputSetsTest, ASmallerTwinDoesNotReplaceTheSparseInputsOfALongerSum) {
  have_twins_ = true;
  // Give the policy another name: the mock draws the same inputs as `domain` for the usual one.
  settings_.policies[2].inputs = InputKind::kSparse;
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass", "sparse skipped", "edge pass"));
}

// A large case, and the record of its run in which twins are made.
class MadeTwinsTest : public InputSetsTest {
 protected:
  CaseRecord RunLarge(const Behaviour& behaviour) {
    settings_.makes_twins = true;
    settings_.retries = 0;
    settings_.policies = {{"domain", "domain"}, {"edge", "edge"}};
    const auto path = mock::WriteMockManifest(settings_.manifest_folder, {behaviour});
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest) << manifest.error().message;
    Case large = manifest->cases.front();
    large.op = "stablehlo.add";
    large.kind = OpKind::kElementwiseBinary;
    large.inputs = large.outputs = {{{5000000}, "f32"}};
    const std::filesystem::path file = settings_.manifest_folder / large.file;
    EXPECT_TRUE(WriteFile(file, *ReadFile(file) + "type: tensor<5000000xf32>\n"));
    const Expected<CaseRecord> record = Slot(0, settings_, start_, shared_).Run(large);
    EXPECT_TRUE(record) << record.error().message;
    return record.value_or(CaseRecord());
  }
};

TEST_F(MadeTwinsTest, ALargeCaseIsJudgedOnATwinUnderTheFurtherPolicies) {
  const CaseRecord record = RunLarge({});
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass"));
  EXPECT_EQ(record.sets[0].twin, "");
  EXPECT_EQ(record.sets[1].twin, "(84800) -> (84800)");
}

TEST_F(MadeTwinsTest, AFailureOfTheTwinNamesItsShapesAndIsRepeatedAfterTheFirstPolicy) {
  Behaviour wrong{"wrong_result", "execute"};
  wrong.policy = "edge";
  const CaseRecord record = RunLarge(wrong);
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, testing::StartsWith("under edge: on the same program with shapes (84800)"));
  EXPECT_EQ(ReproOptionsOf(record, settings_.policies).policy, "domain,edge");
}

TEST_F(InputSetsTest, ALoopThatIsTooMuchIsJudgedWithFewerTripsUnderEveryPolicy) {
  settings_.policies = {{"domain", "domain"}, {"edge", "edge"}};
  const CaseRecord record = Run({{"offers_smaller", "inputs"}}).at("offers_smaller inputs");
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass"));
  EXPECT_EQ(record.sets[0].twin, "(4) -> (4), 3 of 32 trips");
  EXPECT_EQ(record.sets[1].twin, record.sets[0].twin);
  EXPECT_EQ(record.diagnostic, "judged on the same program with shapes (4) -> (4), 3 of 32 trips: too much");
}

TEST_F(InputSetsTest, AFailureWithFewerTripsIsTheCases) {
  settings_.retries = 0;
  settings_.policies = {{"domain", "domain"}, {"edge", "edge"}};
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{"offers_smaller", "inputs"}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  const Case& loop = manifest->cases.front();
  const std::filesystem::path file = settings_.manifest_folder / loop.file;
  ASSERT_TRUE(WriteFile(file, *ReadFile(file) + "wrong_under: edge\n"));
  const Expected<CaseRecord> record = Slot(0, settings_, start_, shared_).Run(loop);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->status, Status::kFail);
  EXPECT_THAT(SetsOf(*record), testing::ElementsAre("domain pass", "edge fail"));
  EXPECT_THAT(record->diagnostic,
              testing::StartsWith("under edge: on the same program with shapes (4) -> (4), 3 of 32 trips: output 0["));
}

TEST_F(InputSetsTest, InputsOfAnEarlierPolicyCanBeNamedWhereItHasSome) {
  settings_.retries = 0;
  Behaviour same{"same_as", "inputs"};
  const CaseRecord first = Run({same}).at("same_as inputs");
  EXPECT_EQ(first.sets.front().status, Status::kSkipped);
  EXPECT_EQ(first.stage, "inputs");
  EXPECT_THAT(first.diagnostic, HasSubstr("no inputs: the reference worker gave those of domain, which has none"));
  same.policy = "edge";
  EXPECT_THAT(SetsOf(Run({same}).at("same_as inputs")), testing::ElementsAre("domain pass", "domain#2 pass"));
}

TEST_F(InputSetsTest, OutputsRememberedByProgramAreFound) {
  settings_.retries = 0;
  for (const std::vector<RunPolicy>& policies :
       {std::vector<RunPolicy>{{"domain", "domain"}, {"edge", "edge"}}, std::vector<RunPolicy>{{"edge", "edge"}}}) {
    settings_.policies = policies;
    const CaseRecord record = Run({{"cached", "execute"}}).at("cached execute");
    EXPECT_EQ(record.status, Status::kFail);
    EXPECT_EQ(record.stage, "compare");
    EXPECT_EQ(record.sets.size(), 2u);
    EXPECT_THAT(record.repro, testing::EndsWith(" --policy=edge"));
  }
}

TEST_F(InputSetsTest, AFailureUnderOnePolicyIsTheCasesAndTheOthersAreJudgedAllTheSame) {
  settings_.retries = 0;
  Behaviour wrong{"wrong_result", "execute"}, late = wrong;
  wrong.policy = "domain";
  late.policy = "edge";
  const CaseRecord first = Run({wrong}).at("wrong_result execute");
  EXPECT_THAT(SetsOf(first), testing::ElementsAre("domain fail", "edge pass"));
  EXPECT_EQ(first.status, Status::kFail);
  EXPECT_THAT(first.diagnostic, testing::StartsWith("output 0[3]: "));
  const CaseRecord second = Run({late}).at("wrong_result execute");
  EXPECT_THAT(SetsOf(second), testing::ElementsAre("domain pass", "edge fail"));
  EXPECT_EQ(second.status, Status::kFail);
  EXPECT_THAT(second.diagnostic, testing::StartsWith("under edge: output 0[3]: "));
  EXPECT_THAT(second.repro, testing::EndsWith(" --policy=edge"));
}

TEST_F(InputSetsTest, ACrashUnderOnePolicyEndsTheCaseAndIsRetried) {
  Behaviour crash{"segfault", "execute"};
  crash.policy = "domain";
  const CaseRecord record = Run({crash}).at("segfault execute");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain crash"));
  EXPECT_EQ(record.attempts, 2);
  crash.policy = "edge";
  const CaseRecord late = Run({crash}).at("segfault execute");
  EXPECT_THAT(SetsOf(late), testing::ElementsAre("domain pass", "edge crash"));
  EXPECT_EQ(late.status, Status::kCrash);
  EXPECT_EQ(late.stage, "execute");
  EXPECT_EQ(late.signal, SIGSEGV);
  EXPECT_THAT(late.stderr_tail, testing::Not(IsEmpty()));
}

TEST_F(InputSetsTest, AReferenceThatDiesUnderOnePolicyLeavesTheOthersTheirVerdict) {
  Behaviour crash{"segfault", "compare"};
  crash.policy = "domain";
  const CaseRecord record = Run({crash}).at("segfault compare");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain inconclusive", "edge pass"));
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.reference, Status::kCrash);
  EXPECT_EQ(record.attempts, 2);
}

TEST_F(InputSetsTest, AReferenceThatHasNoTimeForOnePolicyIsNotAskedUnderTheNext) {
  Behaviour hang{"hang", "inputs"};
  hang.policy = "domain";
  const CaseRecord record = Run({hang}).at("hang inputs");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain skipped", "sparse skipped", "edge skipped"));
  EXPECT_EQ(record.sets[2].diagnostic, "not tried: under domain the reference ended with timeout");
  EXPECT_EQ(record.status, Status::kSkipped);
  EXPECT_EQ(record.reference, Status::kTimeout);
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(InputSetsTest, AFailureThatGoesAwayIsFlakyUnderAnyPolicy) {
  Behaviour once{"random_wrong_result", "execute"};
  once.policy = "edge";
  const CaseRecord record = Run({once}, 1, 1).at("random_wrong_result execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_THAT(record.first_attempt.diagnostic, testing::StartsWith("under edge: "));
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass"));
}

TEST_F(InputSetsTest, InputsOfALaterSetThatTheDeviceReplacesAreFound) {
  settings_.retries = 0;
  Behaviour swap{"swap_input", "execute"};
  swap.policy = "edge";
  const CaseRecord record = Run({swap}).at("swap_input execute");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("input 0: its file was changed"));
}

TEST_F(InputSetsTest, AMissingOutputUnderALaterPolicyIsNotTakenFromTheFirst) {
  settings_.retries = 0;
  Behaviour none{"no_output", "execute"};
  none.policy = "edge";
  const CaseRecord record = Run({none}).at("no_output execute");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge fail"));
  EXPECT_THAT(record.diagnostic, testing::StartsWith("under edge: the device left no output_0.npy"));
}

TEST_F(InputSetsTest, ZerosAreNoProofUnlessAnotherSetHasOthers) {
  Behaviour zero{"zero", "execute"};
  EXPECT_EQ(Run({zero}).at("zero execute").status, Status::kInconclusive);
  zero.policy = "domain";
  const CaseRecord record = Run({zero}).at("zero execute");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain inconclusive", "sparse pass", "edge pass"));
  EXPECT_EQ(record.status, Status::kPass);
}

TEST_F(InputSetsTest, ATargetThatDrawsItsOwnInputsHasOneSet) {
  target_.device.own_inputs = true;
  EXPECT_EQ(Run({})["pass lower"].sets.size(), 1u);
}

TEST_F(InputSetsTest, TheTensorsOfTheSetThatDecidesAreKeptOnTopAndTheOthersBelow) {
  settings_.retries = 0;
  settings_.keep = folder_.path() / "kept";
  Behaviour wrong{"wrong_result", "execute"};
  const CaseRecord first = Run({wrong}).at("wrong_result execute");
  const std::filesystem::path folder = settings_.keep / first.id;
  EXPECT_TRUE(std::filesystem::exists(folder / "output_0.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder / "edge/output_0.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder / "domain"));
  EXPECT_FALSE(std::filesystem::exists(folder / "sparse"));
  const std::string of_domain = *ReadFile(folder / "input_0.npy");
  wrong.policy = "edge";
  Run({wrong});
  EXPECT_EQ(*ReadFile(folder / "domain/input_0.npy"), of_domain);
  EXPECT_NE(*ReadFile(folder / "input_0.npy"), of_domain);
  EXPECT_FALSE(std::filesystem::exists(folder / "edge"));
}

TEST_F(InputSetsTest, TheSecondTargetIsAskedOnTheInputsThatFailed) {
  Target second;
  second.name = "second";
  second.stages = target_.stages;
  settings_.second = {&second, Worker("target")};
  settings_.retries = 0;
  Behaviour wrong{"wrong_result", "execute"};
  wrong.policy = "edge";
  const Differential opinion = Run({wrong}).at("wrong_result execute").differential;
  EXPECT_EQ(opinion.target, "second");
  EXPECT_EQ(opinion.status, Status::kFail) << "it is wrong under the same policy alone";
  ASSERT_EQ(opinion.comparisons.size(), 1u);
  EXPECT_EQ(opinion.comparisons[0].policy, "edge");
}

// A run with a further draw of `edge`, from a seed of its own.
class FreshDrawTest : public InputSetsTest {
 protected:
  FreshDrawTest() {
    settings_.policies[2].inputs = InputKind::kEdge;
    start_.fresh_seed = 20261126;
    settings_.retries = 0;
  }
};

TEST_F(FreshDrawTest, EdgeIsDrawnOnceMoreFromTheSeedOfTheRun) {
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass", "edge#seed20261126 pass"));
  EXPECT_EQ(record.sets[2].seed, InputSeed(record.id, 20261126));
  EXPECT_NE(record.sets[2].seed, record.seed);
  ASSERT_EQ(record.comparisons.size(), 3u);
  EXPECT_EQ(record.comparisons[2].policy, "edge#seed20261126");
}

TEST_F(FreshDrawTest, NoFurtherDrawWithoutASeedOrThePolicyOrForALargerTwin) {
  start_.fresh_seed.reset();
  EXPECT_EQ(Run({})["pass lower"].sets.size(), 2u);
  start_.fresh_seed = 7;
  settings_.policies.pop_back();
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass", "domain#2 pass"));
  settings_.policies.push_back({"edge", "edge", {}, InputKind::kEdge});
  have_twins_ = true;
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass", "sparse skipped", "edge skipped"));
}

TEST_F(FreshDrawTest, ACaseOfManyElementsHasTheFurtherDrawUnderSomeSeedsOnly) {
  Behaviour large;
  large.elements = kFreshElements;  // the result has as many
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {large});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  int drawn = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    start_.fresh_seed = seed;
    Slot slot(0, settings_, start_, shared_);
    const Expected<CaseRecord> record = slot.Run(manifest->cases.front());
    ASSERT_TRUE(record) << record.error().message;
    drawn += record->sets.size() == 3 ? 1 : 0;
  }
  EXPECT_GT(drawn, 0);
  EXPECT_LT(drawn, 6);
}

TEST_F(FreshDrawTest, AFailureInTheFurtherDrawDecidesAndTheCommandHasItsSeed) {
  Behaviour wrong{"wrong_result", "execute"};
  wrong.input_seed = InputSeed(mock::CaseId(wrong, 1), 20261126);
  const CaseRecord record = Run({wrong}).at("wrong_result execute");
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass", "edge#seed20261126 fail"));
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_THAT(record.diagnostic, testing::StartsWith("under edge#seed20261126: output 0[3]: "));
  EXPECT_THAT(record.repro, testing::EndsWith(" --policy=edge --seed=20261126"));
  EXPECT_EQ(record.fixed.status, Status::kPass);
  start_.fresh_seed.reset();
  settings_.seed = 20261126;
  settings_.policies = {settings_.policies[2]};
  EXPECT_EQ(Run({wrong}).at("wrong_result execute").status, Status::kFail) << "the command shows it";
}

TEST_F(FreshDrawTest, ACrashInTheFurtherDrawEndsTheCaseWithTheSignal) {
  Behaviour crash{"segfault", "execute"};
  crash.input_seed = InputSeed(mock::CaseId(crash, 1), 20261126);
  const CaseRecord record = Run({crash}).at("segfault execute");
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.signal, SIGSEGV);
  EXPECT_EQ(record.fixed.status, Status::kPass);
}

TEST_F(FreshDrawTest, AfterADeathThereIsNoFurtherDraw) {
  Behaviour crash{"segfault", "execute"};
  crash.policy = "edge";
  EXPECT_THAT(SetsOf(Run({crash}).at("segfault execute")), testing::ElementsAre("domain pass", "edge crash"));
}

TEST_F(FreshDrawTest, TensorsOfTheFurtherDrawAreKeptOnTopIfItDecides) {
  settings_.keep = folder_.path() / "kept";
  Behaviour wrong{"wrong_result", "execute"};
  wrong.input_seed = InputSeed(mock::CaseId(wrong, 1), 20261126);
  const CaseRecord record = Run({wrong}).at("wrong_result execute");
  const std::filesystem::path folder = settings_.keep / record.id;
  EXPECT_TRUE(std::filesystem::exists(folder / "output_0.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder / "domain/output_0.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder / "edge/output_0.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder / "edge#seed20261126"));
}

class DifferentialTest : public SchedulerTest {
 protected:
  DifferentialTest() { second_.name = "second"; }

  // Uses the mock as the second target; `hello` as in mock_worker.cc.
  void UseSecondTarget(const std::string& hello = "") {
    second_.stages = target_.stages;
    settings_.second = {&second_, Worker("target")};
    if (!hello.empty()) settings_.second->worker.argv.push_back("--hello=" + hello);
  }

  Target second_;
};

TEST_F(DifferentialTest, AFailureOnTheDeviceIsRunOnTheSecondTarget) {
  UseSecondTarget();
  const auto records = Run({{"wrong_result", "execute"}, {"fail", "lower"}});
  const Differential& opinion = records.at("wrong_result execute").differential;
  EXPECT_EQ(opinion.target, "second");
  EXPECT_EQ(opinion.status, Status::kFail);
  EXPECT_EQ(opinion.stage, "compare");
  EXPECT_EQ(opinion.comparisons.size(), 1u);
  EXPECT_EQ(records.at("fail lower").differential.target, "") << "it never came to the device";
  EXPECT_EQ(records.at("pass lower").differential.target, "");
}

TEST_F(DifferentialTest, ACrashOfTheSecondTargetDoesNotChangeTheCase) {
  UseSecondTarget();
  const CaseRecord record = Run({{"segfault", "execute"}}).at("segfault execute");
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.differential.status, Status::kCrash);
  EXPECT_EQ(record.differential.stage, "execute");
}

TEST_F(DifferentialTest, ASecondTargetWithoutItsDeviceIsReported) {
  UseSecondTarget("no-device");
  const CaseRecord record = Run({{"wrong_result", "execute"}}).at("wrong_result execute");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.differential.status, Status::kMissing);
  EXPECT_EQ(record.differential.diagnostic, "not executed: no device /dev/mock0");
}

TEST_F(DifferentialTest, ASecondTargetThatDoesNotStartIsReported) {
  UseSecondTarget("exit");
  const CaseRecord record = Run({{"wrong_result", "execute"}}).at("wrong_result execute");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.differential.status, Status::kMissing);
  EXPECT_THAT(record.differential.diagnostic, HasSubstr("libfoo.so"));
}

}  // namespace
}  // namespace opbyop::harness
