#include "harness/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <semaphore>
#include <string>
#include <thread>

#include "fixtures/mock/behaviour.h"
#include "harness/verdict.h"
#include "manifests/manifest.h"
#include "support/file.h"
#include "support/process/isolation.h"
#include "support/process/process.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using mock::Behaviour;
using testing::HasSubstr;
using testing::IsEmpty;

class SchedulerTest : public testing::Test {
 protected:
  void SetUp() override {
    AdoptOrphans();
    Expected<Target> target = LoadTarget(TestSource("fixtures/mock/mock.yaml"));
    ASSERT_TRUE(target) << target.error().message;
    target_ = std::move(*target);
    std::filesystem::create_directory(Markers());
    target_.writable = {Markers()};
    auto scratch = Scratch::Open({folder_.path()});
    ASSERT_TRUE(scratch);
    scratch_ = std::move(*scratch);
    context_.target = &target_;
    context_.manifest_folder = folder_.path() / "manifest";
    context_.scratch = scratch_.get();
    context_.device = &device_;
    context_.target_worker = Worker("target");
    context_.reference_worker = Worker("reference");
    context_.repro = [](const Case& c, const std::string& policy) {
      return "opbyop repro mock__" + c.id + (policy.empty() ? "" : " --policy=" + policy);
    };
  }

  std::string Markers() const { return folder_.path() / "markers"; }

  WorkerSpec Worker(const std::string& role) {
    WorkerSpec spec;
    spec.role = role;
    spec.argv = {TestProgram("mock_worker"), "--" + role};
    spec.environment = {{"MOCK_MARKERS", Markers()}};
    spec.fallback = {1, 256};
    for (const Stage& stage : target_.stages) spec.limits[stage.name] = spec.fallback;
    spec.limits["lower"] = {20, 256};
    spec.grace = std::chrono::milliseconds(50);
    return spec;
  }

  // Runs these cases, each between two good ones; returns the records by behaviour and stage.
  std::map<std::string, CaseRecord> Run(const std::vector<Behaviour>& behaviours, int jobs = 2, int slots = 3) {
    std::vector<Behaviour> all;
    for (const Behaviour& behaviour : behaviours) {
      all.push_back({});
      all.push_back(behaviour);
    }
    all.push_back({});
    const auto path = mock::WriteMockManifest(context_.manifest_folder, all);
    EXPECT_TRUE(path);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest) << manifest.error().message;
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    Scheduler scheduler(context_, jobs, slots);
    EXPECT_TRUE(scheduler.Start());
    size_t sunk = 0;
    scheduler.Go(cases, [&](const CaseRecord&) -> Expected<void> { return ++sunk, Expected<void>(); });
    std::map<std::string, CaseRecord> records;
    for (size_t i = 0; i < cases.size(); ++i) {
      std::shared_ptr<const CaseRecord> record;
      while (record == nullptr) record = scheduler.Await(*cases[i], std::chrono::seconds(1));
      if (all[i].name == "pass") {
        EXPECT_EQ(record->status, Status::kPass) << cases[i]->id << ": " << record->diagnostic;
      }
      records[all[i].name + " " + all[i].stage] = *record;
    }
    scheduler.Stop();
    EXPECT_EQ(sunk, cases.size());
    EXPECT_THAT(TestChildren(), IsEmpty());
    for (const auto& root : scratch_->folders()) {
      for (const auto& entry : std::filesystem::directory_iterator(root)) EXPECT_EQ(entry.path().filename(), "lock");
    }
    return records;
  }

  TestFolder folder_;
  Target target_;
  std::unique_ptr<Scratch> scratch_;
  std::mutex device_;
  SlotContext context_;
};

TEST_F(SchedulerTest, AGoodCaseIsRecordedWhole) {
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_EQ(record.status, Status::kPass);
  std::vector<std::string> stages;
  for (const StageRecord& stage : record.stages) stages.push_back(stage.name);
  EXPECT_EQ(stages, target_.StageNames());
  EXPECT_EQ(record.stage, "compare");
  EXPECT_EQ(record.comparisons.size(), 1u);
  EXPECT_EQ(record.timing.n, 3);
  EXPECT_EQ(record.artifact_bytes, 64);
  EXPECT_GT(record.peak_rss_kb, 0);
  EXPECT_EQ(record.attempts, 1);
  EXPECT_EQ(record.seed, InputSeed(record.id, 0));
  EXPECT_GT(record.wall_ms, 0);
  EXPECT_EQ(record.repro, "opbyop repro mock__" + record.id);
  EXPECT_THAT(record.stderr_tail, IsEmpty());
  EXPECT_THAT(record.start, testing::MatchesRegex("....-..-..T..:..:..\\........00:00"));
}

// Several policies, of which `sparse` gives what `domain` gives.
class InputSetsTest : public SchedulerTest {
 protected:
  InputSetsTest() {
    context_.policies = {{"domain", "domain"}, {"sparse", "sparse"}, {"edge", "edge"}};
    context_.second_draw = true;
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

TEST_F(InputSetsTest, WhereAllPoliciesGiveTheSameTheFirstDrawsAgain) {
  context_.policies = {{"domain", "domain"}, {"sparse", "sparse"}};
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "domain#2 pass"));
  EXPECT_EQ(record.sets[1].seed, InputSeed(record.id, 1));
  context_.second_draw = false;
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass"));
}

