// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/shard_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "harness/run/case_cost.h"
#include "manifests/results/result.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

class ShardAssignmentTest : public testing::Test {
 protected:
  // Makes 100 cases; every tenth computes much.
  ShardAssignmentTest() {
    for (int i = 0; i < 100; ++i) {
      Case c;
      c.id = "case_" + std::to_string(i);
      c.flops = i % 10 == 0 ? 100'000'000 : 1000;
      cases_.push_back(std::move(c));
    }
  }
  std::vector<const Case*> Pointers() const {
    std::vector<const Case*> pointers;
    for (const Case& c : cases_) pointers.push_back(&c);
    return pointers;
  }
  std::map<std::string, uint32_t> ById(const std::vector<const Case*>& cases, const Balance& balance) const {
    const auto shard_of = AssignShards(cases, 4, balance);
    std::map<std::string, uint32_t> by_id;
    for (size_t i = 0; i < cases.size(); ++i) by_id[cases[i]->id] = shard_of[i];
    return by_id;
  }
  // Returns the milliseconds of each of four shards.
  std::vector<double> Loads(const Balance& balance, const std::function<double(const Case&)>& ms) const {
    std::vector<double> loads(4);
    for (const auto& [id, shard] : ById(Pointers(), balance)) {
      loads.at(shard) += ms(*std::ranges::find(cases_, id, &Case::id));
    }
    return loads;
  }
  static double Spread(const std::vector<double>& loads) { return std::ranges::max(loads) / std::ranges::min(loads); }
  std::string WriteRun(const std::vector<CaseRecord>& records) {
    RunHeader header;
    header.run_id = "last-night";
    std::string text = ToJsonLine(header) + "\n";
    for (const CaseRecord& record : records) text += ToJsonLine(record) + "\n";
    EXPECT_TRUE(WriteFile(folder_.path() / "results.jsonl", text));
    return folder_.path();
  }

  std::vector<Case> cases_;
  TestFolder folder_;
};

TEST_F(ShardAssignmentTest, ShardsGetAboutTheSameWork) {
  EXPECT_LT(Spread(Loads(*FindBalance(""), EstimatedMs)), 1.6) << "ten large cases for four shards";
}

TEST_F(ShardAssignmentTest, TheOrderOfTheCasesDoesNotDecide) {
  std::vector<const Case*> reversed = Pointers();
  std::ranges::reverse(reversed);
  for (const char* balance : {"cost", "hash"}) {
    EXPECT_EQ(ById(Pointers(), *FindBalance(balance)), ById(reversed, *FindBalance(balance)));
  }
}

TEST_F(ShardAssignmentTest, DurationsOfAnEarlierRunCountMoreThanEstimates) {
  std::vector<CaseRecord> records;
  const auto ms = [&](const Case& c) { return c.id.ends_with("7") ? 5000.0 : 10.0; };
  for (const Case& c : cases_) records.push_back({.id = c.id, .wall_ms = ms(c)});
  const auto balance = FindBalance(WriteRun(records));
  ASSERT_TRUE(balance) << balance.error().message;
  EXPECT_THAT(balance->name, HasSubstr("run last-night, 100 durations"));
  EXPECT_LT(Spread(Loads(*balance, ms)), 1.6);
}

TEST_F(ShardAssignmentTest, ANewCaseIsEstimatedOnTheScaleOfKnownDurations) {
  std::vector<CaseRecord> records;
  // Half of the cases are known, and ten thousand times slower than estimated.
  const auto ms = [&](const Case& c) { return 1e4 * EstimatedMs(c); };
  for (size_t i = 0; i < cases_.size(); i += 2) records.push_back({.id = cases_[i].id, .wall_ms = ms(cases_[i])});
  EXPECT_LT(Spread(Loads(*FindBalance(WriteRun(records)), ms)), 1.6);
}

TEST_F(ShardAssignmentTest, OtherDurationsOfTheSameRunAreAnotherBalance) {
  const auto before = FindBalance(WriteRun({{.id = "case_1", .wall_ms = 1}}));
  const auto after = FindBalance(WriteRun({{.id = "case_1", .wall_ms = 2}}));
  EXPECT_NE(before->name, after->name);
}

TEST_F(ShardAssignmentTest, ByHashACaseKeepsItsShardWhenOthersAreAdded) {
  const auto before = ById(Pointers(), *FindBalance("hash"));
  cases_.push_back({.id = "new"});
  const auto after = ById(Pointers(), *FindBalance("hash"));
  for (const auto& [id, shard] : before) EXPECT_EQ(after.at(id), shard);
}

TEST_F(ShardAssignmentTest, MoreShardsThanCasesLeaveSomeEmpty) {
  const auto shard_of = AssignShards({&cases_[0], &cases_[1]}, 5, {});
  EXPECT_NE(shard_of[0], shard_of[1]);
  EXPECT_TRUE(AssignShards({}, 5, {}).empty());
}

TEST_F(ShardAssignmentTest, ARunThatIsNotThereIsNamed) {
  for (const std::string& name : {folder_.path().string(), (folder_.path() / "absent").string()}) {
    const auto balance = FindBalance(name);
    ASSERT_FALSE(balance);
    EXPECT_THAT(balance.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace opbyop::harness
