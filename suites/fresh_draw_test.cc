// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests runs of the conformance program with a further draw of `edge`, from a seed of its own, with the mock target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/slot/slot.h"
#include "suites/test_conformance_program.h"
#include "support/text/timestamp.h"

namespace opbyop::suites {
namespace {

namespace fs = std::filesystem;
using mock::Behaviour;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class FreshDrawTest : public ConformanceTest {
 protected:
  // A case that is wrong only on the inputs of this run's seed.
  static Behaviour WrongUnder(uint64_t seed, int64_t number) {
    Behaviour wrong{"wrong_result", "execute"};
    wrong.input_seed = harness::InputSeed(mock::CaseId(wrong, number), seed);
    return wrong;
  }

  std::vector<std::string> With(const std::string& seed, std::vector<std::string> more = {}) const {
    more.push_back("--fresh-seed=" + seed);
    return Command(more);
  }

  // The command line of a run without the seed.
  std::vector<std::string> Without(const std::vector<std::string>& more) const {
    std::vector<std::string> argv = Command(more);
    std::erase(argv, "--fresh-seed=none");
    return argv;
  }

  std::string cache() const { return "--cache=" + (folder_.path() / "cache").string(); }

  const CaseRecord Find(const std::string& name) const {
    for (const CaseRecord& record : Results().cases) {
      if (record.id.starts_with(name)) return record;
    }
    return {};
  }
};

TEST_F(FreshDrawTest, AFailureIsRedAndItsSeedIsInTheCommandAndTheHeader) {
  Write({{}, WrongUnder(20261126, 1)});
  EXPECT_EQ(Run(With("20261125")).code, 0);
  EXPECT_FALSE(Run(With("none")).output.empty());
  EXPECT_EQ(Results().header.fresh_seed, std::nullopt);
  const Outcome found = Run(With("20261126"));
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.output, HasSubstr("under edge#seed20261126: "));
  EXPECT_EQ(Results().header.fresh_seed, 20261126u);
  const CaseRecord record = Find("wrong_result");
  EXPECT_EQ(record.fixed.status, Status::kPass);
  EXPECT_THAT(record.repro, EndsWith(" --policy=edge --seed=20261126"));
}

TEST_F(FreshDrawTest, TheFurtherDrawNeedsThePolicyEdge) {
  Write({{}});
  EXPECT_EQ(Run(With("7", {"--policy=domain,sparse"})).code, 0);
  EXPECT_EQ(Results().header.fresh_seed, std::nullopt);
  EXPECT_EQ(Find("pass").sets.size(), 2u);
}

TEST_F(FreshDrawTest, NoBaselineHidesAFailureAndAPassIsNotUnexpected) {
  Write({{}, WrongUnder(7, 1), {"wrong_result", "execute"}});
  const std::string baseline = WriteText("baseline.yaml",
                                         "schema: opbyop-baseline/1\ntarget: mock\nentries:\n"
                                         "- {id: '*_00000002', stage: compare, status: fail, reason: known}\n");
  EXPECT_EQ(Run(With("8", {"--baseline=" + baseline})).code, 0);
  const Outcome found = Run(With("7", {"--baseline=" + baseline}));
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.output, HasSubstr("1 fail"));
  EXPECT_THAT(found.output, Not(HasSubstr("unexpected_pass")));
  // A passing further draw does not change a failure on the fixed seed.
  Behaviour fixed{"wrong_result", "execute"};
  fixed.input_seed = harness::InputSeed(mock::CaseId(fixed, 2), 0);
  Write({{}, {}, fixed});
  EXPECT_EQ(Run(With("7", {"--baseline=" + baseline})).code, 0);
}