TEST_F(InputSetsTest, ACaseWithoutInputsHasOneSet) {
  Behaviour alone;
  alone.elements = 0;
  const auto path = mock::WriteMockManifest(context_.manifest_folder, {alone});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest) << manifest.error().message;
  Slot slot(0, context_);
  const Expected<CaseRecord> record = slot.Run(manifest->cases.front());
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->sets.size(), 1u);
}

TEST_F(InputSetsTest, WhereASmallerCaseIsJudgedTheRecordOfTheLargerNamesIt) {
  context_.smaller_twin = [](const Case&) { return "add_4_f32"; };
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "sparse skipped", "edge skipped"));
  EXPECT_THAT(record.sets[2].diagnostic, testing::EndsWith("smaller shapes: add_4_f32"));
}

TEST_F(InputSetsTest, NoSmallerCaseStandsForTheSparseInputsOfALongerSum) {
  context_.smaller_twin = [](const Case&) { return "add_4_f32"; };
  context_.policies[2].inputs = InputKind::kSparse;  // of another name: the mock draws the same under the usual one
  EXPECT_THAT(SetsOf(Run({})["pass lower"]), testing::ElementsAre("domain pass", "sparse skipped", "edge pass"));
}

TEST_F(InputSetsTest, InputsOfAnEarlierPolicyCanBeNamedWhereItHasSome) {
  context_.retries = 0;
  Behaviour same{"same_as", "inputs"};
  const CaseRecord first = Run({same}).at("same_as inputs");
  EXPECT_EQ(first.sets.front().status, Status::kFail);
  EXPECT_EQ(first.stage, "inputs");
  EXPECT_THAT(first.diagnostic, HasSubstr("gave no inputs, but those of domain"));
  same.policy = "edge";
  EXPECT_THAT(SetsOf(Run({same}).at("same_as inputs")), testing::ElementsAre("domain pass", "domain#2 pass"));
}

TEST_F(InputSetsTest, OutputsRememberedByProgramAreFound) {
  context_.retries = 0;
  for (const std::vector<RunPolicy>& policies :
       {std::vector<RunPolicy>{{"domain", "domain"}, {"edge", "edge"}}, std::vector<RunPolicy>{{"edge", "edge"}}}) {
    context_.policies = policies;
    const CaseRecord record = Run({{"cached", "execute"}}).at("cached execute");
    EXPECT_EQ(record.status, Status::kFail);
    EXPECT_EQ(record.stage, "compare");
    EXPECT_EQ(record.sets.size(), 2u);
    EXPECT_THAT(record.repro, testing::EndsWith(" --policy=edge"));
  }
}

