// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/task_set.h"

#include <gtest/gtest.h>

namespace opbyop::reference {
namespace {

TEST(TaskSetTest, ATaskWaitsForAnother) {
  TaskSet tasks;
  bool sent = false;
  std::string trace;
  tasks.Spawn("receiver", [&]() -> Expected<void> {
    trace += "r";
    const Expected<void> there = tasks.WaitUntil([&] { return sent; }, [] { return "the sender"; });
    trace += "R";
    return there;
  });
  tasks.Spawn("sender", [&]() -> Expected<void> {
    trace += "s";
    sent = true;
    return {};
  });
  EXPECT_TRUE(tasks.Run().has_value());
  EXPECT_EQ(trace, "rsR");
}

TEST(TaskSetTest, ADeadlockNamesEachTaskAndWhatItWaitsFor) {
  TaskSet tasks;
  const auto never = [] { return false; };
  tasks.Spawn("a", [&] { return tasks.WaitUntil(never, [] { return "b"; }); });
  tasks.Spawn("b", [&] { return tasks.WaitUntil(never, [] { return "a"; }); });
  const Expected<void> done = tasks.Run();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "deadlock: a waits for b; b waits for a");
}

TEST(TaskSetTest, AFailureWakesAllWaitingTasks) {
  TaskSet tasks;
  bool woken = false;
  tasks.Spawn("waiting", [&]() -> Expected<void> {
    const Expected<void> there = tasks.WaitUntil([] { return false; }, [] { return "nothing"; });
    woken = !there.has_value();
    return there;
  });
  tasks.Spawn("failing", [&]() -> Expected<void> { return MakeError(ExitCode::kBadInput, "broken"); });
  const Expected<void> done = tasks.Run();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "broken");
  EXPECT_TRUE(woken);
}

TEST(TaskSetTest, ATaskMaySpawnAnother) {
  TaskSet tasks;
  int value = 0;
  tasks.Spawn("parent", [&]() -> Expected<void> {
    tasks.Spawn("child", [&]() -> Expected<void> {
      value = 1;
      return {};
    });
    return tasks.WaitUntil([&] { return value == 1; }, [] { return "its child"; });
  });
  EXPECT_TRUE(tasks.Run().has_value());
  EXPECT_EQ(value, 1);
}

TEST(TaskSetTest, WaitingOutsideOfATaskIsAnError) {
  TaskSet tasks;
  EXPECT_TRUE(tasks.WaitUntil([] { return true; }, [] { return ""; }).has_value());
  const Expected<void> waited = tasks.WaitUntil([] { return false; }, [] { return "others"; });
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code, ExitCode::kUnsupported);
}

TEST(TaskSetTest, RunsHundredsOfTasks) {
  TaskSet tasks;
  constexpr int kTasks = 500;
  int arrived = 0;
  for (int i = 0; i < kTasks; ++i) {
    tasks.Spawn("task", [&]() -> Expected<void> {
      ++arrived;
      return tasks.WaitUntil([&] { return arrived == kTasks; }, [] { return "the others"; });
    });
  }
  EXPECT_TRUE(tasks.Run().has_value());
}

}  // namespace
}  // namespace opbyop::reference
