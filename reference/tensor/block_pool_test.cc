// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/block_pool.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace opbyop::reference {
namespace {

constexpr size_t kLarge = size_t{64} << 20;

class BlockPoolTest : public testing::Test {
 protected:
  void SetUp() override { ReleaseBlocks(); }
  void TearDown() override { ReleaseBlocks(); }
};

TEST_F(BlockPoolTest, ALargeBlockIsUsedAgain) {
  AlignedMemory block = TakeBlock(kLarge);
  const std::byte* const at = block.get();
  ReturnBlock(std::move(block), kLarge);
  EXPECT_EQ(TakeBlock(kLarge).get(), at);
}

TEST_F(BlockPoolTest, ABlockOfAnotherSizeIsNotUsed) {
  AlignedMemory block = TakeBlock(kLarge);
  const std::byte* const at = block.get();
  ReturnBlock(std::move(block), kLarge);
  const AlignedMemory other = TakeBlock(kLarge / 2);
  EXPECT_NE(other.get(), at);
}

// Takes this many blocks of this size, returns them, and returns where they were.
std::vector<const std::byte*> LendAtOnce(size_t count, size_t bytes) {
  std::vector<AlignedMemory> blocks(count);
  std::vector<const std::byte*> places;
  places.reserve(count);
  for (AlignedMemory& block : blocks) {
    block = TakeBlock(bytes);
    places.push_back(block.get());
  }
  for (AlignedMemory& block : blocks) ReturnBlock(std::move(block), bytes);
  return places;
}

// 9 blocks of 64 MiB and 9 of 65 MiB are more than 1 GiB, which was never lent at once.
TEST_F(BlockPoolTest, TheOldestBlocksGoWhenThereAreTooMany) {
  constexpr size_t kLarger = kLarge + (size_t{1} << 20);
  const std::vector<const std::byte*> old = LendAtOnce(9, kLarge);
  const std::vector<const std::byte*> recent = LendAtOnce(9, kLarger);
  EXPECT_EQ(LendAtOnce(9, kLarger), recent);
  const AlignedMemory oldest_left = TakeBlock(kLarge);
  EXPECT_EQ(oldest_left.get(), old[3]);
}

TEST_F(BlockPoolTest, AsMuchAsWasLentAtOnceIsKept) {
  const std::vector<const std::byte*> places = LendAtOnce(20, kLarge);
  EXPECT_EQ(LendAtOnce(20, kLarge), places);
}

TEST_F(BlockPoolTest, ThreadsGetBlocksOfTheirOwn) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        AlignedMemory block = TakeBlock(kLarge);
        block[0] = static_cast<std::byte>(t);
        std::this_thread::yield();
        EXPECT_EQ(block[0], static_cast<std::byte>(t));
        ReturnBlock(std::move(block), kLarge);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace opbyop::reference
