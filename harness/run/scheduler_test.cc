// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "harness/run/scheduler_fixture.h"
#include "manifests/cases/manifest.h"
#include "support/files/file.h"
#include "support/process/isolation.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using mock::Behaviour;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SchedulerTest, AGoodCaseHasACompleteRecord) {
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

TEST_F(SchedulerTest, AnyDeathOfAWorkerFailsOneCase) {
  auto records = Run({{"segfault", "parse"},
                      {"segfault", "execute"},
                      {"assertion", "lower"},
                      {"exit", "load"},
                      {"partial_reply", "execute"},
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
  EXPECT_EQ(records["exit load"].signal, 0);
  ASSERT_FALSE(records["segfault execute"].stderr_tail.empty());
  EXPECT_EQ(records["segfault execute"].stderr_tail.back(), "about to crash in execute");
}

TEST_F(SchedulerTest, ADeathOfTheReferenceIsNotBlamedOnTheOp) {
  auto records =
      Run({{"segfault", "inputs"}, {"partial_reply", "inputs"}, {"abort", "compare"}, {"garbage", "compare"}});
  for (const auto& [name, record] : records) {
    if (name == "pass lower") continue;
    const bool inputs = name.ends_with("inputs");
    EXPECT_EQ(record.status, inputs ? Status::kSkipped : Status::kInconclusive) << name;
    EXPECT_EQ(record.reference, Status::kCrash) << name;
    EXPECT_EQ(record.stage, inputs ? "inputs" : "compare") << name;
    EXPECT_EQ(record.stages.back().name, record.stage) << name;
    EXPECT_EQ(record.stages.back().status, record.status) << name;
    EXPECT_EQ(record.signal, 0) << name;
    EXPECT_EQ(record.attempts, 2) << name;
    EXPECT_THAT(record.diagnostic, HasSubstr("the reference worker ")) << name;
  }
  EXPECT_THAT(records["segfault inputs"].diagnostic,
              testing::StartsWith("compiled, not executed: no inputs: the reference worker died of SIGSEGV"));
  EXPECT_THAT(records["abort compare"].diagnostic,
              testing::StartsWith("executed, not compared: the reference worker died of SIGABRT"));
  EXPECT_THAT(records["segfault inputs"].stderr_tail, testing::Contains("about to crash in inputs"));
}

TEST_F(SchedulerTest, AReferenceThatDiesOnceLeavesTheVerdictOfTheNextAttempt) {
  settings_.keep = folder_.path() / "keep";  // the only folder of a case that a reference may write to for itself
  std::filesystem::create_directories(settings_.keep / "markers");
  settings_.reference_worker.environment["MOCK_MARKERS"] = settings_.keep / "markers";
  const CaseRecord record = Run({{"flaky", "compare"}})["flaky compare"];
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.attempts, 2);
  EXPECT_EQ(record.first_attempt.status, Status::kInconclusive);
  EXPECT_THAT(record.first_attempt.diagnostic, HasSubstr("the reference worker died of SIGSEGV"));
}

TEST_F(SchedulerTest, ARefusalOfTheReferenceIsNotBlamedOnTheOp) {
  auto records = Run({{"fail", "inputs"}, {"no_comparison", "compare"}});
  EXPECT_EQ(records["fail inputs"].status, Status::kSkipped);
  EXPECT_EQ(records["fail inputs"].reference, Status::kFail);
  EXPECT_THAT(records["fail inputs"].diagnostic, HasSubstr("no inputs: error: "));
  EXPECT_EQ(records["no_comparison compare"].status, Status::kInconclusive);
  EXPECT_THAT(records["no_comparison compare"].diagnostic, HasSubstr("compared 0 of 1 outputs"));
}

TEST_F(SchedulerTest, AReferenceThatHasNoTimeIsNotAskedAgain) {
  settings_.reference_worker.fallback.timeout_s = 1;
  const CaseRecord record = Run({{"hang", "inputs"}})["hang inputs"];
  EXPECT_EQ(record.status, Status::kSkipped);
  EXPECT_EQ(record.reference, Status::kTimeout);
  EXPECT_EQ(record.attempts, 1);
  EXPECT_THAT(record.diagnostic, HasSubstr("no end of stage within its limit of 1 s"));
}

TEST_F(SchedulerTest, AReferenceThatOutgrowsItsLimitLeavesTheCaseInconclusive) {
  settings_.reference_worker.fallback.memory_mb = 200;
  const CaseRecord record = Run({{"memory_bomb", "compare"}})["memory_bomb compare"];
  EXPECT_EQ(record.status, Status::kInconclusive);
  EXPECT_EQ(record.reference, Status::kOutOfMemory);
  EXPECT_EQ(record.attempts, 1);
  EXPECT_THAT(record.diagnostic, HasSubstr("the limit is 200 MB"));
}

TEST_F(SchedulerTest, ADeathWhileReleasingACaseFailsThatCase) {
  settings_.target_worker.argv.emplace_back("--release");
  auto records = Run({{"segfault", "release"}, {"hang", "release"}});
  EXPECT_EQ(records["pass lower"].status, Status::kPass);
  const std::map<std::string, Status> ends = {{"segfault", Status::kCrash}, {"hang", Status::kTimeout}};
  for (const auto& [name, status] : ends) {
    const CaseRecord& record = records[name + " release"];
    EXPECT_EQ(record.status, status) << name;
    EXPECT_EQ(record.stage, "execute") << name;
    EXPECT_EQ(record.attempts, 2) << name;
    EXPECT_THAT(record.diagnostic, testing::HasSubstr("when its executable was released")) << name;
  }
  EXPECT_EQ(records["segfault release"].signal, SIGSEGV);
}

TEST_F(SchedulerTest, AWorkerWithoutReleaseGetsNoReleaseRequest) {
  EXPECT_EQ(Run({{"segfault", "release"}})["segfault release"].status, Status::kPass);
}

TEST_F(SchedulerTest, HangsEndAtTheirStagesLimit) {
  auto records = Run({{"hang", "execute"}, {"hang_deaf", "compare"}});
  EXPECT_EQ(records["hang execute"].status, Status::kTimeout);
  EXPECT_EQ(records["hang execute"].stage, "execute");
  EXPECT_EQ(records["hang_deaf compare"].status, Status::kInconclusive);
  EXPECT_EQ(records["hang_deaf compare"].reference, Status::kTimeout);
  EXPECT_EQ(records["hang execute"].attempts, 2);
  EXPECT_THAT(records["hang_deaf compare"].diagnostic, HasSubstr("the reference worker gave no end of stage"));
}

TEST_F(SchedulerTest, ADeathBetweenTwoRequestsIsACrashOfItsCase) {
  auto records = Run({{"exit_after_done", "lower"},
                      {"killed_after_done", "lower"},
                      {"second_done", "lower"},
                      {"killed_after_done", "inputs"}});
  for (const char* name : {"exit_after_done lower", "killed_after_done lower", "second_done lower"}) {
    EXPECT_EQ(records[name].status, Status::kCrash) << name << ": " << records[name].diagnostic;
    EXPECT_EQ(records[name].attempts, 2) << name;
  }
  EXPECT_EQ(records["exit_after_done lower"].stage, "load");
  EXPECT_EQ(records["killed_after_done lower"].stage, "load");
  // Its second answer may have arrived when the first is read.
  EXPECT_THAT(records["second_done lower"].stage, testing::AnyOf("lower", "load"));
  EXPECT_EQ(records["killed_after_done lower"].signal, SIGKILL);
  EXPECT_THAT(records["exit_after_done lower"].diagnostic, HasSubstr("left with exit code 9"));
  const CaseRecord& reference = records["killed_after_done inputs"];
  EXPECT_EQ(reference.status, Status::kInconclusive);
  EXPECT_EQ(reference.stage, "compare");
  EXPECT_THAT(reference.diagnostic, HasSubstr("the reference worker died of SIGKILL"));
}

TEST_F(SchedulerTest, ADeathBeforeTheNextCaseIsReadIsNoFaultOfThatCase) {
  auto records = Run({{"spurn_next", "execute"}, {"spurn_next", "compare"}, {"spurn_next", "lower"}}, 1, 1);
  EXPECT_EQ(records["spurn_next execute"].status, Status::kPass);
  EXPECT_EQ(records["spurn_next compare"].status, Status::kInconclusive);  // its answer held no comparison
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
  // Some file systems take a second for so many files.
  for (WorkerSpec* spec : {&settings_.target_worker, &settings_.reference_worker}) {
    spec->fallback.timeout_s = std::chrono::duration<double>(kTestPatience).count();
    for (auto& [stage, limits] : spec->limits) limits.timeout_s = spec->fallback.timeout_s;
  }
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
  shared_.scratch = scratch_.get();
  settings_.retries = 0;
  const auto records = Run({{"daemon_memory", "lower"}, {"file_memory", "lower"}});
  EXPECT_EQ(records.at("daemon_memory lower").status, Status::kOutOfMemory);
  EXPECT_EQ(records.at("file_memory lower").status, Status::kOutOfMemory);
}

TEST_F(SchedulerTest, AnOutputThatIsNoTensorFileFailsInExecution) {
  settings_.retries = 0;
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
  const CaseRecord record = Run({{"random_wrong_result", "execute"}})["random_wrong_result execute"];
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.stage, "compare");
  EXPECT_EQ(record.attempts, 2);
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
  EXPECT_EQ(record.first_attempt.stage, "compare");
  EXPECT_THAT(record.first_attempt.diagnostic, HasSubstr("beyond their bound"));
  EXPECT_THAT(record.diagnostic, HasSubstr("fail in stage compare (output 0"));
  EXPECT_THAT(record.diagnostic, HasSubstr("then pass alone"));
}

