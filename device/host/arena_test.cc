// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace opbyop::host {
namespace {

TEST(Arena, AlignsToCacheLines) {
  for (const size_t bytes : {1, 63, 64, 1000}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(ArenaAllocate(bytes)) % 64, 0u) << bytes;
  }
  ReleaseArena();
}

TEST(Arena, HandsOutTheSameMemoryAtEveryCall) {
  void* first = ArenaAllocate(4096);
  ResetArena();
  EXPECT_EQ(ArenaAllocate(4096), first);
  ReleaseArena();
}

TEST(Arena, KeepsLiveBlocksApart) {
  void* first = ArenaAllocate(128);
  void* second = ArenaAllocate(128);
  EXPECT_NE(first, second);
  ArenaFree(first);
  EXPECT_EQ(ArenaAllocate(100), first);
  ReleaseArena();
}

TEST(Arena, IgnoresWhatItDidNotHandOut) {
  int other = 0;
  ArenaFree(&other);
  ArenaFree(nullptr);
}

}  // namespace
}  // namespace opbyop::host
