// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/running_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::reference {
namespace {

using testing::ElementsAre;

// The examples of the specification.
TEST(RunningGridTest, CrossReplica) {
  const RunningGrid grid(4, 2);
  EXPECT_THAT(grid.CrossReplica({{0, 1}, {2, 3}}),
              ElementsAre(ProcessGroup{{0, 0}, {1, 0}}, ProcessGroup{{0, 1}, {1, 1}}, ProcessGroup{{2, 0}, {3, 0}},
                          ProcessGroup{{2, 1}, {3, 1}}));
}

TEST(RunningGridTest, CrossPartition) {
  const RunningGrid grid(4, 2);
  EXPECT_THAT(grid.CrossPartition({{0, 1}}), ElementsAre(ProcessGroup{{0, 0}, {0, 1}}, ProcessGroup{{1, 0}, {1, 1}},
                                                         ProcessGroup{{2, 0}, {2, 1}}, ProcessGroup{{3, 0}, {3, 1}}));
}

TEST(RunningGridTest, CrossReplicaAndPartition) {
  const RunningGrid grid(4, 2);
  EXPECT_THAT(grid.CrossReplicaAndPartition({{0, 1}, {2, 3}}),
              ElementsAre(ProcessGroup{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, ProcessGroup{{2, 0}, {3, 0}, {2, 1}, {3, 1}}));
}

TEST(RunningGridTest, FlattenedIds) {
  const RunningGrid grid(4, 2);
  EXPECT_THAT(grid.FlattenedIds({{0, 1, 2, 3}, {4, 5, 6, 7}}),
              ElementsAre(ProcessGroup{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, ProcessGroup{{2, 0}, {2, 1}, {3, 0}, {3, 1}}));
}

TEST(RunningGridTest, NoGroupsAreOneGroupOfAll) {
  const RunningGrid grid(2, 1);
  EXPECT_THAT(grid.CrossReplica({}), ElementsAre(ProcessGroup{{0, 0}, {1, 0}}));
}

TEST(RunningGridTest, NegativeIdsPadRaggedGroups) {
  const RunningGrid grid(3, 1);
  EXPECT_THAT(grid.CrossReplica({{0, 1}, {2, -1}}), ElementsAre(ProcessGroup{{0, 0}, {1, 0}}, ProcessGroup{{2, 0}}));
}

TEST(RunningGridTest, AnOpInALoopMeetsOncePerIteration) {
  RunningGrid grid(2, 1);
  const ProcessGroup group = {{0, 0}, {1, 0}};
  std::vector<int64_t> seen;
  for (int64_t r = 0; r < 2; ++r) {
    grid.tasks().Spawn("process", [&, r]() -> Expected<void> {
      for (int64_t round = 0; round < 3; ++round) {
        const Tensor mine = Tensor::Splat<int64_t>(ElementType::kI32, {}, 10 * round + r);
        const auto execution = grid.Exchange({r, 0}, group, "sum", {Value(mine)});
        if (!execution) return Unexpected(execution.error());
        int64_t sum = 0;
        for (const auto& values : (*execution)->brought) sum += (*values)[0].tensor().IntegerAt(0);
        seen.push_back(sum);
      }
      return {};
    });
  }
  ASSERT_TRUE(grid.tasks().Run().has_value());
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre(1, 1, 21, 21, 41, 41));
}

TEST(RunningGridTest, MessagesKeepTheirOrder) {
  RunningGrid grid(2, 1);
  std::vector<int64_t> received;
  grid.tasks().Spawn("receiver", [&]() -> Expected<void> {
    for (int i = 0; i < 2; ++i) {
      const auto message = grid.Receive({1, 0}, "channel", "the sender");
      if (!message) return Unexpected(message.error());
      received.push_back((*message)[0].tensor().IntegerAt(0));
    }
    return {};
  });
  grid.tasks().Spawn("sender", [&]() -> Expected<void> {
    grid.Post("channel", {Value(Tensor::Splat<int64_t>(ElementType::kI32, {}, 1))});
    grid.Post("channel", {Value(Tensor::Splat<int64_t>(ElementType::kI32, {}, 2))});
    return {};
  });
  ASSERT_TRUE(grid.tasks().Run().has_value());
  EXPECT_THAT(received, ElementsAre(1, 2));
}

}  // namespace
}  // namespace opbyop::reference
