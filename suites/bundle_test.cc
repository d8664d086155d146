// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests a run in two halves with the mock target: compiled into a bundle, then executed from it.
#include "manifests/runs/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/mock/behaviour.h"
#include "harness/bundle/merge_bundles.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/merge_runs.h"
#include "manifests/runs/run_manifest.h"
#include "suites/test_conformance_program.h"
#include "support/files/file.h"
#include "support/test_folder.h"
#include "support/text/replace_all.h"

namespace opbyop::suites {
namespace {

namespace fs = std::filesystem;
using mock::Behaviour;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kRed = static_cast<int>(ExitCode::kUnexpectedResult);
constexpr int kUsage = static_cast<int>(ExitCode::kUsage);
constexpr int kBadInput = static_cast<int>(ExitCode::kBadInput);

class BundleRunTest : public ConformanceTest {
 protected:
  fs::path Bundle() const { return folder_.path() / "bundle"; }

  std::vector<std::string> CompileCommand(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--until=compile", "--out=" + Bundle().string()};
    all.insert(all.end(), more.begin(), more.end());
    return Command(all);
  }

  std::vector<std::string> LoadCommand(const std::vector<std::string>& more = {}, const fs::path& bundle = {}) const {
    std::vector<std::string> argv = {TestProgram("conformance"),
                                     "--from=load",
                                     "--manifest=" + ((bundle.empty() ? Bundle() : bundle) / "manifest.yaml").string(),
                                     "--reference-worker=" + TestProgram("mock_worker"),
                                     "--progress=plain",
                                     "--out=" + (folder_.path() / "out").string()};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }

  opbyop::Run Compiled() const {
    const Expected<opbyop::Run> run = LoadRun(Bundle() / kCompileFolder / "results.jsonl");
    EXPECT_TRUE(run) << run.error().message;
    return run ? *run : opbyop::Run();
  }

  // The artifact of the n-th case. All cases pass.
  fs::path Artifact(int number) const { return Bundle() / kArtifactFolder / mock::CaseId({}, number); }

  // Expects one sentence with these words, before anything is executed.
  void ExpectRefused(const std::string& words, int code = kBadInput) const {
    const Outcome outcome = Run(LoadCommand());
    EXPECT_EQ(outcome.code, code) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(words));
    EXPECT_FALSE(fs::exists(folder_.path() / "out/results.jsonl"));
  }
};

std::vector<std::string> StagesOf(const CaseRecord& record) {
  std::vector<std::string> names;
  for (const StageRecord& stage : record.stages) names.push_back(stage.name);
  return names;
}

TEST_F(BundleRunTest, BothHalvesTogetherEqualOneRun) {
  const std::vector<Behaviour> behaviours = {{},
                                             {"fail", "lower"},
                                             {"segfault", "lower"},
                                             {"unsupported", "lower"},
                                             {"wrong_result", "execute"},
                                             {"segfault", "execute"},
                                             {"zero", "lower"}};
  Write(behaviours);
  EXPECT_EQ(Run(Command({})).code, kRed);
  const opbyop::Run whole = Results();
  fs::remove_all(folder_.path() / "out");
  const Outcome compiled = Run(CompileCommand());
  EXPECT_EQ(compiled.code, kRed) << compiled.output;
  EXPECT_THAT(compiled.output, HasSubstr("is a bundle; on the machine with the device: opbyop run bundle --from load"));
  EXPECT_EQ(Compiled().header.stages, (std::vector<std::string>{"parse", "lower"}));

  const Outcome loaded = Run(LoadCommand());
  EXPECT_EQ(loaded.code, kRed) << loaded.output;
  const opbyop::Run run = Results();
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.header.stages, whole.header.stages);
  ASSERT_EQ(run.cases.size(), whole.cases.size());
  std::map<std::string, const CaseRecord*> expected;
  for (const CaseRecord& record : whole.cases) expected[record.id] = &record;
  for (const CaseRecord& record : run.cases) {
    const CaseRecord& other = *expected.at(record.id);
    EXPECT_EQ(record.status, other.status) << record.id;
    EXPECT_EQ(record.stage, other.stage) << record.id;
    EXPECT_EQ(record.diagnostic, other.diagnostic) << record.id;
    EXPECT_EQ(StagesOf(record), StagesOf(other)) << record.id;
    EXPECT_EQ(record.attempts, other.attempts) << record.id;
    EXPECT_EQ(record.sets.size(), other.sets.size()) << record.id;
    EXPECT_EQ(record.seed, other.seed) << "the inputs are the same";
    EXPECT_EQ(record.comparisons.size(), other.comparisons.size()) << record.id;
  }
}

