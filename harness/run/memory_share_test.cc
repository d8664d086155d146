// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/memory_share.h"

#include <gtest/gtest.h>

#include <memory>

#include "manifests/cases/case_sharding.h"

namespace opbyop::harness {
namespace {

TEST(MemoryShareTest, ACaseWaitsUntilThoseThatRunLeaveItsMemory) {
  const Case large{.id = "large", .bytes = 40}, small{.id = "small", .bytes = 5};
  MemoryShare share(100);
  std::deque<const Case*> queue = {&large, &small};
  share.Take(large);
  EXPECT_FALSE(share.Fits(large)) << "each takes 80 of 100";
  EXPECT_EQ(*share.FirstThatFits(queue), &small) << "goes before it";
  share.Take(small);
  share.Return(large);
  EXPECT_EQ(*share.FirstThatFits(queue), &large);
}

TEST(MemoryShareTest, ACaseThatExceedsTheMachineRunsAlone) {
  const Case huge{.id = "huge", .bytes = 1000}, small{.id = "small", .bytes = 5};
  MemoryShare share(100);
  EXPECT_TRUE(share.Fits(huge));
  share.Take(small);
  EXPECT_FALSE(share.Fits(huge));
  share.Return(small);
  share.Take(huge);
  EXPECT_FALSE(share.Fits(small));
}

TEST(MemoryShareTest, EachDevicesCopyOfAWholeTensorCounts) {
  Case c{.id = "sharded", .bytes = 40};
  c.inputs = {{{10}, "f32"}};
  c.sharding = std::make_shared<const CaseSharding>(CaseSharding{.partitions = 4, .inputs = {{{}}}, .outputs = {}});
  EXPECT_EQ(MemoryOf(c), 2 * 40 + 4 * 40);
}

TEST(MemoryShareTest, WithoutALimitAllCasesFit) {
  const Case huge{.id = "huge", .bytes = INT64_MAX};
  MemoryShare share(0);
  share.Take(huge);
  EXPECT_TRUE(share.Fits(huge));
}

}  // namespace
}  // namespace opbyop::harness
