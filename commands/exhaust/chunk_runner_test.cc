// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "commands/exhaust/device_fixture.h"
#include "support/test_folder.h"

namespace opbyop::exhaustive {
namespace {

using reference::ElementType;
using testing::HasSubstr;

constexpr uint64_t kSize = 1 << 12;  // of f16: 16 chunks

class ChunkRunnerTest : public testing::Test {
 protected:
  FunctionTask Task(const std::string& pattern = "tanh") const {
    FunctionTask task{FunctionOf(pattern, ElementType::kF16), {}, ChunkPlan(1 << 16, kSize), {}};
    task.c.id = task.function.Name();
    task.chunks = task.plan.Of({});
    return task;
  }

  std::vector<FunctionOutcome> Run(std::vector<FunctionTask> tasks, ChunkDevice& device, int jobs = 2) {
    Expected<Journal> journal = Journal::Open(folder_.path() / "chunks.jsonl", {"test", "1", ""}, false);
    EXPECT_TRUE(journal);
    ChunkRunner runner({.devices = {&device}, .jobs = jobs, .journal = &*journal});
    ended_.clear();
    runner.on_end = [this](size_t t, const FunctionOutcome& outcome) { ended_.push_back({t, outcome.done}); };
    Expected<std::vector<FunctionOutcome>> outcomes = runner.Run(tasks);
    EXPECT_TRUE(outcomes);
    return outcomes ? *outcomes : std::vector<FunctionOutcome>();
  }

  TestFolder folder_;
  std::vector<std::pair<size_t, uint64_t>> ended_;
};

TEST_F(ChunkRunnerTest, EveryChunkIsRunOnceAndCounted) {
  ReferenceDevice device(Task().function);
  const auto outcomes = Run({Task()}, device);
  EXPECT_EQ(device.runs, 16);
  EXPECT_EQ(outcomes[0].status, Status::kPass);
  EXPECT_EQ(outcomes[0].done, 16U);
  EXPECT_EQ(outcomes[0].tally.values, 1 << 16);
  EXPECT_EQ(outcomes[0].tally.mismatches, 0);
  EXPECT_THAT(ended_, testing::ElementsAre(std::pair<size_t, uint64_t>(0, 16)));
}

TEST_F(ChunkRunnerTest, ChunksInTheJournalAreNotRunAgain) {
  ReferenceDevice device(Task().function);
  FunctionTask half = Task();
  half.chunks.resize(8);
  Run({half}, device);
  EXPECT_EQ(device.runs, 8);
  const auto outcomes = Run({Task()}, device);
  EXPECT_EQ(device.runs, 16);
  EXPECT_EQ(outcomes[0].tally.values, 1 << 16);
  EXPECT_EQ(outcomes[0].values_run, 1 << 15);
  const auto again = Run({Task()}, device);
  EXPECT_EQ(device.runs, 16);
  EXPECT_EQ(again[0].done, 16U);
  EXPECT_EQ(ended_.size(), 1U);
}

TEST_F(ChunkRunnerTest, TheNumberOfThreadsChangesNothing) {
  const auto wrong = [](const reference::InputData&, ChunkRun& run) { run.output[33] ^= std::byte{64}; };
  std::set<std::string> tallies;
  for (const int jobs : {1, 2, 5}) {
    std::filesystem::remove(folder_.path() / "chunks.jsonl");
    ReferenceDevice device(Task().function, wrong);
    tallies.insert(ToJson(Run({Task()}, device, jobs)[0].tally).dump());
  }
  EXPECT_EQ(tallies.size(), 1U);
}

TEST_F(ChunkRunnerTest, AMismatchIsFoundInItsChunkAndTheRunContinues) {
  ReferenceDevice device(Task().function, [](const reference::InputData& input, ChunkRun& run) {
    uint16_t first = 0;
    std::memcpy(&first, input.bytes.data(), 2);
    if (first == 0x3000) run.output[2 * 0xC00 + 1] = std::byte{0x7F};  // of 0x3C00, which is 1
  });
  const auto outcomes = Run({Task()}, device);
  EXPECT_EQ(outcomes[0].done, 16U);
  EXPECT_EQ(outcomes[0].tally.mismatches, 1);
  ASSERT_TRUE(outcomes[0].tally.first);
  EXPECT_EQ(outcomes[0].tally.first->code, 0x3C00U);
}

TEST_F(ChunkRunnerTest, AChunkThatDiesOnceIsRunAgain) {
  std::atomic<int> calls = 0;
  ReferenceDevice device(Task().function, [&](const reference::InputData&, ChunkRun& run) {
    if (++calls == 3) run = {.record = {.status = Status::kCrash, .stage = "execute", .diagnostic = "signal 11"}};
  });
  const auto outcomes = Run({Task()}, device);
  EXPECT_EQ(outcomes[0].status, Status::kPass);
  EXPECT_EQ(outcomes[0].attempts, 2);
  EXPECT_EQ(outcomes[0].done, 16U);
  EXPECT_EQ(device.runs, 17);
}

TEST_F(ChunkRunnerTest, AFunctionThatDiesTwiceIsGivenUpAndTheNextIsRun) {
  const FunctionTask next = Task("exponential");
  ReferenceDevice device(next.function);
  class Two : public ChunkDevice {
   public:
    explicit Two(ChunkDevice& good) : good_(good) {}
    ChunkRun Run(const Case& c, const std::function<std::string()>& text, const reference::InputData& input) override {
      if (c.id.starts_with("exponential")) return good_.Run(c, text, input);
      return {.record = {.status = Status::kTimeout, .stage = "execute", .diagnostic = "took longer than 60 s"}};
    }

   private:
    ChunkDevice& good_;
  } two(device);
  const auto outcomes = Run({Task(), next}, two, 1);
  EXPECT_EQ(outcomes[0].status, Status::kTimeout);
  EXPECT_EQ(outcomes[0].stage, "execute");
  EXPECT_EQ(outcomes[0].done, 0U);
  EXPECT_EQ(outcomes[1].status, Status::kPass);
  EXPECT_EQ(outcomes[1].done, 16U);
  EXPECT_EQ(ended_.size(), 2U);
}

TEST_F(ChunkRunnerTest, AnOutputThatIsTooShortIsAFailureOfTheComparison) {
  ReferenceDevice device(Task().function, [](const reference::InputData&, ChunkRun& run) { run.output.pop_back(); });
  const auto outcomes = Run({Task()}, device);
  EXPECT_EQ(outcomes[0].status, Status::kFail);
  EXPECT_EQ(outcomes[0].stage, "compare");
  EXPECT_THAT(outcomes[0].diagnostic, HasSubstr("expected 4096 elements of f16"));
}

}  // namespace
}  // namespace opbyop::exhaustive