TEST_F(SchedulerTest, AKeptFolderIsEmptiedBeforeTheCaseIsRunAgain) {
  settings_.retries = 0;
  settings_.keep = folder_.path() / "keep";
  const CaseRecord once = Run({{"pass", "execute"}})["pass execute"];
  ASSERT_TRUE(std::filesystem::exists(settings_.keep / once.id / "output_0.npy"));
  // The same case again, on a device that writes nothing.
  mock::Behaviour silent = {"no_output", "execute"};
  const std::string id = mock::CaseId(silent, 1);
  std::filesystem::rename(settings_.keep / once.id, settings_.keep / id);
  const CaseRecord again = Run({silent})["no_output execute"];
  ASSERT_EQ(again.id, id);
  EXPECT_EQ(again.status, Status::kFail);
  EXPECT_THAT(again.diagnostic, HasSubstr("left no output_0.npy"));
}

TEST_F(SchedulerTest, AFolderWithForeignFilesIsNotEmptied) {
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  const Case& c = manifest->cases.front();
  settings_.keep = folder_.path() / "keep";
  ASSERT_TRUE(WriteFile(settings_.keep / c.id / "thesis.tex", "years of work"));
  Scheduler scheduler(settings_, shared_, options_);
  ASSERT_TRUE(scheduler.Start());
  scheduler.Go({&c}, [](const Case&, const CaseRecord&, Scheduler::Kind) -> Expected<void> { return {}; });
  std::shared_ptr<const CaseRecord> record;
  while (record == nullptr) record = scheduler.Await(c, std::chrono::seconds(1));
  EXPECT_EQ(record->status, Status::kMissing);
  EXPECT_THAT(record->diagnostic, HasSubstr("has files that are not from a run"));
  EXPECT_TRUE(std::filesystem::exists(settings_.keep / c.id / "thesis.tex"));
}

