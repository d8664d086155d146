// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/fresh_seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/inputs/fresh_draw.h"
#include "manifests/runs/shard_files.h"
#include "support/files/file.h"
#include "support/test_folder.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;

class FreshSeedTest : public testing::Test {
 protected:
  FreshSeedTest() { header_.digest = "d1"; }

  std::filesystem::path File(uint64_t shard) const { return folder_.path() / ResultsName(shard, header_.shards); }

  // Writes the results of shard K, started at this time on the 26th.
  void Write(uint64_t shard, const std::string& time, uint64_t seed, const std::string& digest = "d1") const {
    RunHeader header = header_;
    header.shard = shard;
    header.digest = digest;
    header.start = "2026-11-26T" + time + ":00.000000+00:00";
    header.fresh_seed = seed;
    ASSERT_TRUE(WriteFile(File(shard), ToJsonLine(header) + "\n"));
  }

  Expected<std::optional<uint64_t>> Choose(const std::string& given = "") const {
    return ChooseFreshSeed({.given = given,
                            .results = File(header_.shard),
                            .header = &header_,
                            .plan = &plan_,
                            .now_us = *ParseTimestamp("2026-11-27T00:01:00Z")});
  }

  TestFolder folder_;
  RunHeader header_;
  ResumePlan plan_;
};

TEST_F(FreshSeedTest, TheSeedIsTheDateUnlessItIsGiven) {
  EXPECT_EQ(Choose().value(), 20261127u);
  EXPECT_EQ(Choose("7").value(), 7u);
  EXPECT_EQ(Choose("none").value(), std::nullopt);
}

TEST_F(FreshSeedTest, AResumedRunKeepsTheSeedOfItsResults) {
  plan_.kept = {{.id = "a"}};
  plan_.fresh_seed = 20261126;
  EXPECT_EQ(Choose().value(), 20261126u);
  EXPECT_EQ(Choose("20261126").value(), 20261126u);
  plan_.fresh_seed.reset();
  EXPECT_EQ(Choose().value(), std::nullopt) << "all of its records are without one";
}

TEST_F(FreshSeedTest, ARunThatRunsEverythingAgainHasANewSeed) {
  plan_.kept = {{.id = "a"}};
  plan_.fresh_seed = 20261126;
  plan_.all_run_again = true;
  EXPECT_EQ(Choose().value(), 20261127u);
  EXPECT_EQ(Choose("7").value(), 7u);
}

TEST_F(FreshSeedTest, ARunThatWasKilledBeforeItsFirstRecordHasASeed) {
  plan_.joined.emplace();
  plan_.fresh_seed = 20261126;
  EXPECT_EQ(Choose().value(), 20261126u);
}

TEST_F(FreshSeedTest, ResultsOfAnotherSeedAreNotResumed) {
  plan_.kept = {{.id = "a"}};
  plan_.fresh_seed = 20261126;
  for (const char* given : {"7", "none"}) {
    const auto seed = Choose(given);
    ASSERT_FALSE(seed) << given;
    EXPECT_EQ(seed.error().code, ExitCode::kUsage);
    EXPECT_THAT(seed.error().message,
                HasSubstr(std::string("has results of fresh seed 20261126, and --fresh-seed ") + "says " + given));
  }
}

TEST_F(FreshSeedTest, AShardThatBeginsAfterMidnightHasTheSeedOfTheFirst) {
  std::tie(header_.shard, header_.shards) = std::pair(2, 3);
  Write(1, "23:59", 20261126);
  EXPECT_EQ(Choose().value(), 20261126u);
  EXPECT_EQ(Choose("7").value(), 7u);
}

TEST_F(FreshSeedTest, ShardsOfTheNightBeforeGiveNoSeed) {
  header_.shards = 3;
  Write(1, "02:00", 20261126);
  Write(2, "02:05", 20261126);
  EXPECT_EQ(Choose().value(), 20261127u);
  header_.shard = 2;
  EXPECT_EQ(Choose().value(), 20261127u) << "shard 1 began before";
  header_.shard = 1;
  Write(2, "23:59", 5);
  EXPECT_EQ(Choose().value(), 5u) << "shard 2 is of the new night already";
}

TEST_F(FreshSeedTest, TheSeedOfABundleIsUsedIfThereIsNoOther) {
  const FreshSeedQuestion question = {
      .given = "", .results = File(1), .header = &header_, .plan = &plan_, .of_bundle = "20261125", .now_us = 0};
  EXPECT_EQ(ChooseFreshSeed(question).value(), 20261125u);
  FreshSeedQuestion none = question;
  none.of_bundle = "none";
  EXPECT_EQ(ChooseFreshSeed(none).value(), std::nullopt);
  none.given = "7";
  EXPECT_EQ(ChooseFreshSeed(none).value(), 7u);
}

TEST_F(FreshSeedTest, ShardsOfAnotherRunGiveNoSeed) {
  std::tie(header_.shard, header_.shards) = std::pair(2, 3);
  Write(1, "23:59", 20261126, "d2");
  EXPECT_EQ(Choose().value(), 20261127u);
}

TEST_F(FreshSeedTest, OneInManyCasesIsChosenAndOthersWithAnotherSeed) {
  int first = 0, second = 0, both = 0;
  for (int i = 0; i < 3200; ++i) {
    const std::string id = "add_4_f32_" + std::to_string(i);
    const bool one = IsFreshInTurn(id, 20261126, kCachedPerFresh);
    const bool two = IsFreshInTurn(id, 20261127, kCachedPerFresh);
    first += one ? 1 : 0;
    second += two ? 1 : 0;
    both += one && two ? 1 : 0;
  }
  EXPECT_NEAR(first, 100, 40);
  EXPECT_NEAR(second, 100, 40);
  EXPECT_LT(both, 15);
}

}  // namespace
}  // namespace opbyop::harness
