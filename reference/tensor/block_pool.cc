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
  size_t kept = 0, lent = 0, most_lent = 0;             // bytes; the last since blocks were released

  void Lend(size_t bytes) {
    lent += bytes;
    most_lent = std::max(most_lent, lent);
    Trim();
  }
  // The process has needed as much before as was lent at once: that may be kept.
  void Trim() {
    while (kept > std::max(kMostKept, most_lent - lent)) {
      kept -= blocks.front().first;
      blocks.pop_front();
    }
  }
};

Pool& ThePool() {
  static Pool pool;
  return pool;
}

}  // namespace

AlignedMemory TakeBlock(size_t bytes) {
  if (bytes < kLeast) return AllocateAligned(bytes);
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  AlignedMemory block;
  const auto found = std::ranges::find(pool.blocks, bytes, &std::pair<size_t, AlignedMemory>::first);
  if (found != pool.blocks.end()) {
    block = std::move(found->second);
    pool.blocks.erase(found);
    pool.kept -= bytes;
  }
  pool.Lend(bytes);
  if (!block) block = AllocateAligned(bytes);
  if (!block) pool.lent -= bytes;
  return block;
}

void ReturnBlock(AlignedMemory block, size_t bytes) {
  if (bytes < kLeast) return;
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.lent -= bytes;
  pool.blocks.emplace_back(bytes, std::move(block));
  pool.kept += bytes;
  pool.Trim();
}

void ReleaseBlocks() {
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.blocks.clear();
  pool.kept = 0;
  pool.most_lent = pool.lent;
}

}  // namespace opbyop::reference
