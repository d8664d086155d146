// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory for the elements of tensors.
//
//   AlignedMemory memory = AllocateAligned(bytes);
//   if (!memory) return ...;   // the system has no more
#ifndef OPBYOP_SUPPORT_ALIGNED_MEMORY_H_
#define OPBYOP_SUPPORT_ALIGNED_MEMORY_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace opbyop {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte[], FreeMemory>;

// Returns memory aligned to 64 bytes, or null. That of 4 MiB and more is written from end to end, so that a fault for
// each 4 KiB would cost more than the writing: it has huge pages, where the system allows them.
inline AlignedMemory AllocateAligned(size_t bytes) {
  constexpr size_t kLine = 64, kHugePage = size_t{2} << 20;
  const size_t unit = bytes >= 2 * kHugePage ? kHugePage : kLine;
  const size_t whole = std::max<size_t>((bytes + unit - 1) / unit, 1) * unit;
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(unit, whole)));
#ifdef MADV_HUGEPAGE
  if (memory && unit == kHugePage) ::madvise(memory.get(), whole, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_ALIGNED_MEMORY_H_