TEST_F(SchedulerTest, AWrongResultIsAFailedComparison) {
  const CaseRecord record = Run({{"wrong_result", "execute"}})["wrong_result execute"];
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_EQ(record.stage, "compare");
  ASSERT_EQ(record.comparisons.size(), 1u);
  EXPECT_FALSE(record.comparisons[0].accepted);
  EXPECT_EQ(record.attempts, 2) << "it might have been a random one";
  EXPECT_EQ(record.first_attempt.status, Status::kFail);
}

TEST_F(SchedulerTest, ADeviceThatSwapsItsInputsIsJudgedByThoseItGot) {
  const CaseRecord record = Run({{"swap_input", "execute"}})["swap_input execute"];
  EXPECT_EQ(record.status, Status::kFail);
  EXPECT_THAT(record.diagnostic, HasSubstr("its file was changed"));
}

TEST_F(SchedulerTest, ATargetWithItsOwnInputsMayReplaceThem) {
  target_.device.own_inputs = true;
  EXPECT_EQ(Run({{"swap_input", "execute"}})["swap_input execute"].status, Status::kPass);
}

TEST_F(SchedulerTest, ACaseThatPassesInAFreshWorkerIsFlaky) {
  const CaseRecord record = Run({{"flaky", "execute"}})["flaky execute"];
  EXPECT_EQ(record.status, Status::kFlaky);
  EXPECT_EQ(record.stage, "execute");
  EXPECT_EQ(record.signal, SIGSEGV);
  EXPECT_EQ(record.attempts, 2);
  EXPECT_THAT(record.diagnostic, HasSubstr("then pass alone in a fresh worker"));
}