TEST_F(InputSetsTest, AFailureUnderOnePolicyIsTheCasesAndTheOthersAreJudgedAllTheSame) {
  context_.retries = 0;
  Behaviour lie{"lie", "execute"}, late = lie;
  lie.policy = "domain";
  late.policy = "edge";
  const CaseRecord first = Run({lie}).at("lie execute");
  EXPECT_THAT(SetsOf(first), testing::ElementsAre("domain fail", "edge pass"));
  EXPECT_EQ(first.status, Status::kFail);
  EXPECT_THAT(first.diagnostic, testing::StartsWith("output 0: "));
  const CaseRecord second = Run({late}).at("lie execute");
  EXPECT_THAT(SetsOf(second), testing::ElementsAre("domain pass", "edge fail"));
  EXPECT_EQ(second.status, Status::kFail);
  EXPECT_THAT(second.diagnostic, testing::StartsWith("under edge: output 0: "));
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

TEST_F(InputSetsTest, AFailureThatGoesAwayIsFlakyUnderAnyPolicy) {
  Behaviour once{"random_lie", "execute"};
  once.policy = "edge";
  const CaseRecord record = Run({once}, 1, 1).at("random_lie execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_THAT(record.first_attempt.diagnostic, testing::StartsWith("under edge: "));
  EXPECT_THAT(SetsOf(record), testing::ElementsAre("domain pass", "edge pass"));
}

TEST_F(InputSetsTest, InputsOfALaterSetThatTheDeviceReplacesAreFound) {
  context_.retries = 0;
  Behaviour swap{"swap_input", "execute"};
  swap.policy = "edge";
  const CaseRecord record = Run({swap}).at("swap_input execute");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("input 0: its file was changed"));
}

TEST_F(InputSetsTest, AnOutputThatIsLeftOutUnderALaterPolicyIsNotThatOfTheFirst) {
  context_.retries = 0;
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
  context_.retries = 0;
  context_.keep = folder_.path() / "kept";
  Behaviour lie{"lie", "execute"};
  const CaseRecord first = Run({lie}).at("lie execute");
  const std::filesystem::path folder = context_.keep / first.id;
  EXPECT_TRUE(std::filesystem::exists(folder / "output_0.npy"));
  EXPECT_TRUE(std::filesystem::exists(folder / "edge/output_0.npy"));
  EXPECT_FALSE(std::filesystem::exists(folder / "domain"));
  EXPECT_FALSE(std::filesystem::exists(folder / "sparse"));
  const std::string of_domain = *ReadFile(folder / "input_0.npy");
  lie.policy = "edge";
  Run({lie});
  EXPECT_EQ(*ReadFile(folder / "domain/input_0.npy"), of_domain);
  EXPECT_NE(*ReadFile(folder / "input_0.npy"), of_domain);
  EXPECT_FALSE(std::filesystem::exists(folder / "edge"));
}

TEST_F(InputSetsTest, TheSecondTargetIsAskedOnTheInputsThatFailed) {
  Target second;
  second.name = "second";
  second.stages = target_.stages;
  context_.second_target = &second;
  context_.second_worker = Worker("target");
  context_.retries = 0;
  Behaviour lie{"lie", "execute"};
  lie.policy = "edge";
  const SecondOpinion opinion = Run({lie}).at("lie execute").second_opinion;
  EXPECT_EQ(opinion.target, "second");
  EXPECT_EQ(opinion.status, Status::kFail) << "it lies under the same policy alone";
  ASSERT_EQ(opinion.comparisons.size(), 1u);
  EXPECT_EQ(opinion.comparisons[0].policy, "edge");
}

// Batched and alone, every case must end alike.
class BatchedTest : public SchedulerTest {
 protected:
  // The records of a run in batches of 8; each is held to that of the same run with every case alone.
  std::map<std::string, CaseRecord> RunBothWays(const std::vector<Behaviour>& behaviours) {
    const std::map<std::string, CaseRecord> alone = Run(behaviours);
    target_.batch = 8;
    context_.batchable = [](const Case&) { return true; };
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
  // In one slot: two may divide the cases so that the last is left over for a batch of its own.
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
  RunBothWays({{"lie", "execute"}, {"zero", "execute"}, {"segfault", "compare"}, {"skip_stage", "execute"}});
}

TEST_F(BatchedTest, AMemberThatItsModuleDiedBeforeIsNotItsFault) {
  RunBothWays({{"spurn_next", "lower"}, {"spurn_next", "execute"}, {"spurn_next", "compare"}});
}

TEST_F(BatchedTest, WhatMayNotShareAModuleRunsAlone) {
  target_.batch = 8;
  context_.batchable = [](const Case& c) { return c.op != "mock.zero"; };
  EXPECT_EQ(Run({{"zero", "execute"}}).at("zero execute").batched, 0);
}

TEST_F(BatchedTest, EveryMemberIsJudgedUnderEveryPolicy) {
  context_.policies = {{"domain", "domain"}, {"edge", "edge"}};
  Behaviour lie{"lie", "execute"}, crash{"segfault", "execute"};
  lie.policy = crash.policy = "edge";
  const auto records = RunBothWays({lie, crash, {"cached", "execute"}});
  EXPECT_EQ(records.at("pass lower").sets.size(), 2u);
  EXPECT_EQ(records.at("cached execute").status, Status::kFail);
}

class SecondOpinionTest : public SchedulerTest {
 protected:
  SecondOpinionTest() { second_.name = "second"; }

  // The mock again, as the target that is asked; `hello` as in mock_worker.cc.
  void AskSecond(const std::string& hello = "") {
    second_.stages = target_.stages;
    context_.second_target = &second_;
    context_.second_worker = Worker("target");
    if (!hello.empty()) context_.second_worker.argv.push_back("--hello=" + hello);
  }

  Target second_;
};

TEST_F(SecondOpinionTest, AFailureOnTheDeviceIsPutToTheSecondTarget) {
  AskSecond();
  const auto records = Run({{"lie", "execute"}, {"fail", "lower"}});
  const SecondOpinion& opinion = records.at("lie execute").second_opinion;
  EXPECT_EQ(opinion.target, "second");
  EXPECT_EQ(opinion.status, Status::kFail);
  EXPECT_EQ(opinion.stage, "compare");
  EXPECT_EQ(opinion.comparisons.size(), 1u);
  EXPECT_EQ(records.at("fail lower").second_opinion.target, "") << "it never came to the device";
  EXPECT_EQ(records.at("pass lower").second_opinion.target, "");
}

TEST_F(SecondOpinionTest, ACrashOfTheSecondTargetIsItsOwn) {
  AskSecond();
  const CaseRecord record = Run({{"segfault", "execute"}}).at("segfault execute");
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.second_opinion.status, Status::kCrash);
  EXPECT_EQ(record.second_opinion.stage, "execute");
}

TEST_F(SecondOpinionTest, ASecondTargetThatDoesNotStartIsSaidSo) {
  AskSecond("exit");
  const CaseRecord record = Run({{"lie", "execute"}}).at("lie execute");
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.second_opinion.status, Status::kMissing);
  EXPECT_THAT(record.second_opinion.diagnostic, HasSubstr("libfoo.so"));
}

