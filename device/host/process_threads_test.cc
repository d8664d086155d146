// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/process_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>

namespace opbyop::host {
namespace {

using testing::Each;
using testing::ElementsAre;

template <typename T>
int64_t AddressOf(const T* data) {
  return reinterpret_cast<int64_t>(data);
}

TEST(ProcessThreadsTest, EachProcessRunsOnceWithItsNumber) {
  std::array<std::atomic<int>, 8> runs{};
  ProcessThreads threads(8);
  ASSERT_TRUE(threads.Run([&](int64_t process) {
    EXPECT_EQ(ProcessThreads::Process(), process);
    ++runs[static_cast<size_t>(process)];
  }));
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(ProcessThreadsTest, NoProcessIsLeftOutWhenOthersEndFirst) {
  ProcessThreads threads(16);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> runs = 0;
    ASSERT_TRUE(threads.Run([&](int64_t) { ++runs; }));
    ASSERT_EQ(runs, 16);
  }
}

TEST(ProcessThreadsTest, MembersGetTheTensorsOfTheirGroupInItsOrder) {
  const std::array<int64_t, 4> groups = {2, 0, 1, 3};  // {2, 0} and {1, 3}
  std::array<std::array<float, 2>, 4> all{};
  ProcessThreads threads(4);
  ASSERT_TRUE(threads.Run([&](int64_t process) {
    const auto own = static_cast<float>(process);
    ProcessThreads::Exchange(AddressOf(&own), AddressOf(all[static_cast<size_t>(process)].data()), sizeof(own),
                             AddressOf(groups.data()), 2, 2);
  }));
  EXPECT_THAT(all[0], ElementsAre(2, 0));
  EXPECT_THAT(all[1], ElementsAre(1, 3));
  EXPECT_THAT(all[2], ElementsAre(2, 0));
  EXPECT_THAT(all[3], ElementsAre(1, 3));
}

TEST(ProcessThreadsTest, ShorterGroupsArePaddedAndOutsidersGetZeros) {
  const std::array<int64_t, 4> groups = {0, 1, 2, -1};
  std::array<std::array<int32_t, 2>, 4> all{};
  for (auto& each : all) each.fill(-7);
  ProcessThreads threads(4);
  ASSERT_TRUE(threads.Run([&](int64_t process) {
    const auto own = static_cast<int32_t>(process + 1);
    ProcessThreads::Exchange(AddressOf(&own), AddressOf(all[static_cast<size_t>(process)].data()), sizeof(own),
                             AddressOf(groups.data()), 2, 2);
  }));
  EXPECT_THAT(all[2], ElementsAre(3, 0));
  EXPECT_THAT(all[3], Each(0));
}

TEST(ProcessThreadsTest, ATensorMayChangeAsSoonAsTheExchangeReturns) {
  constexpr int kRounds = 200;
  const std::array<int64_t, 8> groups = {0, 1, 2, 3, 4, 5, 6, 7};
  std::atomic<int> wrong = 0;
  ProcessThreads threads(8);
  ASSERT_TRUE(threads.Run([&](int64_t process) {
    std::array<int64_t, 8> all{};
    for (int64_t round = 0; round < kRounds; ++round) {
      const int64_t own = 1000 * round + process;
      ProcessThreads::Exchange(AddressOf(&own), AddressOf(all.data()), sizeof(own), AddressOf(groups.data()), 1, 8);
      for (int64_t i = 0; i < 8; ++i) wrong += all[static_cast<size_t>(i)] != 1000 * round + i;
    }
  }));
  EXPECT_EQ(wrong, 0);
}

TEST(ProcessThreadsTest, EachProcessHasASpanAndOneOfEachExchange) {
  const std::array<int64_t, 4> groups = {0, 1, 2, 3};
  std::array<std::array<float, 4>, 4> all{};
  ProcessThreads threads(4, /*records=*/true);
  ASSERT_TRUE(threads.Run([&](int64_t process) {
    const float own = 1;
    ProcessThreads::Exchange(AddressOf(&own), AddressOf(all[static_cast<size_t>(process)].data()), sizeof(own),
                             AddressOf(groups.data()), 1, 4);
  }));
  const std::vector<protocol::Span> spans = threads.spans();
  ASSERT_EQ(spans.size(), 8);
  EXPECT_EQ(spans[6].kind, "collective");
  EXPECT_EQ(spans[6].process, 3);
  EXPECT_EQ(spans[6].bytes, 12);
  EXPECT_EQ(spans[7].kind, "execute");
  EXPECT_LE(spans[7].start_ns, spans[6].start_ns);
  EXPECT_GE(spans[7].end_ns(), spans[6].end_ns());
}

TEST(ProcessThreadsTest, NothingIsRecordedUnlessItIsAskedFor) {
  ProcessThreads threads(2);
  ASSERT_TRUE(threads.Run([](int64_t) {}));
  EXPECT_TRUE(threads.spans().empty());
}

TEST(ProcessThreadsDeathTest, ACollectiveOfASingleProcessEndsTheProgram) {
  EXPECT_DEATH(ProcessThreads::Process(), "fatal error: an op asks a single process for its number on a grid");
}

}  // namespace
}  // namespace opbyop::host
