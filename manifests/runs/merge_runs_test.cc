// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/merge_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "manifests/results/results_file.h"
#include "support/files/file.h"
#include "support/test_folder.h"
#include "support/text/replace_all.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Three shards of six rows in two folders, each with two cases.
class MergeRunsTest : public testing::Test {
 protected:
  MergeRunsTest() {
    for (uint64_t shard = 1; shard <= 3; ++shard) Write(shard);
  }

  static RunHeader Header(uint64_t shard) {
    RunHeader header;
    header.run_id = fmt::format("run{}", shard);
    header.host = {{"cpu", shard == 2 ? "other" : "one"}};
    header.target = "host";
    header.toolchain = "LLVM 22";
    header.stages = {"parse", "compare"};
    header.manifest = "/nowhere/manifest.yaml";
    header.manifest_hash = "abc";
    header.manifest_rows = 6;
    header.policy = "domain";
    header.start = fmt::format("2026-11-21T10:00:0{}.000000+00:00", shard);
    header.selected = fmt::format("{},{}", shard - 1, shard + 2);
    header.shard = shard;
    header.shards = 3;
    header.balance = "cost";
    header.decides = {{"reference", "build 1"}};
    header.digest = "same";
    return header;
  }
  static std::string Case(const std::string& id, Status status = Status::kPass) {
    return ToJsonLine(CaseRecord{.id = id, .status = status}) + "\n";
  }
  static std::string Footer(double wall_s) { return ToJsonLine(RunFooter{{}, wall_s, "end"}) + "\n"; }

  fs::path FolderOf(uint64_t shard) const { return folder_.path() / (shard == 2 ? "b" : "a"); }
  fs::path FileOf(uint64_t shard) const { return FolderOf(shard) / ResultsName(shard, 3); }
  static std::string Text(uint64_t shard, const std::function<void(RunHeader&)>& change = {}) {
    RunHeader header = Header(shard);
    if (change) change(header);
    return ToJsonLine(header) + "\n" + Case(fmt::format("add_{}", shard)) +
           Case(fmt::format("mul_{}", shard), shard == 3 ? Status::kFail : Status::kPass) +
           Footer(static_cast<double>(shard));
  }
  void Write(uint64_t shard, const std::function<void(RunHeader&)>& change = {}) {
    ASSERT_TRUE(WriteFile(FileOf(shard), Text(shard, change)));
  }

  fs::path out() const { return folder_.path() / "out/results.jsonl"; }
  Expected<MergedRun> Merge(bool partial = false) const {
    return MergeRuns({{folder_.path() / "b", folder_.path() / "a"}, out(), {}, partial});
  }
  // Returns the message for shards that do not make a run, and checks that nothing was written.
  std::string Refused(ExitCode code = ExitCode::kUsage) const {
    const auto merged = Merge();
    EXPECT_FALSE(merged);
    EXPECT_FALSE(fs::exists(out()));
    if (merged) return "";
    EXPECT_EQ(static_cast<int>(merged.error().code), static_cast<int>(code)) << merged.error().message;
    return merged.error().message;
  }

  TestFolder folder_;
};

TEST_F(MergeRunsTest, ShardsBecomeOneRun) {
  const auto merged = Merge();
  ASSERT_TRUE(merged) << merged.error().message;
  const auto run = LoadRun(out());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->complete);
  EXPECT_TRUE(run->bad_lines.empty());
  std::vector<std::string> ids;
  for (const CaseRecord& record : run->cases) ids.push_back(record.id);
  EXPECT_THAT(ids, ElementsAre("add_1", "mul_1", "add_2", "mul_2", "add_3", "mul_3"));
  EXPECT_EQ(run->footer.totals.at("pass"), 5);
  EXPECT_EQ(run->footer.totals.at("fail"), 1);
  EXPECT_EQ(run->footer.wall_s, 3) << "of the shard that took longest: they ran at once";
  EXPECT_EQ(run->header.selected, "") << "together they are all rows";
  EXPECT_EQ(run->header.shards, 1u);
  EXPECT_EQ(run->header.start, Header(1).start);
  EXPECT_EQ(run->header.host.at("cpu"), "one | other");
  ASSERT_EQ(run->header.merged.size(), 3u);
  EXPECT_EQ(run->header.merged[1].run_id, "run2");
  EXPECT_EQ(run->header.merged[1].cpu, "other");
}

TEST_F(MergeRunsTest, TheOrderOfTheFoldersDoesNotMatter) {
  ASSERT_TRUE(Merge());
  const std::string text = ReadFile(out()).value();
  ASSERT_TRUE(MergeRuns({{FileOf(3), FileOf(1), FileOf(2)}, out(), {}, false}));
  EXPECT_EQ(ReadFile(out()).value(), text);
}