TEST_F(SchedulerTest, EveryWayToDieCostsOneCase) {
  auto records = Run({{"segfault", "parse"},
                      {"segfault", "execute"},
                      {"segfault", "inputs"},
                      {"abort", "compare"},
                      {"assertion", "lower"},
                      {"exit", "load"},
                      {"partial_reply", "execute"},
                      {"garbage", "compare"},
                      {"huge_prefix", "lower"},
                      {"stale_reply", "execute"},
                      {"close_replies", "lower"},
                      {"leave_segfault", "execute"},
                      {"no_stage_end", "lower"}});
  for (const auto& [name, record] : records) {
    if (name == "pass lower") continue;
    EXPECT_EQ(record.status, Status::kCrash) << name;
    EXPECT_EQ(record.stage, name.substr(name.find(' ') + 1)) << name;
    EXPECT_EQ(record.attempts, 2) << name;
    EXPECT_FALSE(record.diagnostic.empty()) << name;
  }
  EXPECT_EQ(records["segfault execute"].signal, SIGSEGV);
  EXPECT_EQ(records["abort compare"].signal, SIGABRT);
  EXPECT_EQ(records["exit load"].signal, 0);
  ASSERT_FALSE(records["segfault execute"].stderr_tail.empty());
  EXPECT_EQ(records["segfault execute"].stderr_tail.back(), "about to crash in execute");
  EXPECT_EQ(records["segfault inputs"].stages.back().name, "inputs");
}

TEST_F(SchedulerTest, HangsEndAtTheirStagesLimit) {
  auto records = Run({{"hang", "execute"}, {"hang_deaf", "compare"}});
  EXPECT_EQ(records["hang execute"].status, Status::kTimeout);
  EXPECT_EQ(records["hang execute"].stage, "execute");
  EXPECT_EQ(records["hang_deaf compare"].status, Status::kTimeout);
  EXPECT_EQ(records["hang execute"].attempts, 2);
  EXPECT_THAT(records["hang_deaf compare"].diagnostic,
              testing::StartsWith("the reference worker gave no end of stage"));
}

TEST_F(SchedulerTest, ADeathBetweenTwoRequestsIsACrashOfItsCase) {
  auto records = Run({{"exit_after_done", "lower"},
                      {"killed_after_done", "lower"},
                      {"second_done", "lower"},
                      {"killed_after_done", "inputs"}});
  for (const char* name : {"exit_after_done lower", "killed_after_done lower", "second_done lower"}) {
    EXPECT_EQ(records[name].status, Status::kCrash) << name << ": " << records[name].diagnostic;
    EXPECT_EQ(records[name].stage, "load") << name;
    EXPECT_EQ(records[name].attempts, 2) << name;
  }
  EXPECT_EQ(records["killed_after_done lower"].signal, SIGKILL);
  EXPECT_THAT(records["exit_after_done lower"].diagnostic, HasSubstr("left with exit code 9"));
  const CaseRecord& reference = records["killed_after_done inputs"];
  EXPECT_EQ(reference.status, Status::kCrash);
  EXPECT_EQ(reference.stage, "compare");
  EXPECT_THAT(reference.diagnostic, testing::StartsWith("the reference worker died of SIGKILL"));
}

TEST_F(SchedulerTest, ADeathBeforeTheNextCaseIsReadIsNoFaultOfThatCase) {
  auto records = Run({{"spurn_next", "execute"}, {"spurn_next", "compare"}, {"spurn_next", "lower"}}, 1, 1);
  EXPECT_EQ(records["spurn_next execute"].status, Status::kPass);
  EXPECT_EQ(records["spurn_next compare"].status, Status::kFail);  // its answer held no comparison
  EXPECT_EQ(records["spurn_next lower"].status, Status::kCrash);
  EXPECT_EQ(records["spurn_next lower"].stage, "load");
}

TEST_F(SchedulerTest, AWorkerThatStopsReadingIsATimeout) {
  const CaseRecord record = Run({{"never_reads", "lower"}})["never_reads lower"];
  EXPECT_EQ(record.status, Status::kTimeout);
  EXPECT_EQ(record.stage, "load");
}

TEST_F(SchedulerTest, ACaseOfThousandsOfArgumentsRuns) {
  Behaviour step;
  step.arguments = 5000;
  EXPECT_EQ(Run({step})["pass lower"].status, Status::kPass);
}

TEST_F(SchedulerTest, AMemoryBombIsOutOfMemory) {
  const CaseRecord record = Run({{"memory_bomb", "lower"}})["memory_bomb lower"];
  EXPECT_EQ(record.status, Status::kOutOfMemory);
  EXPECT_EQ(record.stage, "lower");
  EXPECT_GT(record.peak_rss_kb, 200000);
}

