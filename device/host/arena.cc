// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/arena.h"

#include <cstdlib>
#include <map>
#include <unordered_map>

#include "support/aligned_memory.h"

namespace opbyop::host {
namespace {

// There is one arena per thread: generated code calls plain functions, and a program runs on the thread that calls it.
struct Arena {
  std::unordered_map<void*, size_t> live;
  std::multimap<size_t, void*> free;
};

Arena& GlobalArena() {
  static thread_local Arena arena;
  return arena;
}

}  // namespace

void* ArenaAllocate(size_t bytes) {
  const size_t size = (bytes + kMemoryAlignment) / kMemoryAlignment * kMemoryAlignment;
  Arena& arena = GlobalArena();
  void* block = nullptr;
  // A block of up to twice the size serves too; a larger one would waste too much.
  const auto fit = arena.free.lower_bound(size);
  if (fit != arena.free.end() && fit->first <= 2 * size) {
    block = fit->second;
    arena.live.emplace(block, fit->first);
    arena.free.erase(fit);
    return block;
  }
  block = AllocateAligned(size).release();
  if (block) arena.live.emplace(block, size);
  return block;
}

void ArenaFree(void* pointer) {
  Arena& arena = GlobalArena();
  const auto found = arena.live.find(pointer);
  if (found == arena.live.end()) return;
  arena.free.emplace(found->second, pointer);
  arena.live.erase(found);
}

void ResetArena() {
  Arena& arena = GlobalArena();
  for (const auto& [block, size] : arena.live) arena.free.emplace(size, block);
  arena.live.clear();
}

void ReleaseArena() {
  ResetArena();
  Arena& arena = GlobalArena();
  for (const auto& [size, block] : arena.free) std::free(block);
  arena.free.clear();
}

}  // namespace opbyop::host