TEST_F(FreshDrawTest, TheCacheLeavesOutTheFurtherDrawSoOtherSeedsUseItsRecords) {
  Write({{}, WrongUnder(7, 1)});
  EXPECT_EQ(Run(With("8", {cache(), "--fresh"})).code, 0);
  const Outcome other = Run(With("none", {cache(), "--fresh"}));
  EXPECT_THAT(other.output, HasSubstr("2 of 2 cases taken over from the cache"));
  for (const CaseRecord& record : Results().cases) {
    for (const InputSetRecord& set : record.sets) EXPECT_THAT(set.policy, Not(HasSubstr("#seed")));
    for (const Comparison& comparison : record.comparisons) EXPECT_THAT(comparison.policy, Not(HasSubstr("#seed")));
  }
  fs::remove_all(folder_.path() / "cache");
  EXPECT_EQ(Run(With("7", {cache(), "--fresh"})).code, 1);
  const Outcome after = Run(With("none", {cache(), "--fresh"}));
  EXPECT_EQ(after.code, 0) << "what the draw found is no result of the fixed seed";
  EXPECT_THAT(after.output, HasSubstr("1 of 2 cases taken over from the cache"));
}

TEST_F(FreshDrawTest, SomeCachedCasesAreRunWithTheDrawOfTheDay) {
  Write(std::vector<Behaviour>(100));
  EXPECT_EQ(Run(With("none", {cache(), "--fresh"})).code, 0);
  EXPECT_EQ(Run(With("8", {cache(), "--fresh"})).code, 0);
  int drawn = 0, taken = 0;
  for (const CaseRecord& record : Results().cases) {
    const bool has = record.sets.back().policy == "edge#seed8";
    drawn += has ? 1 : 0;
    taken += record.cached_from.empty() ? 0 : 1;
    EXPECT_EQ(has, record.cached_from.empty()) << record.id;
  }
  EXPECT_GT(drawn, 0);
  EXPECT_LT(drawn, 15);
  EXPECT_EQ(drawn + taken, 100);
}

TEST_F(FreshDrawTest, AResumedRunKeepsItsSeed) {
  Write(std::vector<Behaviour>(3));
  ASSERT_EQ(Run(With("7")).code, 0);
  const fs::path results = folder_.path() / "out/results.jsonl";
  std::string text = *ReadFile(results);
  text.erase(text.find("{\"record\":\"case\"", text.find("{\"record\":\"case\"") + 1));
  ASSERT_TRUE(WriteFile(results, text));
  const Outcome refused = Run(With("8", {"--resume"}));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("has results of fresh seed 7, and --fresh-seed says 8"));
  EXPECT_EQ(*ReadFile(results), text) << "nothing is touched";
  ASSERT_EQ(Run(Without({"--resume"})).code, 0);
  EXPECT_EQ(Results().header.fresh_seed, 7u);
  for (const CaseRecord& record : Results().cases) EXPECT_EQ(record.sets.back().policy, "edge#seed7");
  // A run of all rows that replaces this one takes the seed of the current day.
  ASSERT_EQ(Run(Without({})).code, 0);
  EXPECT_NE(Results().header.fresh_seed, 7u);
  EXPECT_GT(Results().header.fresh_seed, 20260000u);
}

TEST_F(FreshDrawTest, AllShardsOfARunHaveTheSeedOfTheFirst) {
  Write(std::vector<Behaviour>(6));
  ASSERT_EQ(Run(With("7", {"--shard=1/2"})).code, 0);
  ASSERT_EQ(Run(Without({"--shard=2/2"})).code, 0);
  EXPECT_EQ(Results("results-2-of-2.jsonl").header.fresh_seed, 7u);
  // The first shard of the next night must not take the seed of the last.
  ASSERT_EQ(Run(Without({"--shard=1/2"})).code, 0);
  const auto next = Results("results-1-of-2.jsonl").header.fresh_seed;
  EXPECT_NE(next, 7u);
  ASSERT_EQ(Run(Without({"--shard=2/2"})).code, 0);
  EXPECT_EQ(Results("results-2-of-2.jsonl").header.fresh_seed, next);
}

}  // namespace
}  // namespace opbyop::suites