TEST_F(SchedulerTest, MemoryThatForkedProcessesShareCountsOnce) {
  const CaseRecord record = Run({{"share_memory", "lower"}})["share_memory lower"];
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(SchedulerTest, TheMemoryOfADaemonAndOfFilesInTheCasesFolderCounts) {
  auto shm = Scratch::Open({"/dev/shm"});
  if (!shm) GTEST_SKIP() << "no /dev/shm here: " << shm.error().message;
  scratch_ = std::move(*shm);
  context_.scratch = scratch_.get();
  context_.retries = 0;
  const auto records = Run({{"daemon_memory", "lower"}, {"file_memory", "lower"}});
  EXPECT_EQ(records.at("daemon_memory lower").status, Status::kOutOfMemory);
  EXPECT_EQ(records.at("file_memory lower").status, Status::kOutOfMemory);
}

TEST_F(SchedulerTest, AnOutputThatIsNoTensorFileFailsInExecution) {
  context_.retries = 0;
  const std::map<std::string, std::string> says = {{"no_output", "left no output_0.npy"},
                                                   {"fifo_output", "output_0.npy is a pipe"},
                                                   {"link_output", "output_0.npy is a symbolic link"},
                                                   {"folder_output", "output_0.npy is a folder"},
                                                   {"linked_output", "output_0.npy has 2 names"},
                                                   {"sparse_output", "output_0.npy has 1099511627776 bytes"}};
  std::vector<Behaviour> behaviours;
  for (const auto& [name, text] : says) behaviours.push_back({name, "execute"});
  for (const auto& [name, record] : Run(behaviours)) {
    if (name == "pass lower") continue;
    EXPECT_EQ(record.status, Status::kFail) << name;
    EXPECT_EQ(record.stage, "execute") << name << ": " << record.diagnostic;
    EXPECT_THAT(record.diagnostic, HasSubstr(says.at(name.substr(0, name.find(' '))))) << name;
  }
}

TEST_F(SchedulerTest, AWorkerCannotWreckTheFoldersOfOthers) {
  if (UsableLandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock: nothing keeps workers apart";
  std::vector<Behaviour> behaviours;
  for (int i = 0; i < 12; ++i) {
    behaviours.push_back({.name = "wreck_others", .stage = i % 2 == 0 ? "lower" : "execute"});
    behaviours.push_back({.stage = "execute", .ms = 20});
  }
  for (const auto& [name, record] : Run(behaviours, 3, 4)) {
    EXPECT_EQ(record.status, Status::kPass) << name << ": " << record.diagnostic;
  }
}

TEST_F(SchedulerTest, AFolderThatTheTargetDeclaresIsWritable) {
  if (UsableLandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock: every folder is writable";
  target_.writable.clear();
  EXPECT_EQ(Run({{"flaky", "execute"}})["flaky execute"].status, Status::kPass) << "its marker could be written";
  target_.writable = {Markers()};
  EXPECT_EQ(Run({{"flaky", "execute"}})["flaky execute"].status, Status::kFlaky);
}

TEST_F(SchedulerTest, AWrongAnswerThatIsRightAloneInAFreshWorkerIsFlaky) {
  const CaseRecord record = Run({{"random_lie", "execute"}})["random_lie execute"];
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_EQ(record.attempts, 2);
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
  EXPECT_EQ(record.first_attempt.stage, "compare");
  EXPECT_THAT(record.first_attempt.diagnostic, HasSubstr("beyond their bound"));
  EXPECT_THAT(record.diagnostic, HasSubstr("fail in stage compare (output 0"));
  EXPECT_THAT(record.diagnostic, HasSubstr("then pass alone"));
}

TEST_F(BatchedTest, AMemberThatFailsInItsBatchAndPassesAloneIsFlaky) {
  target_.batch = 8;
  context_.batchable = [](const Case&) { return true; };
  const CaseRecord record = Run({{"random_lie", "execute"}}, 1, 1).at("random_lie execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
  EXPECT_EQ(record.first_attempt.stage, "compare");
  EXPECT_THAT(record.diagnostic, HasSubstr("in a batch of "));
}

TEST_F(BatchedTest, AMemberThatDiesInItsBatchAndPassesAloneIsFlaky) {
  target_.batch = 8;
  context_.batchable = [](const Case&) { return true; };
  const CaseRecord record = Run({{"flaky", "execute"}}, 1, 1).at("flaky execute");
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.first_attempt.status, Status::kCrash);
}

TEST_F(SchedulerTest, AKeptFolderIsEmptiedBeforeTheCaseIsRunAgain) {
  context_.retries = 0;
  context_.keep = folder_.path() / "keep";
  const CaseRecord once = Run({{"pass", "execute"}})["pass execute"];
  ASSERT_TRUE(std::filesystem::exists(context_.keep / once.id / "output_0.npy"));
  // The same case, on a device that now writes nothing.
  mock::Behaviour silent = {"no_output", "execute"};
  const std::string id = mock::CaseId(silent, 1);
  std::filesystem::rename(context_.keep / once.id, context_.keep / id);
  const CaseRecord again = Run({silent})["no_output execute"];
  ASSERT_EQ(again.id, id);
  EXPECT_EQ(again.status, Status::kFail);
  EXPECT_THAT(again.diagnostic, HasSubstr("left no output_0.npy"));
}

TEST_F(SchedulerTest, AFolderWithForeignFilesIsNotEmptied) {
  const auto path = mock::WriteMockManifest(context_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  const Case& c = manifest->cases.front();
  context_.keep = folder_.path() / "keep";
  ASSERT_TRUE(WriteFile(context_.keep / c.id / "thesis.tex", "years of work"));
  Scheduler scheduler(context_, 1);
  ASSERT_TRUE(scheduler.Start());
  scheduler.Go({&c}, [](const CaseRecord&) -> Expected<void> { return {}; });
  std::shared_ptr<const CaseRecord> record;
  while (record == nullptr) record = scheduler.Await(c, std::chrono::seconds(1));
  EXPECT_EQ(record->status, Status::kMissing);
  EXPECT_THAT(record->diagnostic, HasSubstr("holds files that no run left there"));
  EXPECT_TRUE(std::filesystem::exists(context_.keep / c.id / "thesis.tex"));
}

TEST_F(SchedulerTest, ALieIsAFailedComparison) {
  const CaseRecord record = Run({{"lie", "execute"}})["lie execute"];
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compare");
  ASSERT_EQ(record.comparisons.size(), 1u);
  EXPECT_FALSE(record.comparisons[0].accepted);
  EXPECT_EQ(record.attempts, 2) << "it might have been a random one";
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
}

TEST_F(SchedulerTest, ADeviceThatSwapsItsInputsIsHeldToThoseItGot) {
  const CaseRecord record = Run({{"swap_input", "execute"}})["swap_input execute"];
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("its file was changed"));
}

TEST_F(SchedulerTest, ATargetWhoseToolsMakeTheInputsIsNot) {
  target_.device.own_inputs = true;
  EXPECT_EQ(Run({{"swap_input", "execute"}})["swap_input execute"].status, Status::kPass);
}

TEST_F(SchedulerTest, WhatPassesInAFreshWorkerIsFlaky) {
  const CaseRecord record = Run({{"flaky", "execute"}})["flaky execute"];
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.stage, "execute");
  EXPECT_EQ(record.signal, SIGSEGV);
  EXPECT_EQ(record.attempts, 2);
  EXPECT_THAT(record.diagnostic, HasSubstr("then pass alone in a fresh worker"));
}

TEST_F(SchedulerTest, ATurnComesBackHoweverItsCaseEnds) {
  const auto records =
      Run({{"segfault", "lower"}, {"segfault", "compare"}, {"fail", "lower"}, {"abort", "execute"}}, 1);
  EXPECT_EQ(records.size(), 5);
}

TEST_F(SchedulerTest, WithoutRetriesADeathIsADeath) {
  context_.retries = 0;
  const CaseRecord record = Run({{"flaky", "execute"}})["flaky execute"];
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(SchedulerTest, DiagnosticsAreNotRetried) {
  auto records =
      Run({{"fail", "lower"}, {"unsupported", "lower"}, {"unsupported", "compare"}, {"unsupported", "inputs"}});
  EXPECT_EQ(records["fail lower"].status, Status::kFail);
  EXPECT_EQ(records["fail lower"].attempts, 1);
  EXPECT_THAT(records["fail lower"].diagnostic, HasSubstr("has no kernel"));
  EXPECT_THAT(records["fail lower"].stderr_tail, testing::Contains("note: second line"));
  EXPECT_EQ(records["unsupported lower"].status, Status::kUnsupported);
  EXPECT_EQ(records["unsupported compare"].status, Status::kInconclusive);
  EXPECT_EQ(records["unsupported inputs"].status, Status::kSkipped);
}

TEST_F(SchedulerTest, TheReferenceMayRefuseACaseWithoutInputs) {
  EXPECT_EQ(Run({{"unsupported", "inputs", 0}})["unsupported inputs"].status, Status::kSkipped);
}

TEST_F(SchedulerTest, PassesThatProveNothingAreNotPasses) {
  auto records = Run({{"zero", "execute"}, {"skip_stage", "lower"}, {"no_comparison", "compare"}});
  EXPECT_EQ(records["zero execute"].status, Status::kInconclusive);
  EXPECT_EQ(records["skip_stage lower"].status, Status::kFail);
  EXPECT_EQ(records["no_comparison compare"].status, Status::kFail);
}

TEST_F(SchedulerTest, ChildrenThatStayAndWorkersThatLeaveHurtNobody) {
  auto records = Run({{"leave_child", "execute"}, {"leave_daemon", "lower"}, {"die_idle", "execute"}});
  for (const auto& [name, record] : records) EXPECT_EQ(record.status, Status::kPass) << name << record.diagnostic;
}

TEST_F(SchedulerTest, WorkersAreReplacedNowAndThen) {
  context_.recycle_after = 20;
  Run(std::vector<Behaviour>(30), 1);
}

TEST_F(SchedulerTest, ATargetWithoutADeviceIsCompiledOnly) {
  target_.device.kind = "none";
  const CaseRecord record = Run({})["pass lower"];
  EXPECT_EQ(record.status, Status::kPass);
  EXPECT_EQ(record.stages.size(), 2u);
}

TEST_F(SchedulerTest, ASerialDeviceIsHeldByOneAtATime) {
  target_.device.parallel = false;
  Behaviour slow;
  slow.stage = "execute";
  slow.ms = 100;
  const auto begin = std::chrono::steady_clock::now();
  Run({slow, slow, slow}, 2);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
}

TEST_F(SchedulerTest, ADeviceIsRecoveredAfterADeathOnIt) {
  const std::string log = (folder_.path() / "recovered").string();
  target_.device.recover = {"sh", "-c", "echo reset >> " + log};
  target_.device.health = {"sh", "-c", "echo healthy >> " + log};
  context_.retries = 0;
  Behaviour on_device = {"segfault", "execute"};
  Run({on_device, {"segfault", "lower"}}, 1, 1);
  EXPECT_EQ(ReadFile(log).value_or(""), "reset\nhealthy\n");
}

// A device that is not there any more when the first case has died on it.
class LostDeviceTest : public SchedulerTest {
 protected:
  void SetUp() override {
    SchedulerTest::SetUp();
    target_.device.health = {"sh", "-c", "echo board 0 is gone; exit 1"};
  }

  // The records of a run whose first case dies on the device, and how often the device was used afterwards.
  std::vector<std::shared_ptr<const CaseRecord>> RunAll(int jobs, size_t good) {
    std::vector<Behaviour> behaviours(good, Behaviour{.stage = "execute", .ms = 50});
    behaviours.insert(behaviours.begin(), {"segfault", "execute"});
    const auto path = mock::WriteMockManifest(context_.manifest_folder, behaviours);
    const Expected<Manifest> manifest = LoadManifest(*path);
    EXPECT_TRUE(manifest);
    std::vector<const Case*> cases;
    for (const Case& c : manifest->cases) cases.push_back(&c);
    Scheduler scheduler(context_, jobs);
    EXPECT_TRUE(scheduler.Start());
    scheduler.Go(cases, [](const CaseRecord&) -> Expected<void> { return {}; });
    std::vector<std::shared_ptr<const CaseRecord>> records;
    for (const Case* c : cases) {
      std::shared_ptr<const CaseRecord> record;
      while (record == nullptr) record = scheduler.Await(*c, std::chrono::seconds(1));
      records.push_back(record);
    }
    scheduler.Stop();
    EXPECT_TRUE(scheduler.device_lost());
    EXPECT_EQ(scheduler.fatal()->code, ExitCode::kPartial);
    return records;
  }
};

TEST_F(LostDeviceTest, TheCaseThatLostItSaysSo) {
  const auto records = RunAll(1, 1);
  EXPECT_EQ(records[0]->status, Status::kCrash);
  EXPECT_EQ(records[0]->stage, "execute");
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("died of SIGSEGV"));
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("the device did not come back"));
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("board 0 is gone"));
}