TEST_F(MergeRunsTest, AMissingShardIsNamed) {
  fs::remove(FileOf(2));
  ASSERT_TRUE(WriteFile(FolderOf(2) / "keep", ""));
  EXPECT_THAT(Refused(ExitCode::kNoInput), HasSubstr("no shard of a run there"));
  fs::rename(FileOf(3), FolderOf(2) / ResultsName(3, 3));
  EXPECT_THAT(Refused(ExitCode::kNoInput), HasSubstr("shard 2 of 3 is missing"));
}

TEST_F(MergeRunsTest, HoweverManyShardsANameClaimsTheMissingOnesAreOneSentence) {
  for (const int shard : {2, 3}) fs::remove(FileOf(shard));
  fs::rename(FileOf(1), FolderOf(1) / ResultsName(7, 9'999'999'999));
  const Expected<MergedRun> merged = MergeRuns({{FolderOf(1)}, out(), {}, false});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code, ExitCode::kNoInput);
  EXPECT_THAT(merged.error().message,
              testing::StartsWith("6 shards of 9999999999 are missing, 1 to 6, 9,999,999,992 shards of 9999999999 are "
                                  "missing, 8 to 9999999999: "));
}

TEST_F(MergeRunsTest, HoweverManyRowsAHeaderClaimsTheSelectionsAreJoined) {
  constexpr uint64_t kRows = 1'000'000'000'000'000'000;
  for (int shard = 1; shard <= 3; ++shard) {
    RunHeader header = Header(shard);
    header.manifest_rows = kRows;
    header.selected = fmt::format("{}", shard);
    ASSERT_TRUE(WriteFile(FileOf(shard), ToJsonLine(header) + "\n" + ToJsonLine(RunFooter()) + "\n"));
  }
  const Expected<MergedRun> merged = Merge();
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->header.selected, "1-3");
}

TEST_F(MergeRunsTest, ADuplicateShardIsNamedWithBothPlaces) {
  fs::copy_file(FileOf(1), FolderOf(2) / ResultsName(1, 3));
  const std::string text = Refused();
  EXPECT_THAT(text, HasSubstr("shard 1 of 3 exists twice"));
  EXPECT_THAT(text, HasSubstr((FolderOf(2) / ResultsName(1, 3)).string()));
  EXPECT_THAT(text, HasSubstr(FileOf(1).string()));
}

TEST_F(MergeRunsTest, AFolderThatIsNamedTwiceHasItsShardsTwice) {
  EXPECT_FALSE(MergeRuns({{FolderOf(1), FolderOf(2), FolderOf(2)}, out(), {}, false}));
}

TEST_F(MergeRunsTest, ADifferenceThatMakesAShardForeignIsNamed) {
  const std::vector<std::pair<std::string, std::function<void(RunHeader&)>>> changes = {
      {"manifest's sha256", [](RunHeader& h) { h.manifest_hash = "def"; }},
      {"target", [](RunHeader& h) { h.target = "iree"; }},
      {"toolchain", [](RunHeader& h) { h.toolchain = "LLVM 23"; }},
      {"policies", [](RunHeader& h) { h.policy = "edge"; }},
      {"seed", [](RunHeader& h) { h.seed = 7; }},
      {"fresh seed is '7', the other's is 'none'", [](RunHeader& h) { h.fresh_seed = 7; }},
      {"mode", [](RunHeader& h) { h.mode = "whole"; }},
      {"stages", [](RunHeader& h) { h.stages = {"compare"}; }},
      {"compile only", [](RunHeader& h) { h.compile_only = "no device"; }},
      {"choice of rows", [](RunHeader& h) { h.filter = "--select=op=add"; }},
      {"demands", [](RunHeader& h) { h.demands.min_pass = "95%"; }},
      {"balance", [](RunHeader& h) { h.balance = "hash"; }},
      {"reference", [](RunHeader& h) {
         h.decides = {{"reference", "build 2"}};
         h.digest = "another";
       }}};
  for (const auto& [name, change] : changes) {
    Write(2, change);
    const std::string text = Refused();
    EXPECT_THAT(text, HasSubstr("results-2-of-3.jsonl is of another run")) << name;
    EXPECT_THAT(text, HasSubstr(name));
  }
}

TEST_F(MergeRunsTest, ShardsOfAnotherTotalAreRefused) {
  ASSERT_TRUE(WriteFile(FolderOf(2) / "results-1-of-2.jsonl", Text(1)));
  EXPECT_THAT(Refused(), HasSubstr("not of one run"));
}

TEST_F(MergeRunsTest, ARenamedShardIsRefused) {
  fs::remove(FileOf(2));
  fs::copy_file(FileOf(1), FileOf(2));
  EXPECT_THAT(Refused(), HasSubstr("was it renamed?"));
}

TEST_F(MergeRunsTest, ARowInTwoShardsIsRefused) {
  Write(2, [](RunHeader& header) { header.selected = "0,4"; });
  EXPECT_THAT(Refused(), HasSubstr("row 0 of the manifest is in"));
}