TEST_F(SchedulerTest, AFailedExecutionDoesNotAffectLaterCases) {
  const auto records = Run({{"corrupt", "execute"}, {"zero", "execute"}}, 1, 1);
  for (const auto& [name, record] : records) EXPECT_NE(record.status, Status::kFlaky) << name << record.diagnostic;
  EXPECT_THAT(records.at("corrupt execute").diagnostic, HasSubstr("has no kernel"));
  EXPECT_EQ(records.at("pass lower").attempts, 1);
  EXPECT_EQ(records.at("zero execute").attempts, 1);
}

TEST_F(SchedulerTest, APermitIsReleasedHoweverItsCaseEnds) {
  const auto records =
      Run({{"segfault", "lower"}, {"segfault", "compare"}, {"fail", "lower"}, {"abort", "execute"}}, 1);
  EXPECT_EQ(records.size(), 5);
}

TEST_F(SchedulerTest, WithoutRetriesADeathIsFinal) {
  settings_.retries = 0;
  const CaseRecord record = Run({{"flaky", "execute"}})["flaky execute"];
  EXPECT_EQ(record.status, Status::kCrash);
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(SchedulerTest, AFailureThatTheBaselineExpectsIsNotRunAgain) {
  Expect("{id: '*', status: fail, stage: compare, reason: r}");
  auto records = Run({{"wrong_result", "execute"}, {"fail", "execute"}});
  EXPECT_EQ(records["wrong_result execute"].status, Status::kFail);
  EXPECT_EQ(records["wrong_result execute"].attempts, 1);
  EXPECT_EQ(records["fail execute"].attempts, 2) << "it is expected to fail in another stage";
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
  EXPECT_EQ(records["no_comparison compare"].status, Status::kInconclusive);
}

TEST_F(SchedulerTest, LeftoverChildrenAndExitingWorkersDoNotAffectOtherCases) {
  auto records = Run({{"leave_child", "execute"}, {"leave_daemon", "lower"}, {"die_idle", "execute"}});
  for (const auto& [name, record] : records) EXPECT_EQ(record.status, Status::kPass) << name << record.diagnostic;
}

TEST_F(SchedulerTest, WorkersAreReplacedNowAndThen) {
  settings_.recycle_after = 20;
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
  settings_.retries = 0;
  Behaviour on_device = {"segfault", "execute"};
  Run({on_device, {"segfault", "lower"}}, 1, 1);
  EXPECT_EQ(ReadFile(log).value_or(""), "reset\nhealthy\n");
}

TEST_F(SchedulerTest, AWorkerThatDoesNotStartIsReportedOnce) {
  settings_.target_worker.argv.push_back("--hello=exit");
  options_.jobs = 2;
  Scheduler scheduler(settings_, shared_, options_);
  const Expected<protocol::Hello> hello = scheduler.Start();
  ASSERT_FALSE(hello);
  EXPECT_THAT(hello.error().message, HasSubstr("exit code 127"));
  EXPECT_EQ(hello.error().code, ExitCode::kNoInput) << "what a shell says of a command that is not installed";
  Case c;
  c.id = "a";
  const auto record = scheduler.Await(c, std::chrono::seconds(1));
  EXPECT_EQ(record->status, Status::kMissing);
  EXPECT_THAT(record->diagnostic, HasSubstr("not run: the target worker"));
}

TEST_F(SchedulerTest, AWorkerWithoutItsDeviceCompilesOnly) {
  settings_.target_worker.argv.push_back("--hello=no-device");
  const auto records = Run({{"wrong_result", "execute"}, {"fail", "lower"}});
  const CaseRecord& compiled = records.at("wrong_result execute");
  EXPECT_EQ(compiled.status, Status::kPass) << compiled.diagnostic;
  ASSERT_EQ(compiled.stages.size(), 2u);
  EXPECT_EQ(compiled.stages.back().name, "lower");
  EXPECT_EQ(records.at("fail lower").status, Status::kFail);
}

// Returns the first of these processes with this flag on its command line; 0 if there is none. A zombie has no command
// line.
pid_t WithFlag(const std::vector<pid_t>& processes, const std::string& flag) {
  for (const pid_t pid : processes) {
    if (ReadFile("/proc/" + std::to_string(pid) + "/cmdline").value_or("").find(flag) != std::string::npos) return pid;
  }
  return 0;
}

TEST_F(SchedulerTest, AWorkerThatDiesWhileItsCaseWaitsForAPermitIsNoFaultOfTheCase) {
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, {{}});
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  std::counting_semaphore<> permits(0);
  shared_.permits = &permits;
  CaseRecord record;
  std::thread slot_thread([&] {
    Slot slot(0, settings_, start_, shared_);
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
  const pid_t target = WithFlag(WorkersOf(0), "--target");
  EXPECT_GT(target, 0);
  if (target > 0) ::kill(target, SIGKILL);
  // Its pipes are closed only when its supervisor has ended as well.
  while (WithFlag(TestChildren(), "--target") != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  permits.release();
  slot_thread.join();
  EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
  EXPECT_EQ(record.attempts, 1);
}

TEST_F(SchedulerTest, ASinkThatFailsStopsTheRun) {
  const auto path = mock::WriteMockManifest(settings_.manifest_folder, std::vector<Behaviour>(50));
  const Expected<Manifest> manifest = LoadManifest(*path);
  ASSERT_TRUE(manifest);
  std::vector<const Case*> cases;
  for (const Case& c : manifest->cases) cases.push_back(&c);
  Scheduler scheduler(settings_, shared_, options_);
  ASSERT_TRUE(scheduler.Start());
  scheduler.Go(cases, [](const Case&, const CaseRecord&, Scheduler::Kind) -> Expected<void> {
    return MakeError(ExitCode::kNoInput, "disk full");
  });
  std::shared_ptr<const CaseRecord> last;
  while (last == nullptr) last = scheduler.Await(*cases.back(), std::chrono::seconds(1));
  EXPECT_EQ(last->status, Status::kMissing);
  EXPECT_THAT(last->diagnostic, HasSubstr("disk full"));
}

// The order in which cases end, with the last two of them costly.
std::vector<size_t> OrderOfEnds(const SlotSettings& settings, const SharedState& shared,
                                const SchedulerOptions& options) {
  constexpr size_t kCases = 24;
  const auto path = mock::WriteMockManifest(settings.manifest_folder,
                                            std::vector<Behaviour>(kCases, Behaviour{.stage = "lower", .ms = 40}));
  Expected<Manifest> manifest = LoadManifest(*path);
  EXPECT_TRUE(manifest);
  manifest->cases[kCases - 2].bytes = int64_t{1} << 40;
  manifest->cases[kCases - 1].bytes = int64_t{1} << 41;
  std::vector<const Case*> cases;
  for (const Case& c : manifest->cases) cases.push_back(&c);
  Scheduler scheduler(settings, shared, options);
  EXPECT_TRUE(scheduler.Start());
  std::vector<size_t> ends;
  scheduler.Go(cases, [&](const Case& c, const CaseRecord&, Scheduler::Kind) -> Expected<void> {
    ends.push_back(static_cast<size_t>(&c - manifest->cases.data()));
    return {};
  });
  for (const Case* c : cases) {
    while (scheduler.Await(*c, std::chrono::seconds(1)) == nullptr) continue;
  }
  scheduler.Stop();
  return ends;
}

TEST_F(SchedulerTest, OneOfTwoSlotsBeginsWithTheCostliestCases) {
  options_.jobs = 2;
  const std::vector<size_t> ends = OrderOfEnds(settings_, shared_, options_);
  const auto place = [&](size_t i) { return std::ranges::find(ends, i) - ends.begin(); };
  EXPECT_LT(place(23), place(22)) << "the costliest first";
  EXPECT_LT(place(22), 20) << "before the ordinary cases have ended";
  EXPECT_LT(place(0), place(10)) << "the other slot goes through the cases in order";
}

TEST_F(SchedulerTest, ASingleSlotRunsCasesInOrderHoweverCostly) {
  options_.jobs = 1;
  const std::vector<size_t> ends = OrderOfEnds(settings_, shared_, options_);
  EXPECT_TRUE(std::ranges::is_sorted(ends));
  EXPECT_EQ(ends.size(), 24u);
}

TEST(SeedTest, DependsOnCaseAndRunAndSurvivesJson) {
  EXPECT_NE(InputSeed("a", 0), InputSeed("b", 0));
  EXPECT_NE(InputSeed("a", 0), InputSeed("a", 1));
  EXPECT_EQ(InputSeed("a", 1), InputSeed("a", 1));
  EXPECT_LT(InputSeed("a", 0), 1ull << 53);
}

}  // namespace
}  // namespace opbyop::harness
