// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/freed_memory.h"

#include <malloc.h>

#include "reference/tensor/block_pool.h"

namespace opbyop::reference {

#ifdef __GLIBC__
namespace {

constexpr int kMostKeptBytes = 384 << 20;
constexpr int kLargeBlock = 32 << 20;  // the largest that glibc lets a process keep otherwise

}  // namespace

void KeepFreedMemory() {
  ::mallopt(M_ARENA_MAX, 1);  // the memory of another thread's arena goes back to the system when all of it is free
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kMostKeptBytes);
}

void KeepLargeBlocks(double live_bytes) {
  constexpr int kUsualMappings = 65536;
  ::mallopt(M_MMAP_MAX, live_bytes < 2.0 * kMostKeptBytes ? 0 : kUsualMappings);
}

void ReturnFreedMemory() {
  ReleaseBlocks();
  if (::mallinfo2().fordblks > kMostKeptBytes) ::malloc_trim(0);
}
#else
void KeepFreedMemory() {}
void KeepLargeBlocks(double /*live_bytes*/) {}
void ReturnFreedMemory() { ReleaseBlocks(); }
#endif

}  // namespace opbyop::reference