TEST_F(BundleRunTest, TheSeedOfTheFurtherDrawIsThatOfTheRunWhereverItIsExecuted) {
  Write({{}});
  std::vector<std::string> compile = CompileCommand();
  compile.emplace_back("--fresh-seed=7");
  ASSERT_EQ(Run(compile).code, 0);
  EXPECT_FALSE(Compiled().header.fresh_seed) << "nothing was drawn";
  ASSERT_EQ(Run(LoadCommand()).code, 0);
  EXPECT_EQ(Results().header.fresh_seed, 7u);
  EXPECT_EQ(Results().cases.front().sets.back().policy, "edge#seed7");
}

TEST_F(BundleRunTest, TheHeaderNamesBothMachines) {
  Write({{}});
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  EXPECT_EQ(Run(LoadCommand()).code, 0);
  const opbyop::Run compiled = Compiled(), run = Results();
  EXPECT_EQ(run.header.compiled.at("run_id"), compiled.header.run_id);
  EXPECT_EQ(run.header.compiled.at("cpu"), compiled.header.host.at("cpu"));
  EXPECT_EQ(run.header.compiled.at("toolchain"), "mock 1.0");
  EXPECT_EQ(run.header.host.count("cpu"), 1u);
  EXPECT_TRUE(compiled.header.compiled.empty());
  EXPECT_GT(run.cases[0].wall_ms, compiled.cases[0].wall_ms);
  EXPECT_EQ(run.cases[0].artifact_sha256.size(), 64u);
}

TEST_F(BundleRunTest, ItIsACopyableFolder) {
  Write({{}, {}});
  EXPECT_EQ(Run(CompileCommand({"--seed=7", "--policy=domain,edge"})).code, 0);
  const fs::path moved = folder_.path() / "elsewhere";
  fs::copy(Bundle(), moved, fs::copy_options::recursive);
  for (const char* gone : {"bundle", "manifest"}) fs::remove_all(folder_.path() / gone);
  const Outcome outcome = Run(LoadCommand({}, moved));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  const opbyop::Run run = Results();
  EXPECT_EQ(run.header.seed, 7u);
  EXPECT_EQ(run.header.policy, "domain,edge");
  EXPECT_EQ(run.cases.size(), 2u);
  for (const CaseRecord& record : run.cases) {
    EXPECT_THAT(record.repro, HasSubstr("/opbyop run " + moved.string() + " --from load"));
  }
}

TEST_F(BundleRunTest, AFilterChoosesInBothHalves) {
  Write(std::vector<Behaviour>(5));
  EXPECT_EQ(Run(CompileCommand({"--gtest_filter=*0[012]:*00:*01:*02"})).code, 0);
  EXPECT_EQ(Compiled().cases.size(), 3u);
  EXPECT_EQ(Run(LoadCommand({"--gtest_filter=*01"})).code, 0);
  EXPECT_EQ(Results().cases.size(), 1u);
  const Outcome all = Run(LoadCommand());
  EXPECT_EQ(all.code, 0) << all.output;
  EXPECT_EQ(Results().cases.size(), 3u) << "the bundle has no more";
  EXPECT_TRUE(Results().complete);
}

TEST_F(BundleRunTest, RowsMayBeAddedToABundle) {
  Write(std::vector<Behaviour>(3));
  EXPECT_EQ(Run(CompileCommand({"--gtest_filter=*00"})).code, 0);
  EXPECT_EQ(Run(CompileCommand({"--gtest_filter=*02"})).code, 0);
  EXPECT_EQ(Run(LoadCommand()).code, 0);
  EXPECT_EQ(Results().cases.size(), 2u);
}

TEST_F(BundleRunTest, ShardsExecutePartsOfIt) {
  Write(std::vector<Behaviour>(12));
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  size_t cases = 0;
  for (int i = 0; i < 2; ++i) {
    const std::map<std::string, std::string> shard = {{"GTEST_TOTAL_SHARDS", "2"},
                                                      {"GTEST_SHARD_INDEX", std::to_string(i)}};
    EXPECT_EQ(Run(LoadCommand(), shard).code, 0);
    cases += Results("results-" + std::to_string(i + 1) + "-of-2.jsonl").cases.size();
  }
  EXPECT_EQ(cases, 12u);
}

class CompiledShardsTest : public BundleRunTest {
 protected:
  static constexpr int kShards = 3;

