// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/block_pool.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace opbyop::reference {
namespace {

// Smaller blocks are kept by malloc (reference/worker/freed_memory.h).
constexpr size_t kLeast = size_t{32} << 20;
constexpr size_t kMostKept = size_t{1} << 30;

struct Pool {
  std::mutex mutex;
  std::deque<std::pair<size_t, AlignedMemory>> blocks;  // the oldest first
  size_t kept = 0;
};

Pool& ThePool() {
  static Pool pool;
  return pool;
}

}  // namespace

AlignedMemory TakeBlock(size_t bytes) {
  if (bytes >= kLeast) {
    Pool& pool = ThePool();
    const std::lock_guard lock(pool.mutex);
    const auto found = std::ranges::find(pool.blocks, bytes, &std::pair<size_t, AlignedMemory>::first);
    if (found != pool.blocks.end()) {
      AlignedMemory block = std::move(found->second);
      pool.blocks.erase(found);
      pool.kept -= bytes;
      return block;
    }
  }
  return AllocateAligned(bytes);
}

void ReturnBlock(AlignedMemory block, size_t bytes) {
  if (bytes < kLeast || bytes > kMostKept) return;
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.blocks.emplace_back(bytes, std::move(block));
  pool.kept += bytes;
  while (pool.kept > kMostKept) {
    pool.kept -= pool.blocks.front().first;
    pool.blocks.pop_front();
  }
}

void ReleaseBlocks() {
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.blocks.clear();
  pool.kept = 0;
}

}  // namespace opbyop::reference