TEST_F(MergeRunsTest, ACaseInTwoShardsIsNamed) {
  ASSERT_TRUE(WriteFile(FileOf(2), ReplaceAll(Text(2), "add_2", "add_1")));
  EXPECT_THAT(Refused(), HasSubstr("case add_1 is in"));
}

TEST_F(MergeRunsTest, AShardThatDidNotEndIsNamed) {
  std::string text = Text(2);
  for (const size_t bytes : {text.size() - 1, text.size() - 5, text.find("{\"record\":\"footer")}) {
    ASSERT_TRUE(WriteFile(FileOf(2), text.substr(0, bytes)));
    EXPECT_THAT(Refused(), HasSubstr("shard 2 of 3 did not end")) << bytes;
  }
}

TEST_F(MergeRunsTest, AnythingThatIsNoShardIsRefused) {
  ASSERT_TRUE(WriteFile(FileOf(2), ""));
  EXPECT_THAT(Refused(ExitCode::kBadInput), HasSubstr("no header"));
  ASSERT_TRUE(WriteFile(FileOf(2), std::string(100, '\0')));
  EXPECT_THAT(Refused(ExitCode::kBadInput), HasSubstr("results-2-of-3.jsonl"));
  EXPECT_FALSE(MergeRuns({{folder_.path() / "absent"}, out(), {}, false}));
}

TEST_F(MergeRunsTest, PartialShardsMakeAnUnfinishedRun) {
  fs::remove(FileOf(3));
  ASSERT_TRUE(WriteFile(FileOf(2), Text(2).substr(0, Text(2).find("{\"record\":\"footer"))));
  const auto merged = Merge(true);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_THAT(merged->lacking, UnorderedElementsAre("shard 3 of 3 is missing", "shard 2 of 3 did not end"));
  const auto run = LoadRun(out());
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->complete);
  EXPECT_EQ(run->cases.size(), 4u);
  EXPECT_EQ(run->header.selected, "") << "the rows of the third shard are expected";
  EXPECT_FALSE(run->header.merged[1].complete);
}

TEST_F(MergeRunsTest, ARecordThatWasWrittenAgainCountsOnce) {
  std::string text = Text(2);
  text.insert(text.find("{\"record\":\"footer"), Case("add_2", Status::kFlaky));
  ASSERT_TRUE(WriteFile(FileOf(2), text));
  const auto merged = Merge();
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->cases, 6u);
  EXPECT_EQ(merged->totals.at("flaky"), 1);
  EXPECT_EQ(merged->totals.at("pass"), 4);
}

TEST_F(MergeRunsTest, ADamagedLineStaysVisible) {
  std::string text = Text(2);
  text.insert(text.find("{\"record\":\"footer"), "{\"record\":\"case\",\"ca\n");
  ASSERT_TRUE(WriteFile(FileOf(2), text));
  ASSERT_TRUE(Merge());
  EXPECT_EQ(LoadRun(out())->bad_lines.size(), 1u);
}

TEST_F(MergeRunsTest, ItCanBeMergedIntoTheFolderOfItsShards) {
  ASSERT_TRUE(MergeRuns({{FileOf(1), FileOf(2), FileOf(3)}, FolderOf(1) / "results.jsonl", {}, false}));
  const auto header = LoadRunHeader(FolderOf(1) / "results.jsonl");
  ASSERT_TRUE(header);
  EXPECT_TRUE(IsMergeOf(*header, {{FileOf(1), 1, 3}, {FileOf(2), 2, 3}, {FileOf(3), 3, 3}}));
  EXPECT_FALSE(IsMergeOf(*header, {{FileOf(1), 1, 3}, {FileOf(2), 2, 3}}));
}

TEST_F(MergeRunsTest, ARunOfOneShardIsThatShard) {
  const fs::path whole = folder_.path() / "c/results.jsonl";
  const auto all = [](RunHeader& header) {
    header.shards = 1;
    header.selected = "";
  };
  ASSERT_TRUE(WriteFile(whole, Text(1, all)));
  for (const fs::path& input : {whole, whole.parent_path()}) {
    const auto merged = MergeRuns({{input}, out(), {}, false});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->cases, 2u);
  }
  EXPECT_FALSE(MergeRuns({{whole, FileOf(1)}, out(), {}, true}));
}

TEST_F(MergeRunsTest, TheManifestIsNamedFromTheNewFolder) {
  ASSERT_TRUE(WriteFile(FolderOf(1) / "manifest.yaml", "text"));
  const auto merged = Merge();
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->header.manifest, (FolderOf(1) / "manifest.yaml").string());
  EXPECT_EQ(merged->header.manifest_relative, "../a/manifest.yaml");
}

}  // namespace
}  // namespace opbyop