  fs::path Shard(int number) const { return folder_.path() / ("bundle-" + std::to_string(number)); }
  std::vector<fs::path> Shards() const { return {Shard(1), Shard(2), Shard(3)}; }
  fs::path Merged() const { return folder_.path() / "merged"; }

  Outcome Compile(int number, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"--until=compile", "--out=" + Shard(number).string(),
                                    "--shard=" + std::to_string(number) + "/3"};
    all.insert(all.end(), more.begin(), more.end());
    return Run(Command(all));
  }

  void CompileAll() const {
    for (int number = 1; number <= kShards; ++number) {
      const Outcome outcome = Compile(number);
      EXPECT_EQ(outcome.code, 0) << outcome.output;
    }
  }

  void ExpectNotMerged(const std::vector<fs::path>& bundles, const std::string& words,
                       ExitCode code = ExitCode::kUsage) const {
    const auto merged = harness::MergeBundles(bundles, Merged());
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, code);
    EXPECT_THAT(merged.error().message, HasSubstr(words));
    EXPECT_FALSE(fs::exists(Merged())) << "nothing is written";
  }
};

TEST_F(CompiledShardsTest, ShardsAreMergedIntoOneBundle) {
  Write(std::vector<Behaviour>(12));
  CompileAll();
  const auto merged = harness::MergeBundles(Shards(), Merged());
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->cases, 12u);
  for (const char* gone : {"bundle-1", "bundle-2", "bundle-3", "manifest"}) fs::remove_all(folder_.path() / gone);
  const Outcome outcome = Run(LoadCommand({}, Merged()));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(Results().cases.size(), 12u);
  EXPECT_EQ(Results().header.shards, 1u);
  const auto header = LoadRunHeader(Merged() / kCompileFolder / "results.jsonl");
  EXPECT_TRUE(FindRunManifest(*header, Merged() / kCompileFolder)) << "the folder has its manifest";
}

TEST_F(CompiledShardsTest, EachShardIsExecutedByItselfAndTheResultsAreOneRun) {
  Write(std::vector<Behaviour>(12));
  CompileAll();
  for (const fs::path& shard : Shards()) EXPECT_EQ(Run(LoadCommand({}, shard)).code, 0);
  const fs::path out = folder_.path() / "out";
  const auto merged = MergeRuns({.inputs = {out}, .out = out / "results.jsonl", .manifest = {}, .partial = false});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(Results().cases.size(), 12u);
  EXPECT_EQ(Results().header.selected, "");
  EXPECT_THAT(Results().header.compiled.at("run_id"), HasSubstr(" | "));
}

TEST_F(CompiledShardsTest, AMissingDuplicateOrForeignShardIsNamed) {
  Write(std::vector<Behaviour>(12));
  CompileAll();
  ExpectNotMerged({Shard(1), Shard(3)}, "shard 2 of 3 is missing", ExitCode::kNoInput);
  fs::copy(Shard(2), folder_.path() / "again", fs::copy_options::recursive);
  ExpectNotMerged({Shard(1), Shard(2), Shard(3), folder_.path() / "again"}, "shard 2 of 3 exists twice");
  fs::remove_all(Shard(3));
  EXPECT_EQ(Compile(3, {"--seed=7"}).code, 0);
  ExpectNotMerged(Shards(), Shard(3).string() + " is of another run than " + Shard(1).string());
  fs::remove_all(Shard(3));
  EXPECT_EQ(Compile(3, {"--balance=hash"}).code, 0);
  ExpectNotMerged(Shards(), "its balance is 'hash', the other's is 'cost'");
}

TEST_F(CompiledShardsTest, AnUnfinishedShardIsNamed) {
  Write(std::vector<Behaviour>(12));
  CompileAll();
  const fs::path results = Shard(2) / kCompileFolder / "results-2-of-3.jsonl";
  const std::string lines = *ReadFile(results);
  ASSERT_TRUE(WriteFile(results, lines.substr(0, lines.size() - 30)));
  ExpectNotMerged(Shards(), "shard 2 of 3 did not end");
  ASSERT_TRUE(WriteFile(Shard(2) / kBundleFile, UnfinishedBundle()));
  ExpectNotMerged(Shards(), Shard(2).string() + "/bundle.json: the bundle is not finished", ExitCode::kBadInput);
}

