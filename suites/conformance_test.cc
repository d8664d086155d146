// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests the conformance program as its users see it, with the mock target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/mock/behaviour.h"
#include "manifests/results/result.h"
#include "suites/test_conformance_program.h"
#include "support/files/file.h"
#include "support/process/process.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop::suites {
namespace {

namespace fs = std::filesystem;
using mock::Behaviour;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(ConformanceTest, PassesAndWritesTheStream) {
  Write({{}, {}, {}});
  const Outcome outcome = Run(Command({}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("[  PASSED  ] 3 tests."));
  const opbyop::Run run = Results();
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.cases.size(), 3u);
  EXPECT_EQ(run.footer.totals.at("pass"), 3);
  EXPECT_EQ(run.header.target, "mock");
  EXPECT_EQ(run.header.toolchain, "mock 1.0");
  EXPECT_EQ(run.header.stages, (std::vector<std::string>{"parse", "lower", "load", "execute", "compare"}));
  EXPECT_EQ(run.header.manifest_hash.size(), 64u);
  EXPECT_EQ(run.header.host.count("cpu"), 1u);
  EXPECT_THAT(run.header.host.at("isolation"),
              testing::MatchesRegex("(cgroup|subreaper)(.landlock.[0-9]+.)?(.seccomp)?(.mounts)?"));
  EXPECT_THAT(run.header.start, testing::EndsWith("+00:00"));
}

TEST_F(ConformanceTest, ARunThatJudgesNothingIsNeitherGreenNorRed) {
  Write({{"unsupported", "lower"}, {"zero", "lower"}});
  const Outcome outcome = Run(Command({}));
  EXPECT_EQ(outcome.code, 8) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("nothing was judged: all 2 rows are unsupported, inconclusive or skipped"));
  EXPECT_TRUE(Results().complete);
}

TEST_F(ConformanceTest, OneJudgedRowMakesARunGreen) {
  Write({{"unsupported", "lower"}, {}});
  EXPECT_EQ(Run(Command({})).code, 0);
  EXPECT_EQ(Run(Command({"--gtest_filter=*unsupported*"})).code, 8) << "of the rows that were chosen none is judged";
}