TEST_F(LostDeviceTest, NoSlotUsesItAnyMore) {
  const auto records = RunAll(2, 200);
  const auto missing = [](const auto& record) { return record->status == Status::kMissing; };
  EXPECT_GT(std::ranges::count_if(records, missing), 150);
  EXPECT_THAT(records.back()->diagnostic, HasSubstr("not run: "));
  EXPECT_THAT(records.back()->diagnostic, HasSubstr("board 0 is gone"));
}

TEST_F(LostDeviceTest, AMemberOfABatchThatLostItSaysSo) {
  target_.batch = 8;
  context_.batchable = [](const Case&) { return true; };
  const auto records = RunAll(1, 3);
  EXPECT_EQ(records[0]->status, Status::kCrash);
  EXPECT_THAT(records[0]->diagnostic, HasSubstr("board 0 is gone"));
  EXPECT_EQ(records[1]->status, Status::kMissing);
}

TEST_F(SchedulerTest, AWorkerThatDoesNotStartIsToldOnce) {
  context_.target_worker.argv.push_back("--hello=exit");
  Scheduler scheduler(context_, 2);
  const Expected<Hello> hello = scheduler.Start();
  ASSERT_FALSE(hello);
  EXPECT_THAT(hello.error().message, HasSubstr("exit code 127"));
  EXPECT_EQ(hello.error().code, ExitCode::kNoInput) << "what a shell says of a command that is not installed";
  Case c;
  c.id = "a";
  const auto record = scheduler.Await(c, std::chrono::seconds(1));
  EXPECT_EQ(record->status, Status::kMissing);
  EXPECT_THAT(record->diagnostic, HasSubstr("not run: the target worker"));
}