TEST_F(CompiledShardsTest, TheMergedBundleIsNotWrittenIntoAShard) {
  Write(std::vector<Behaviour>(12));
  CompileAll();
  EXPECT_FALSE(harness::MergeBundles(Shards(), Shard(2)));
  EXPECT_EQ(Run(LoadCommand({}, Shard(2))).code, 0) << "it is what it was";
}

TEST_F(CompiledShardsTest, EachShardNeedsAFolderOfItsOwn) {
  Write(std::vector<Behaviour>(12));
  EXPECT_EQ(Compile(1).code, 0);
  const Outcome second = Run(Command({"--until=compile", "--out=" + Shard(1).string(), "--shard=2/3"}));
  EXPECT_EQ(second.code, kUsage);
  EXPECT_THAT(second.output, HasSubstr("holds shard 1 of 3, not 2 of 3"));
  EXPECT_EQ(Run(Command({"--until=compile", "--out=" + Shard(1).string()})).code, kUsage);
}

TEST_F(CompiledShardsTest, AShardIsNotShardedAgain) {
  Write(std::vector<Behaviour>(12));
  EXPECT_EQ(Compile(1).code, 0);
  const Outcome cut = Run(LoadCommand({"--shard=1/2"}, Shard(1)));
  EXPECT_EQ(cut.code, kUsage);
  EXPECT_THAT(cut.output, HasSubstr("is shard 1 of 3 as it was compiled"));
  EXPECT_EQ(Run(LoadCommand({"--shard=1/3"}, Shard(1))).code, 0) << "the same number is no mistake";
}

TEST_F(CompiledShardsTest, AShardWithoutCasesIsMergedToo) {
  Write({{}, {}});
  CompileAll();
  const auto merged = harness::MergeBundles(Shards(), Merged());
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(Run(LoadCommand({}, Merged())).code, 0);
  EXPECT_EQ(Results().cases.size(), 2u);
}

TEST_F(BundleRunTest, BothHalvesResumeAfterAKill) {
  Behaviour slow;
  slow.ms = 20;
  Write(std::vector<Behaviour>(60, slow));
  const auto kill_at = [&](const std::vector<std::string>& command, const fs::path& results) {
    const auto process = Start(command);
    while (CountOf(ReadFile(results).value_or(""), "\n") < 8) std::this_thread::sleep_for(milliseconds(2));
    ::kill(process->pid(), SIGKILL);
    EXPECT_TRUE(process->WaitFor(kTestPatience));
  };
  kill_at(CompileCommand({"--resume-interrupted"}), Bundle() / kCompileFolder / "results.jsonl");
  const opbyop::Run torn = Compiled();
  EXPECT_FALSE(torn.complete);
  ExpectRefused("the compilation was interrupted");
  const Outcome compiled = Run(CompileCommand({"--resume-interrupted"}));
  EXPECT_EQ(compiled.code, 0) << compiled.output;
  EXPECT_EQ(Compiled().cases[0].start, torn.cases[0].start) << "taken over, not compiled again";
  kill_at(LoadCommand({"--resume-interrupted", "--jobs=1", "--policy=domain"}), folder_.path() / "out/results.jsonl");
  const Outcome loaded = Run(LoadCommand({"--resume-interrupted", "--jobs=1", "--policy=domain"}));
  EXPECT_EQ(loaded.code, 0) << loaded.output;
  EXPECT_TRUE(Results().complete);
  EXPECT_EQ(Results().cases.size(), 60u);
}

TEST_F(BundleRunTest, ACompilationIsResumedOnlyIfItsArtifactsExist) {
  Write(std::vector<Behaviour>(4));
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  const opbyop::Run before = Compiled();
  fs::remove(Artifact(1));
  ASSERT_TRUE(WriteFile(Artifact(2), "something else"));
  EXPECT_EQ(Run(CompileCommand({"--resume"})).code, 0);
  const opbyop::Run after = Compiled();
  std::map<std::string, std::string> starts;
  for (const CaseRecord& record : before.cases) starts[record.id] = record.start;
  for (int i = 0; i < 4; ++i) {
    for (const CaseRecord& record : after.cases) {
      if (record.id == mock::CaseId({}, i)) EXPECT_EQ(record.start == starts[record.id], i == 0 || i == 3) << i;
    }
  }
  EXPECT_EQ(Run(LoadCommand()).code, 0);
}

