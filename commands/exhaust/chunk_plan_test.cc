// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_plan.h"

#include <gtest/gtest.h>

#include <set>

namespace opbyop::exhaustive {
namespace {

constexpr uint64_t kAll = uint64_t{1} << 32;

TEST(ChunkPlanTest, TheWholeIsEveryChunkOnce) {
  const ChunkPlan plan(kAll, 1 << 20);
  const std::vector<uint64_t> chunks = plan.Of({});
  EXPECT_EQ(chunks.size(), 4096U);
  EXPECT_EQ(std::set<uint64_t>(chunks.begin(), chunks.end()).size(), 4096U);
  EXPECT_EQ(plan.First(4095) + plan.size(), kAll);
}

TEST(ChunkPlanTest, PartsHaveNoChunkInCommonAndMakeTheWhole) {
  const ChunkPlan plan(kAll, 1 << 20);
  for (const uint64_t parts : {1, 3, 64, 100, 4096, 5000}) {
    std::set<uint64_t> seen;
    size_t count = 0;
    for (uint64_t k = 1; k <= parts; ++k) {
      const std::vector<uint64_t> chunks = plan.Of({k, parts});
      count += chunks.size();
      seen.insert(chunks.begin(), chunks.end());
    }
    EXPECT_EQ(count, 4096U) << parts;
    EXPECT_EQ(seen.size(), 4096U) << parts;
  }
}

TEST(ChunkPlanTest, APartIsSpreadOverAllExponents) {
  const ChunkPlan plan(kAll, 1 << 20);
  // 32 stretches of 16 binades each, of both signs.
  for (uint64_t k = 1; k <= 64; ++k) {
    std::set<uint64_t> stretches;
    for (const uint64_t chunk : plan.Of({k, 64})) stretches.insert(plan.First(chunk) >> 27);
    EXPECT_GE(stretches.size(), 30U) << k;
  }
}

TEST(ChunkPlanTest, ATypeOfFewValuesIsOneChunk) {
  const ChunkPlan plan(256, 1 << 20);
  EXPECT_EQ(plan.size(), 256U);
  EXPECT_EQ(plan.Of({}), std::vector<uint64_t>{0});
  EXPECT_EQ(plan.Of({1, 2}).size() + plan.Of({2, 2}).size(), 1U);
}

TEST(ChunkPlanTest, AChunkIsFoundByAPatternInIt) {
  const ChunkPlan plan(kAll, 1 << 20);
  EXPECT_EQ(plan.ChunkOf(0x3F80'0000), 0x3F8U);
  EXPECT_EQ(plan.ChunkOf(plan.First(17)), 17U);
  EXPECT_EQ(plan.ChunkOf(plan.First(17) + plan.size() - 1), 17U);
}

TEST(ChunkPlanTest, PartsAreReadOrRefused) {
  const Expected<Part> part = ParsePart("3/64");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->part, 3U);
  EXPECT_EQ(part->parts, 64U);
  for (const char* bad : {"", "3", "3/", "/64", "0/64", "65/64", "-1/64", "3/64x", "x3/64", "3/0", "3//4", "3 /4",
                          "99999999999999999999999/1"}) {
    EXPECT_FALSE(ParsePart(bad)) << bad;
  }
}

}  // namespace
}  // namespace opbyop::exhaustive
