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

// The seventeenth block of 64 MiB is more than 1 GiB together.
TEST_F(BlockPoolTest, TheOldestBlockGoesWhenThereAreTooMany) {
  std::vector<AlignedMemory> blocks(17);
  std::vector<const std::byte*> places;
  places.reserve(blocks.size());
  for (AlignedMemory& block : blocks) {
    block = TakeBlock(kLarge);
    places.push_back(block.get());
  }
  for (AlignedMemory& block : blocks) ReturnBlock(std::move(block), kLarge);
  for (size_t i = 1; i < blocks.size(); ++i) {
    blocks[i] = TakeBlock(kLarge);
    EXPECT_EQ(blocks[i].get(), places[i]) << i;
  }
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