// The first of these processes with this flag on its command line; 0 where there is none. A zombie has none.
pid_t WithFlag(const std::vector<pid_t>& processes, const std::string& flag) {
  for (const pid_t pid : processes) {
    if (ReadFile("/proc/" + std::to_string(pid) + "/cmdline").value_or("").find(flag) != std::string::npos) return pid;
  }
  return 0;
}

TEST_F(SchedulerTest, AWorkerThatDiesWhileItsCaseWaitsForATurnIsNoFaultOfTheCase) {
  const auto path = mock::WriteMockManifest(context_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  std::counting_semaphore<> turns(0);
  context_.turns = &turns;
  CaseRecord record;
  std::thread slot_thread([&] {
    Slot slot(0, context_);
    record = slot.Run(manifest->cases[0]).value_or(CaseRecord());
  });
  const auto inputs_are_there = [&] {
    std::error_code gone;
    for (const auto& root : scratch_->folders()) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root, gone)) {
        if (entry.path().filename() == "input_0.npy") return true;
      }
    }
    return false;
  };
  while (!inputs_are_there()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const pid_t target = WithFlag(WorkersOf("self"), "--target");
  EXPECT_GT(target, 0);
  if (target > 0) ::kill(target, SIGKILL);
  // Its pipes are closed when its supervisor has ended as well.
  while (WithFlag(TestChildren(), "--target") != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  turns.release();
  slot_thread.join();
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.attempts, 1);
}

class RestartTest : public SchedulerTest {
 protected:
  void SetUp() override {
    SchedulerTest::SetUp();
    context_.restart_pause = std::chrono::milliseconds(1);
  }

  // The worker starts by `otherwise` where `condition`, on the number n of its start, holds.
  void StartWhere(WorkerSpec& spec, const std::string& condition, const std::string& otherwise) {
    const std::string script = "echo >> " + starts_ + "; n=$(wc -l < " + starts_ + "); if " + condition + "; then " +
                               otherwise + "; fi; exec \"$@\"";
    spec.argv.insert(spec.argv.begin(), {"sh", "-c", script, "sh"});
  }
  void FailToStartWhere(const std::string& condition) {
    StartWhere(context_.target_worker, condition, "echo no licence; exit 5");
  }