TEST_F(ConformanceTest, RowsOfOneCaseShareItsExecution) {
  Write({{}, {"fail", "lower"}}, {"resnet", "bert"});
  const Outcome outcome = Run(Command({}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("[  PASSED  ] 2 tests."));
  EXPECT_THAT(outcome.output, HasSubstr("[  FAILED  ] Conformance.Row/resnet__fail_lower_4_f32_00000001"));
  EXPECT_THAT(outcome.output, HasSubstr("[  FAILED  ] Conformance.Row/bert__fail_lower_4_f32_00000001"));
  EXPECT_EQ(Results().cases.size(), 2u);
}

TEST_F(ConformanceTest, OneFailurePerRowThatSaysWhereWhyAndHowToRepeat) {
  Write({{"fail", "lower"}, {"wrong_result", "execute"}, {"segfault", "execute"}, {"unsupported", "lower"}, {}});
  const fs::path xml = folder_.path() / "report.xml";
  const Outcome outcome = Run(Command({"--gtest_output=xml:" + xml.string()}));
  EXPECT_EQ(outcome.code, 1);
  const std::string report = *ReadFile(xml);
  EXPECT_EQ(CountOf(report, "<failure "), 3u);
  EXPECT_EQ(CountOf(report, "<skipped "), 1u);
  EXPECT_THAT(report, HasSubstr("lower: fail: error: 'fail_lower_4_f32_00000000' has no kernel"));
  EXPECT_THAT(report, HasSubstr("compare: fail: output 0[3]: got 2, expected 1, 1 of 4 elements beyond their bound"));
  EXPECT_THAT(report, HasSubstr("execute: crash: died of SIGSEGV (Segmentation fault)"));
  EXPECT_THAT(report, HasSubstr("| about to crash in execute"));
  EXPECT_THAT(report, Not(HasSubstr("| error: 'fail_lower"))) << "what the diagnostic says stands once";
  // Once in the message and once in the body of each failure.
  EXPECT_EQ(CountOf(report, "repro: " + TestProgram("opbyop") + " repro mock__"), 6u);
  EXPECT_THAT(report, HasSubstr("value_param=\"mock.fail (f32[4]) -> f32[4]\""));
}

TEST_F(ConformanceTest, MisbehaviourOfAnyKindFailsOnlyItsOwnCase) {
  const std::string target = WriteText("impatient.yaml", R"(schema: opbyop-target/1
name: impatient
worker: ["{bin}/mock_worker", "--target"]
device: {kind: mock, parallel: true}
writable: ["{env:MOCK_MARKERS}"]
limits: {timeout_s: 3, memory_mb: 300}
stages: [{name: parse}, {name: lower, timeout_s: 1}, {name: load}, {name: execute}]
)");
  std::vector<Behaviour> behaviours;
  for (const std::string_view name : mock::Behaviours()) {
    if (name.starts_with("flood_")) continue;  // these print a gigabyte each: harness/worker/worker_test.cc
    if (name == "die_idle") continue;  // may affect the next case, which is then flaky: harness/run/scheduler_test.cc
    behaviours.push_back({});
    // A worker is replaced after each failed execution. After a failed compilation it is not, because those are
    // frequent.
    const bool executes = name == "corrupt";
    behaviours.push_back({std::string(name), name == "memory_bomb" ? "parse" : executes ? "execute" : "lower"});
  }
  Write(behaviours);
  const Outcome outcome = Run(Command({"--target=" + target}), {{"MOCK_MARKERS", folder_.path().string()}});
  EXPECT_EQ(outcome.code, 1);
  const opbyop::Run run = Results();
  EXPECT_EQ(run.cases.size(), behaviours.size());
  std::map<std::string, Status> by_name;
  for (const CaseRecord& record : run.cases) {
    if (record.id.starts_with("pass_")) {
      EXPECT_EQ(record.status, Status::kPass) << record.id << record.diagnostic;
    }
    by_name[record.id.substr(0, record.id.find("_4_"))] = record.status;
  }
  EXPECT_EQ(by_name["segfault_lower"], Status::kCrash);
  EXPECT_EQ(by_name["hang_deaf_lower"], Status::kTimeout);
  EXPECT_EQ(by_name["memory_bomb_parse"], Status::kOutOfMemory);
  EXPECT_EQ(by_name["flaky_lower"], Status::kFlaky);
  EXPECT_EQ(by_name["zero_lower"], Status::kInconclusive);
  for (const char* name : {"deep_nesting_lower", "endless_stages_lower", "exit_after_done_lower",
                           "forbidden_status_lower", "nested_begin_lower", "second_done_lower", "silly_bytes_lower"}) {
    EXPECT_EQ(by_name[name], Status::kCrash) << name;
  }
}

TEST_F(ConformanceTest, APassedRowThatMakesAnotherFailBecomesRed) {
  Write({{}, {"poison", "execute"}, {}, {"dies_of_poison", "execute"}, {}});
  const fs::path xml = folder_.path() / "report.xml";
  const Outcome outcome = Run(Command({"--jobs=1", "--gtest_output=xml:" + xml.string()}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("[  PASSED  ] 3 tests."));
  EXPECT_THAT(outcome.output, HasSubstr("[  FAILED  ] Conformance.Row/mock__poison_execute_4_f32_00000001"));
  EXPECT_THAT(outcome.output, HasSubstr("is red after all: pass, but dies_of_poison_execute_4_f32_00000003 ends as"));
  const opbyop::Run run = Results();
  EXPECT_EQ(run.footer.totals, (std::map<std::string, int64_t>{{"fail", 1}, {"flaky", 1}, {"pass", 3}}));
  EXPECT_EQ(run.cases[1].status, Status::kFail);
  EXPECT_EQ(run.cases[3].spoiled_by, run.cases[1].id);
  EXPECT_EQ(CountOf(*ReadFile(folder_.path() / "out/results.jsonl"), "\"case\":\"" + run.cases[1].id + "\""), 1u);
  EXPECT_EQ(CountOf(*ReadFile(xml), "<failure "), 2u);
  const Outcome resumed = Run(Command({"--jobs=1", "--resume"}));
  EXPECT_EQ(resumed.code, 1) << resumed.output;
  EXPECT_EQ(Results().cases[1].status, Status::kFail);
}

TEST_F(ConformanceTest, AWorkerThatWasRebuiltDuringTheRunGetsNoCaseAndTheRunIsRed) {
  const std::string target = WriteText("rebuilt.yaml", R"(schema: opbyop-target/1
name: rebuilt
worker: ["{bin}/mock_worker", "--target", "--hello=rebuilt"]
device: {kind: mock, parallel: true}
writable: ["{env:MOCK_MARKERS}"]
stages: [{name: parse}, {name: lower}, {name: load}, {name: execute}]
)");
  Write({{}, {"segfault", "lower"}, {}});
  const Outcome outcome = Run(Command({"--jobs=1", "--target=" + target}), {{"MOCK_MARKERS", folder_.path().string()}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("the target worker now says that it is mock, version mock 2.0, and this run "
                                        "started with mock, version mock 1.0"));
  const opbyop::Run run = Results();
  EXPECT_EQ(run.cases.size(), 2u);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_THAT(run.events[0].text, HasSubstr("mock 2.0"));
}

TEST_F(ConformanceTest, WorkersKilledAtRandomLoseNoCase) {
  Behaviour slow;
  slow.ms = 10;
  Write(std::vector<Behaviour>(60, slow));
  const auto process = Start(Command({"--jobs=2"}));
  const fs::path results = folder_.path() / "out/results.jsonl";
  while (!fs::exists(results)) std::this_thread::sleep_for(milliseconds(1));
  size_t killed = 0, lines = 0;
  while (!process->Poll()) {
    process->WaitFor(milliseconds(5));
    // Kill at most one worker per record, so that workers make progress even on a slow machine.
    const size_t now = CountOf(ReadFile(results).value_or(""), "\n");
    if (now == lines) continue;
    lines = now;
    // Kill target and reference workers alike, as the kernel does when memory runs out.
    const std::vector<pid_t> workers = WorkersOf(process->pid());
    if (!workers.empty()) killed += ::kill(workers[killed * 7919 % workers.size()], SIGKILL) == 0;
  }
  process->DrainLog();
  EXPECT_EQ(process->Poll()->signal, 0) << process->log().text();
  EXPECT_GT(killed, 0u);
  const opbyop::Run run = Results();
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.cases.size(), 60u);
  for (const CaseRecord& record : run.cases) {
    if (record.status == Status::kInconclusive) {  // both attempts lost their reference worker
      EXPECT_THAT(record.diagnostic, HasSubstr("the reference worker died of SIGKILL"));
      continue;
    }
    EXPECT_THAT(record.status, testing::AnyOf(Status::kPass, Status::kFlaky, Status::kCrash)) << record.diagnostic;
    if (record.status != Status::kPass) EXPECT_EQ(record.signal, SIGKILL) << record.diagnostic;
  }
}

TEST_F(ConformanceTest, ListsWithoutStartingAnything) {
  Write({{}, {}}, {"alpha", "beta"});
  std::vector<std::string> argv = Command({"--gtest_list_tests", "--reference-worker=/no/such/worker"});
  const Outcome outcome = Run(argv);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("Conformance.\n  Row/alpha__pass_lower_4_f32_00000000"));
  EXPECT_EQ(CountOf(outcome.output, "Row/"), 4u);
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(ConformanceTest, OnlyCasesOfSelectedTestsAreRun) {
  Write({{}, {"hang", "lower"}, {}});
  const Outcome outcome = Run(Command({"--gtest_filter=*pass*02"}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  ASSERT_EQ(Results().cases.size(), 1u);
  EXPECT_EQ(Results().cases[0].id, "pass_lower_4_f32_00000002");
  EXPECT_EQ(Run(Command({"--select=op=pass,id=*00", "--fresh"})).code, 0);
  ASSERT_EQ(Results().cases.size(), 1u);
  EXPECT_EQ(Results().cases[0].id, "pass_lower_4_f32_00000000");
}

TEST_F(ConformanceTest, ARunOfSomeRowsKeepsTheResultsOfTheOthers) {
  Write(std::vector<Behaviour>(26));
  EXPECT_EQ(Run(Command({})).code, 0);
  const opbyop::Run before = Results();
  const Outcome some = Run(Command({"--gtest_filter=*00:*01:*02"}));
  EXPECT_EQ(some.code, 0) << some.output;
  EXPECT_THAT(some.output, HasSubstr("keeps its 23 other results"));
  const opbyop::Run after = Results();
  EXPECT_TRUE(after.complete);
  EXPECT_EQ(after.footer.totals.at("pass"), 26);
  ASSERT_EQ(after.cases.size(), 26u);
  size_t made_again = 0;
  for (size_t i = 0; i < 26; ++i) {
    ASSERT_EQ(after.cases[i].id, before.cases[i].id);
    made_again += after.cases[i].start != before.cases[i].start;
  }
  EXPECT_EQ(made_again, 3u);
}

TEST_F(ConformanceTest, ARunOfSomeRowsAloneSaysWhichTheyAre) {
  Write(std::vector<Behaviour>(5));
  const Outcome some = Run(Command({"--gtest_filter=*00"}));
  EXPECT_EQ(some.code, 0) << some.output;
  EXPECT_THAT(some.output, HasSubstr("results.jsonl (1 of 5 cases)"));
  EXPECT_TRUE(Results().complete);
  EXPECT_NE(Results().header.selected, "");
  EXPECT_EQ(Run(Command({"--gtest_filter=*01"})).code, 0);
  EXPECT_TRUE(Results().complete);
  EXPECT_EQ(Results().cases.size(), 2u);
  const Outcome rest = Run(Command({"--resume"}));
  EXPECT_EQ(rest.code, 0) << rest.output;
  EXPECT_THAT(rest.output, HasSubstr("goes on from its 2 results"));
  EXPECT_TRUE(Results().complete);
  EXPECT_EQ(Results().header.selected, "");
}

TEST_F(ConformanceTest, ARunThatIsKilledWhileItRepeatsSomeRowsLosesNoResult) {
  Behaviour slow;
  slow.ms = 100;
  Write(std::vector<Behaviour>(20, slow));
  EXPECT_EQ(Run(Command({"--jobs=4"})).code, 0);
  const auto process = Start(Command({"--gtest_filter=*0?", "--jobs=1"}));
  while (Results().complete) std::this_thread::sleep_for(milliseconds(5));
  ::kill(process->pid(), SIGKILL);
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  EXPECT_EQ(Results().cases.size(), 20u);
  EXPECT_FALSE(Results().complete);
  const Outcome outcome = Run(Command({"--resume"}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(Results().complete);
}

TEST_F(ConformanceTest, ACompleteRunStaysReadableUntilTheNextIsComplete) {
  Write(std::vector<Behaviour>(3));
  EXPECT_EQ(Run(Command({})).code, 0);
  const std::string first = Results().header.run_id;
  EXPECT_EQ(Run(Command({})).code, 0);
  EXPECT_NE(Results().header.run_id, first);
  const opbyop::Run previous = Results("results.previous.jsonl");
  EXPECT_EQ(previous.header.run_id, first);
  EXPECT_TRUE(previous.complete);
}

TEST_F(ConformanceTest, ATargetWithAStageMoreIsNotResumed) {
  Write(std::vector<Behaviour>(3));
  const std::string head = R"(schema: opbyop-target/1
name: growing
worker: ["{bin}/mock_worker", "--target"]
device: {kind: mock, parallel: true}
stages: [{name: parse}, )";
  const std::string target = WriteText("growing.yaml", head + "{name: load}, {name: execute}]\n");
  Run(Command({"--target=" + target, "--gtest_filter=*00"}));
  ASSERT_EQ(Results().cases.size(), 1u);
  const std::string before = *ReadFile(folder_.path() / "out/results.jsonl");
  WriteText("growing.yaml", head + "{name: lower}, {name: load}, {name: execute}]\n");
  const Outcome outcome = Run(Command({"--target=" + target, "--resume"}));
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kUsage)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("its stages is 'parse, load, execute, compare', this run's is 'parse, lower, "
                                        "load, execute, compare'"));
  EXPECT_THAT(outcome.output, HasSubstr("--fresh"));
  EXPECT_EQ(*ReadFile(folder_.path() / "out/results.jsonl"), before);
  EXPECT_EQ(Run(Command({"--target=" + target, "--fresh"})).code, 0);
  EXPECT_TRUE(Results().complete);
}

constexpr const char* kWithoutDevice = R"(schema: opbyop-target/1
name: absent
worker: ["{bin}/mock_worker", "--target", "--hello=no-device"]
device: {kind: mock, parallel: true}
stages: [{name: parse}, {name: lower}, {name: load}, {name: execute}]
)";

TEST_F(ConformanceTest, WithoutADeviceARunOnlyCompilesAndReportsThatOnce) {
  Write({{}, {"wrong_result", "execute"}});
  const Outcome outcome = Run(Command({"--target=" + WriteText("absent.yaml", kWithoutDevice)}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(CountOf(outcome.output, "conformance: compiled only, not executed: no device /dev/mock0"), 1u)
      << outcome.output;
  const opbyop::Run run = Results();
  EXPECT_EQ(run.header.compile_only, "no device /dev/mock0");
  EXPECT_EQ(run.header.stages, (std::vector<std::string>{"parse", "lower"}));
  for (const CaseRecord& record : run.cases) EXPECT_EQ(record.status, Status::kPass) << record.diagnostic;
}

TEST_F(ConformanceTest, WithoutADeviceOnlyCompileEntriesOfTheBaselineCount) {
  Write({{"wrong_result", "execute"}, {"fail", "lower"}});
  const std::string baseline = WriteText("absent-baseline.yaml", R"(schema: opbyop-baseline/1
target: absent
entries:
  - {id: "*wrong_result*", stage: compare, status: fail, reason: the device is wrong}
  - {id: "*fail_lower*", stage: lower, status: fail, reason: no kernel}
)");
  const std::string target = WriteText("absent.yaml", kWithoutDevice);
  const Outcome outcome = Run(Command({"--target=" + target, "--baseline=" + baseline}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(ConformanceTest, AFileThatCannotGrowEndsTheRunWithCompleteRecords) {
  Write(std::vector<Behaviour>(60));
  // The limit is in blocks of 1024 bytes: enough for the header and some records.
  const Outcome full = RunIn("ulimit -S -f 20; exec \"$@\"", Command({}));
  EXPECT_EQ(full.code, static_cast<int>(ExitCode::kNoInput)) << full.output;
  EXPECT_THAT(full.output, HasSubstr("File too large"));
  const opbyop::Run stopped = Results();
  EXPECT_TRUE(stopped.bad_lines.empty());
  EXPECT_GT(stopped.cases.size(), 3u);
  EXPECT_LT(stopped.cases.size(), 60u);
  EXPECT_EQ(Run(Command({"--resume"})).code, 0);
  EXPECT_EQ(Results().cases.size(), 60u);
}

TEST_F(ConformanceTest, ARunContinuesWhenNobodyReadsItsProgress) {
  Behaviour slow;
  slow.ms = 5;
  Write(std::vector<Behaviour>(40, slow));
  const Outcome outcome = RunIn("\"$@\" | true; exit ${PIPESTATUS[0]}", Command({}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(Results().complete);
}

TEST_F(ConformanceTest, AHangUpThatIsIgnoredStaysIgnored) {
  Behaviour slow;
  slow.ms = 20;
  Write(std::vector<Behaviour>(40, slow));
  std::vector<std::string> argv = {"bash", "-c", "trap '' HUP; exec \"$@\"", "bash"};
  for (const std::string& argument : Command({})) argv.push_back(argument);
  const auto process = Start(argv);
  while (!fs::exists(folder_.path() / "out/results.jsonl")) std::this_thread::sleep_for(milliseconds(5));
  ::kill(process->pid(), SIGHUP);
  const std::optional<Exit> exit = process->WaitFor(kTestPatience);
  ASSERT_TRUE(exit);
  process->DrainLog();
  EXPECT_EQ(exit->code, 0) << process->log().text();
}

TEST_F(ConformanceTest, ShardsByHashAreDisjointCompleteAndStable) {
  std::vector<Behaviour> behaviours(30);
  const auto shards = [&] {
    Write(behaviours);
    std::vector<std::set<std::string>> ids(3);
    for (int i = 0; i < 3; ++i) {
      const Outcome outcome =
          Run(Command({"--balance=hash"}), {{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", std::to_string(i)}});
      EXPECT_EQ(outcome.code, 0) << outcome.output;
      const opbyop::Run run = Results("results-" + std::to_string(i + 1) + "-of-3.jsonl");
      for (const CaseRecord& record : run.cases) ids[static_cast<size_t>(i)].insert(record.id);
    }
    return ids;
  };
  const auto before = shards();
  EXPECT_EQ(before[0].size() + before[1].size() + before[2].size(), 30u);
  behaviours.emplace_back();
  const auto after = shards();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::ranges::includes(after[i], before[i]));
    EXPECT_LT(before[i].size(), 30u);
  }
}

TEST_F(ConformanceTest, AKilledRunLeavesNoWorkerAndIsResumed) {
  AdoptOrphans();
  Behaviour slow;
  slow.ms = 20;
  Write(std::vector<Behaviour>(100, slow));
  const fs::path results = folder_.path() / "out/results.jsonl";
  {
    const auto process = Start(Command({}));
    while (!fs::exists(results) || CountOf(*ReadFile(results), "\n") < 10) std::this_thread::sleep_for(milliseconds(5));
    ::kill(process->pid(), SIGKILL);
    ASSERT_TRUE(process->WaitFor(kTestPatience));
    // The workers are in process groups of their own: they end because their parent died.
    for (int i = 0; i < 4000 && TestChildren().size() > 1; ++i) std::this_thread::sleep_for(milliseconds(5));
    for (const pid_t pid : TestChildren()) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string id, name, state;
      stat >> id >> name >> state;
      EXPECT_EQ(state, "Z") << name;
    }
  }
  const opbyop::Run torn = Results();
  EXPECT_FALSE(torn.complete);
  EXPECT_GE(torn.cases.size(), 5u);
  EXPECT_LT(torn.cases.size(), 100u);
  const Outcome outcome = Run(Command({"--resume"}));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("[  PASSED  ] 100 tests."));
  const opbyop::Run whole = Results();
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.cases.size(), 100u);
  EXPECT_EQ(whole.cases[0].start, torn.cases[0].start);  // taken over, not run again
  EXPECT_EQ(whole.footer.totals.at("pass"), 100);
}

struct Ending {
  std::string name;
  int signal;
  std::string isolation;
};

class EndedRunTest : public ConformanceTest, public testing::WithParamInterface<Ending> {};

TEST_P(EndedRunTest, LeavesNoDaemonAndNoFolder) {
  Write({{"daemon_hang", "lower"}});
  const fs::path markers = folder_.path() / "markers";
  fs::create_directory(markers);
  const auto process =
      Start(Command({}), {{"MOCK_MARKERS", markers.string()}, {"OPBYOP_ISOLATION", GetParam().isolation}});
  const fs::path marker = markers / "daemon_daemon_hang_lower_4_f32_00000000";
  pid_t daemon = 0;
  std::string dir;
  while (dir.empty()) {
    std::this_thread::sleep_for(milliseconds(5));
    std::ifstream(marker) >> daemon >> dir;
  }
  ASSERT_TRUE(fs::exists(dir));
  const fs::path scratch = fs::path(dir).parent_path().parent_path();
  ::kill(process->pid(), GetParam().signal);
  ASSERT_TRUE(process->WaitFor(kTestPatience));
  const auto gone = [&] {
    std::ifstream stat("/proc/" + std::to_string(daemon) + "/stat");
    std::string id, name, state;
    const bool ended = !(stat >> id >> name >> state) || state == "Z";
    return ended && !fs::exists(scratch);
  };
  for (int i = 0; i < 2000 && !gone(); ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(gone()) << "daemon " << daemon << ", scratch " << scratch;
}

INSTANTIATE_TEST_SUITE_P(, EndedRunTest,
                         testing::Values(Ending{"KilledInCgroup", SIGKILL, "cgroup,landlock"},
                                         Ending{"KilledBelowSubreaper", SIGKILL, "none"},
                                         Ending{"TerminatedInCgroup", SIGTERM, "cgroup,landlock"},
                                         Ending{"TerminatedBelowSubreaper", SIGTERM, "none"}),
                         [](const testing::TestParamInfo<Ending>& info) { return info.param.name; });

TEST_F(ConformanceTest, ALostDeviceIsAPartialRunHoweverItEnds) {
  const std::string target = WriteText("lost.yaml", R"(schema: opbyop-target/1
name: lost
worker: ["{bin}/mock_worker", "--target"]
device: {kind: mock, parallel: true, health: [sh, -c, "echo board 0 is gone; exit 1"]}
stages: [{name: parse}, {name: lower}, {name: load}, {name: execute}]
)");
  std::vector<Behaviour> behaviours(40, Behaviour{.stage = "execute", .ms = 20});
  behaviours.front() = {"segfault", "execute"};
  for (const std::string flag : {"--retries=1", "--gtest_fail_fast", "--jobs=1", "--batch=8"}) {
    Write(behaviours);
    const Outcome outcome = Run(Command({"--target=" + target, flag}));
    EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kPartial)) << flag << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("board 0 is gone")) << flag;
    const opbyop::Run run = Results();
    EXPECT_FALSE(run.complete) << flag;
    ASSERT_FALSE(run.cases.empty()) << flag;
    const auto lost = std::ranges::find(run.cases, "segfault_execute_4_f32_00000000", &CaseRecord::id);
    ASSERT_NE(lost, run.cases.end()) << flag;
    EXPECT_THAT(lost->diagnostic, HasSubstr("the device did not come back")) << flag;
  }
}

TEST_F(ConformanceTest, TagsAreColoredOnRequest) {
  Write({{"segfault", "lower"}});
  EXPECT_THAT(Run(Command({})).output, Not(HasSubstr("\x1b[0;31m"))) << "not into a pipe";
  EXPECT_THAT(Run(Command({"--gtest_color=yes"})).output, HasSubstr("\x1b[0;31m[  FAILED  ]\x1b[m"));
  std::vector<std::string> command = Command({});
  command.insert(command.begin(), {"env", "GTEST_COLOR=yes", "NO_COLOR=1"});
  EXPECT_THAT(Run(command).output, HasSubstr("\x1b[0;31m[  FAILED  ]\x1b[m")) << "what is asked for by name counts";
}

TEST_F(ConformanceTest, ABreakOnFailureNamesTheTest) {
  Write({{"segfault", "lower"}});
  const Outcome outcome = Run(Command({"--gtest_break_on_failure"}));
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("[  FAILED  ] Conformance.Row/")) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("lower: crash: "));
}

class InterruptedRunTest : public ConformanceTest, public testing::WithParamInterface<int> {};

TEST_P(InterruptedRunTest, CleansUpAndSaysHowToResume) {
  Behaviour slow;
  slow.ms = 20;
  Write(std::vector<Behaviour>(100, slow));
  const auto process = Start(Command({"--gtest_filter=*Row*"}));
  const fs::path results = folder_.path() / "out/results.jsonl";
  while (!fs::exists(results) || CountOf(*ReadFile(results), "\n") < 5) std::this_thread::sleep_for(milliseconds(5));
  ::kill(process->pid(), GetParam());
  const std::optional<Exit> exit = process->WaitFor(kTestPatience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 128 + GetParam());
  process->DrainLog();
  const std::string text(process->log().text());
  EXPECT_THAT(text, HasSubstr("every result so far is on the disk"));
  for (const auto& entry : fs::directory_iterator(folder_.path())) {  // this is the run's TMPDIR
    EXPECT_THAT(entry.path().filename().string(), Not(testing::StartsWith("opbyop-")));
  }
  const opbyop::Run torn = Results();
  EXPECT_FALSE(torn.complete);
  const std::string marker = "this command resumes the run:\n  ";
  ASSERT_THAT(text, HasSubstr(marker));
  const size_t begin = text.find(marker) + marker.size();
  const Outcome pasted = Run({"sh", "-c", text.substr(begin, text.find('\n', begin) - begin)});
  EXPECT_EQ(pasted.code, 0) << pasted.output;
  EXPECT_TRUE(Results().complete);
  EXPECT_EQ(Results().cases[0].start, torn.cases[0].start) << "run again instead of resumed";
}

INSTANTIATE_TEST_SUITE_P(All, InterruptedRunTest, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const testing::TestParamInfo<int>& info) { return sigabbrev_np(info.param); });

TEST_F(ConformanceTest, AnotherRunIsNotResumed) {
  Write({{}});
  EXPECT_EQ(Run(Command({})).code, 0);
  const Outcome outcome = Run(Command({"--resume", "--seed=3"}));
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kUsage));
  EXPECT_THAT(outcome.output, HasSubstr("its seed is '0', this run's is '3'"));
}

TEST_F(ConformanceTest, TheBaselineIsStrictBothWays) {
  Write({{}, {"fail", "lower"}});
  const std::string head = "schema: opbyop-baseline/1\ntarget: mock\nentries:\n";
  const std::string known = head + "  - {id: \"*fail_lower*\", stage: lower, status: fail, reason: \"no kernel\"}\n";
  EXPECT_EQ(Run(Command({"--baseline=" + WriteText("known.yaml", known)})).code, 0);

  const Outcome fixed = Run(Command(
      {"--baseline=" +
       WriteText("fixed.yaml", known + "  - {id: \"*pass_lower*\", stage: lower, status: fail, reason: \"old\"}\n")}));
  EXPECT_EQ(fixed.code, 1);
  EXPECT_THAT(fixed.output, HasSubstr("unexpected_pass: the baseline says that it fails in stage lower (old)"));

  const Outcome stale = Run(Command(
      {"--baseline=" +
       WriteText("stale.yaml", known + "  - {id: \"*nosuch*\", stage: lower, status: fail, reason: \"gone\"}\n")}));
  EXPECT_EQ(stale.code, static_cast<int>(ExitCode::kBadInput)) << stale.output;
}

TEST_F(ConformanceTest, ARowThatMayPassIsGreenEitherWayAndAnotherFailureOfItIsNot) {
  Write({{}, {"fail", "lower"}});
  const auto under = [&](const std::string& stage) {
    return Run(Command({"--baseline=" + WriteText("may.yaml",
                                                  "schema: opbyop-baseline/1\ntarget: mock\nentries:\n"
                                                  "  - {op: \"*\", stage: " +
                                                      stage + ", status: fail, may_pass: true, reason: \"busy\"}\n")}));
  };
  const Outcome either = under("lower");
  EXPECT_EQ(either.code, 0) << either.output;
  EXPECT_THAT(either.output,
              HasSubstr("inconclusive in compare: passed; the baseline allows fail in lower as well: busy"));
  EXPECT_EQ(under("execute").code, 1);
}

TEST_F(ConformanceTest, AWorkerThatCannotStartIsReportedOnceAndImmediately) {
  Write(std::vector<Behaviour>(50));
  const std::string target = WriteText("gone.yaml", R"(schema: opbyop-target/1
name: gone
worker: ["{bin}/no_such_worker"]
device: {kind: mock, parallel: true}
stages: [{name: parse}, {name: execute}]
)");
  const Outcome outcome = Run(Command({"--target=" + target}));
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kNoInput));
  EXPECT_EQ(CountOf(outcome.output, "cannot be started: No such file"), 1u) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("started again"))) << "nothing is tried again where nothing ever started";
  EXPECT_THAT(outcome.output, HasSubstr("[  FAILED  ] no row was run."));
  EXPECT_THAT(outcome.output, Not(HasSubstr("MISSING")));
}