TEST_F(BundleRunTest, ACaseThatWasCompiledAgainIsExecutedAgain) {
  Write({{}, {}});
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  EXPECT_EQ(Run(LoadCommand()).code, 0);
  const std::string first = Results().cases[0].start;
  EXPECT_EQ(Run(LoadCommand({"--resume"})).code, 0);
  EXPECT_EQ(Results().cases[0].start, first);
  const fs::path results = folder_.path() / "out/results.jsonl";
  const std::string sha = Results().cases[0].artifact_sha256;
  ASSERT_TRUE(WriteFile(results, ReplaceAll(*ReadFile(results), sha, std::string(64, '0'))));
  EXPECT_EQ(Run(LoadCommand({"--resume"})).code, 0);
  EXPECT_NE(Results().cases[0].start, first);
}

TEST_F(BundleRunTest, ACaseThatCompiledAtItsSecondAttemptStaysFlaky) {
  Write({{"flaky", "lower"}, {}});
  const std::map<std::string, std::string> markers = {{"MOCK_MARKERS", folder_.path().string()}};
  EXPECT_EQ(Run(CompileCommand(), markers).code, kRed);
  EXPECT_EQ(Run(LoadCommand(), markers).code, kRed);
  for (const CaseRecord& record : Results().cases) {
    if (!record.id.starts_with("flaky")) continue;
    EXPECT_EQ(record.status, Status::kFlaky) << record.diagnostic;
    EXPECT_EQ(record.stage, "lower");
    EXPECT_THAT(record.diagnostic, HasSubstr("then pass alone"));
    EXPECT_FALSE(record.comparisons.empty()) << "it was executed";
  }
}

TEST_F(BundleRunTest, AWorkerThatDoesNotKnowArtifactsIsUnsupportedWithThatReason) {
  Write({{"saves_nothing", "lower"}, {"loads_nothing", "lower"}, {}});
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  EXPECT_EQ(Run(LoadCommand()).code, 0);
  for (const CaseRecord& record : Results().cases) {
    if (record.id.starts_with("pass")) continue;
    EXPECT_EQ(record.status, Status::kUnsupported) << record.id;
    const std::string verb = record.id.starts_with("saves") ? "saves" : "loads";
    EXPECT_THAT(record.diagnostic, HasSubstr("the worker of mock " + verb + " no artifacts"));
  }
}

TEST_F(BundleRunTest, ALinkIsNoArtifact) {
  Write({{"saves_link", "lower"}});
  EXPECT_EQ(Run(CompileCommand()).code, kRed);
  EXPECT_EQ(Compiled().cases[0].status, Status::kFail);
  EXPECT_THAT(Compiled().cases[0].diagnostic, HasSubstr("left no regular file"));
  EXPECT_FALSE(fs::exists(Bundle() / kArtifactFolder));
}