  // One that dies in the instant in which its first request is written.
  static constexpr const char* kSpurn = "exec \"$@\" --hello=spurn";

  size_t starts() const { return ReadFile(starts_).value_or("").size(); }

  std::string starts_ = Markers() + "/starts";
};

TEST_F(RestartTest, ASlotWhoseWorkersDoNotStartForAWhileGoesOn) {
  FailToStartWhere("[ $n -gt 1 ] && [ $n -lt 7 ]");
  EXPECT_EQ(Run({{"segfault", "lower"}}, 1, 1)["segfault lower"].status, Status::kCrash);
}

TEST_F(RestartTest, AsLongAsOneSlotLivesItTakesTheCases) {
  context_.retries = 0;
  context_.restarts = 2;
  FailToStartWhere("[ $n -gt 2 ]");
  EXPECT_EQ(Run({{"segfault", "lower"}, {}, {}}, 2, 2)["segfault lower"].status, Status::kCrash);
}

TEST_F(RestartTest, TheLimitEndsInAnHonestError) {
  context_.restarts = 3;
  FailToStartWhere("[ $n -gt 1 ]");
  const auto path = mock::WriteMockManifest(context_.manifest_folder, {{}, {"segfault", "lower"}, {}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  Scheduler scheduler(context_, 1);
  ASSERT_TRUE(scheduler.Start());
  std::vector<const Case*> cases;
  for (const Case& c : manifest->cases) cases.push_back(&c);
  scheduler.Go(cases, [](const CaseRecord&) -> Expected<void> { return {}; });
  std::shared_ptr<const CaseRecord> last;
  while (last == nullptr) last = scheduler.Await(*cases.back(), std::chrono::seconds(1));
  EXPECT_EQ(last->status, Status::kMissing);
  EXPECT_THAT(last->diagnostic, HasSubstr("it printed: no licence"));
  EXPECT_THAT(last->diagnostic, HasSubstr("started again 3 times"));
  EXPECT_EQ(scheduler.Await(*cases.front(), std::chrono::seconds(1))->status, Status::kPass);
  // The first start, two when the case was to be run again, three restarts.
  EXPECT_EQ(starts(), 6u);
}

TEST_F(RestartTest, AWorkerThatDiesBeforeItReadsACaseIsNoAttemptOfIt) {
  ::setenv("OPBYOP_ISOLATION", "none", 1);  // the reference counts its starts as well
  context_.batchable = [](const Case&) { return true; };
  for (const int batch : {1, 8}) {
    for (WorkerSpec* spec : {&context_.target_worker, &context_.reference_worker}) {
      target_.batch = batch;
      std::filesystem::remove(starts_);
      const std::vector<std::string> argv = spec->argv;
      StartWhere(*spec, "[ $n -lt 4 ]", kSpurn);
      const CaseRecord record = Run({{}, {}}, 1, 1)["pass lower"];
      EXPECT_EQ(record.attempts, 1) << spec->role << batch;
      EXPECT_EQ(record.batched > 1, batch > 1) << spec->role << batch;
      EXPECT_EQ(starts(), 4u) << spec->role << batch;
      spec->argv = argv;
    }
  }
  ::unsetenv("OPBYOP_ISOLATION");
}

TEST_F(RestartTest, WorkersThatNeverReadAreACrashInTheEnd) {
  StartWhere(context_.target_worker, "true", kSpurn);
  context_.retries = 0;
  const auto path = mock::WriteMockManifest(context_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  Slot slot(0, context_);
  const Expected<CaseRecord> record = slot.Run(manifest->cases[0]);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->status, Status::kCrash);
  EXPECT_THAT(record->diagnostic, HasSubstr("before it read its request"));
  EXPECT_EQ(starts(), 4u);
}

TEST_F(SchedulerTest, ASinkThatFailsStopsTheRun) {
  const auto path = mock::WriteMockManifest(context_.manifest_folder, std::vector<Behaviour>(50));
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  std::vector<const Case*> cases;
  for (const Case& c : manifest->cases) cases.push_back(&c);
  Scheduler scheduler(context_, 1);
  ASSERT_TRUE(scheduler.Start());
  scheduler.Go(cases, [](const CaseRecord&) -> Expected<void> { return MakeError(ExitCode::kNoInput, "disk full"); });
  std::shared_ptr<const CaseRecord> last;
  while (last == nullptr) last = scheduler.Await(*cases.back(), std::chrono::seconds(1));
  EXPECT_EQ(last->status, Status::kMissing);
  EXPECT_THAT(last->diagnostic, HasSubstr("disk full"));
}

TEST(SeedTest, DependsOnCaseAndRunAndSurvivesJson) {
  EXPECT_NE(InputSeed("a", 0), InputSeed("b", 0));
  EXPECT_NE(InputSeed("a", 0), InputSeed("a", 1));
  EXPECT_EQ(InputSeed("a", 1), InputSeed("a", 1));
  EXPECT_LT(InputSeed("a", 0), 1ull << 53);
}

}  // namespace
}  // namespace opbyop