TEST_F(ConformanceTest, KeepLeavesEverythingOfACase) {
  Write({{}, {}});
  const fs::path keep = folder_.path() / "keep";
  EXPECT_EQ(Run(Command({"--keep=" + keep.string(), "--gtest_filter=*00"})).code, 0);
  for (const char* file : {"input_0.npy", "output_0.npy", "1_lower.bin"}) {
    EXPECT_TRUE(fs::exists(keep / "pass_lower_4_f32_00000000" / file)) << file;
  }
}

TEST_F(ConformanceTest, GoogleTestsOwnFlagsWork) {
  Write({{}, {"fail", "lower"}, {}});
  const Outcome shuffled = Run(Command({"--gtest_shuffle", "--gtest_repeat=2", "--gtest_filter=-*fail*"}));
  EXPECT_EQ(shuffled.code, 0) << shuffled.output;
  EXPECT_EQ(CountOf(shuffled.output, "[  PASSED  ] 2 tests."), 2u);
  const Outcome own = Run(Command({"--progress=gtest", "--gtest_filter=*00"}));
  EXPECT_THAT(own.output, HasSubstr("[       OK ] Conformance.Row/mock__pass_lower_4_f32_00000000"));
  const Outcome help = Run({TestProgram("conformance"), "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("--resume"));
  EXPECT_THAT(help.output, HasSubstr("--gtest_filter="));
}

TEST_F(ConformanceTest, AFailFastRunLeavesTheRestMissingAndCanBeResumed) {
  Behaviour slow;
  slow.ms = 5;
  std::vector<Behaviour> behaviours(60, slow);
  behaviours.front() = {"fail", "lower"};
  Write(behaviours);
  const Outcome outcome = Run(Command({"--gtest_fail_fast"}));
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_FALSE(Results().complete);
  EXPECT_EQ(Run(Command({"--resume"})).code, 1);
  EXPECT_TRUE(Results().complete);
  EXPECT_EQ(Results().cases.size(), 60u);
}

TEST_F(ConformanceTest, AModelThatCouldNotBeSplitKeepsTheRunFromGreen) {
  Write({{}});
  const fs::path manifest = folder_.path() / "manifest/manifest.yaml";
  Expected<Manifest> loaded = LoadManifest(manifest);
  ASSERT_TRUE(loaded);
  Model broken;
  broken.name = "broken";
  broken.error = "broken.mlir is truncated";
  loaded->models.push_back(broken);
  ASSERT_TRUE(WriteFile(manifest, WriteManifest(*loaded)));
  const Outcome outcome = Run(Command({}));
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kPartial)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("model broken has no rows: broken.mlir is truncated"));
  EXPECT_EQ(Run(Command({"--gtest_filter=*pass*"})).code, 0);
}