TEST_F(BundleRunTest, ABaselineAppliesToEachHalf) {
  Write({{"wrong_result", "execute"}, {"fail", "lower"}, {}});
  const fs::path baseline = folder_.path() / "known.yaml";
  ASSERT_TRUE(WriteFile(baseline,
                        "schema: opbyop-baseline/1\ntarget: mock\nentries:\n"
                        "  - {id: \"*wrong_result*\", stage: compare, status: fail, reason: known}\n"
                        "  - {id: \"*fail_lower*\", stage: lower, status: fail, reason: known}\n"));
  EXPECT_EQ(Run(CompileCommand({"--baseline=" + baseline.string()})).code, 0);
  fs::remove(baseline);
  const Outcome outcome = Run(LoadCommand());
  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(BundleRunTest, DamageIsRefusedBeforeAnythingIsExecuted) {
  Write(std::vector<Behaviour>(3));
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  const fs::path sound = folder_.path() / "sound";
  fs::copy(Bundle(), sound, fs::copy_options::recursive);
  const auto restore = [&] {
    fs::remove_all(Bundle());
    fs::copy(sound, Bundle(), fs::copy_options::recursive);
  };
  const std::string text = *ReadFile(Artifact(0));
  ASSERT_TRUE(WriteFile(Artifact(0), text + "x"));
  ExpectRefused(mock::CaseId({}, 0) + " is not what was compiled: its sha256 is");
  ASSERT_TRUE(WriteFile(Artifact(0), text.substr(0, text.size() / 2)));
  ASSERT_TRUE(WriteFile(Artifact(1), ""));
  ExpectRefused("(and 1 other case)");
  restore();
  fs::remove(Artifact(2));
  ExpectRefused("cannot be read");
  restore();
  fs::copy(Artifact(2), folder_.path() / "same");
  fs::remove(Artifact(2));
  fs::create_symlink(folder_.path() / "same", Artifact(2));
  ExpectRefused("is a symbolic link, not a file");
  restore();
  std::ofstream(Bundle() / "cases" / (mock::CaseId({}, 1) + ".mock"), std::ios::app) << "ms: 1\n";
  ExpectRefused("is not the program that was compiled");
  restore();
  std::ofstream(Bundle() / "manifest.yaml", std::ios::app) << "\n";
  ExpectRefused("not the manifest that was compiled");
  restore();
  const fs::path file = Bundle() / kBundleFile, results = Bundle() / kCompileFolder / "results.jsonl";
  ASSERT_TRUE(WriteFile(file, ReplaceAll(*ReadFile(file), "bundle/1", "bundle/9")));
  ExpectRefused("opbyop-bundle/9", static_cast<int>(ExitCode::kUnsupported));
  ASSERT_TRUE(WriteFile(file, UnfinishedBundle()));
  ExpectRefused("not finished");
  restore();
  const std::string lines = *ReadFile(results);
  ASSERT_TRUE(WriteFile(results, lines.substr(0, lines.size() - 30)));
  ExpectRefused("the compilation was interrupted");
  restore();
  fs::remove(results);
  ExpectRefused("results.jsonl", static_cast<int>(ExitCode::kNoInput));
  restore();
  EXPECT_EQ(Run(LoadCommand()).code, 0) << "a sound copy is executed";
}

TEST_F(BundleRunTest, AnArtifactThatIsReplacedMeanwhileMakesOnlyItsCaseRed) {
  Behaviour slow{.name = "pass", .stage = "execute", .ms = 100};
  Write(std::vector<Behaviour>(12, slow));
  EXPECT_EQ(Run(CompileCommand()).code, 0);
  const fs::path last = Bundle() / kArtifactFolder / mock::CaseId(slow, 11);
  const auto process = Start(LoadCommand({"--jobs=1", "--policy=domain", "--retries=0"}));
  const fs::path results = folder_.path() / "out/results.jsonl";
  while (CountOf(ReadFile(results).value_or(""), "\n") < 2) std::this_thread::sleep_for(milliseconds(2));
  ASSERT_TRUE(WriteFile(last, "behaviour: pass\nstage: lower\n"));
  const std::optional<Exit> exit = process->WaitFor(kTestPatience);
  process->DrainLog();
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, kRed) << process->log().text();
  for (const CaseRecord& record : Results().cases) {
    const bool swapped = record.id == last.filename();
    EXPECT_EQ(record.status, swapped ? Status::kFail : Status::kPass) << record.id << record.diagnostic;
    if (swapped) EXPECT_THAT(record.diagnostic, HasSubstr("is not what was compiled"));
  }
}

TEST_F(BundleRunTest, AFolderWithOtherFilesIsNotWrittenTo) {
  Write({{}});
  fs::create_directory(Bundle());
  ASSERT_TRUE(WriteFile(Bundle() / "thesis.tex", "years of work"));
  const Outcome outcome = Run(CompileCommand());
  EXPECT_EQ(outcome.code, kUsage);
  EXPECT_THAT(outcome.output, HasSubstr("holds other files than a bundle's"));
  EXPECT_FALSE(fs::exists(Bundle() / kBundleFile));
  EXPECT_EQ(Run(CompileCommand({"--out=" + (folder_.path() / "manifest").string()})).code, kUsage);
}

TEST_F(BundleRunTest, InvalidOptionsAreRefusedInOneSentence) {
  Write({{}});
  const auto says = [&](const std::vector<std::string>& argv) {
    const Outcome outcome = Run(argv);
    EXPECT_EQ(outcome.code, kUsage) << outcome.output;
    return outcome.output;
  };
  EXPECT_THAT(says(CompileCommand({"--until=parse"})), HasSubstr("`compile`, or mock's last stage of it, `lower`"));
  EXPECT_THAT(says(CompileCommand({"--from=load"})), HasSubstr("give one of them"));
  EXPECT_THAT(says(CompileCommand({"--target=" + TestSource("fixtures/mock/compiler.yaml")})),
              HasSubstr("mock-compiler compiles only"));
  EXPECT_EQ(Run(CompileCommand({"--until=lower"})).code, 0);
  EXPECT_THAT(says(LoadCommand({"--from=execute"})), HasSubstr("continues from `load`"));
  EXPECT_THAT(says(LoadCommand({"--target=host"})), HasSubstr("was compiled for mock, not for host"));
}

}  // namespace
}  // namespace opbyop::suites