struct Mistake {
  std::string name;
  std::vector<std::string> arguments;
  ExitCode code;
  std::string says;
};

class ConformanceMistakeTest : public ConformanceTest, public testing::WithParamInterface<Mistake> {};

TEST_P(ConformanceMistakeTest, IsOneClearSentence) {
  Write({{}});
  const fs::path manifest = folder_.path() / "manifest/manifest.yaml";
  if (GetParam().name == "FileGone") fs::remove_all(folder_.path() / "manifest/cases");
  if (GetParam().name == "DoubledId") {
    const std::string text = *ReadFile(manifest);
    std::ofstream(manifest, std::ios::app) << text.substr(text.rfind("- "));
  }
  const Outcome outcome = Run(Command(GetParam().arguments));
  EXPECT_EQ(outcome.code, static_cast<int>(GetParam().code)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, ConformanceMistakeTest,
    testing::Values(
        Mistake{"NoManifest", {"--manifest=/no/such.yaml"}, ExitCode::kNoInput, "/no/such.yaml"},
        Mistake{"FileGone", {}, ExitCode::kBadInput, "pass_lower_4_f32_00000000.mock"},
        Mistake{"DoubledId", {}, ExitCode::kBadInput, "pass_lower_4_f32_00000000"},
        Mistake{"UnknownTarget", {"--target=nosuch"}, ExitCode::kUsage, "nosuch"},
        Mistake{"NoTargetFile", {"--target=no/such.yaml"}, ExitCode::kNoInput, "no/such.yaml"},
        Mistake{"UnknownPolicy", {"--policy=nosuch"}, ExitCode::kUsage, "nosuch"},
        Mistake{"NothingSelected", {"--gtest_filter=nosuch*"}, ExitCode::kNothingToDo, "no row of"},
        Mistake{"MisspeltFlag", {"--manifest=/nowhere", "--manifset=x"}, ExitCode::kUsage, "did you mean --manifest?"},
        Mistake{"UnknownFlag", {"--manifset=x"}, ExitCode::kUsage, "unknown argument '--manifset=x'"},
        Mistake{"BadJobs", {"--jobs=0"}, ExitCode::kUsage, "'0' is no value for --jobs"},
        Mistake{"BadSelect", {"--select=shape=2"}, ExitCode::kUsage, "shape=2"}),
    [](const testing::TestParamInfo<Mistake>& info) { return info.param.name; });

}  // namespace
}  // namespace opbyop::suites
