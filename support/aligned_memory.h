// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory for the elements of tensors.
//
//   AlignedMemory memory = AllocateAligned(bytes);
//   if (!memory) return ...;   // the system has no more
//   std::vector<double> sums = ZerosInHugePages<double>(count);
//
// Memory of 4 MiB and more is written from end to end, so that a fault for each 4 KiB would cost more than the writing:
// it has huge pages, where the system allows them.
#ifndef OPBYOP_SUPPORT_ALIGNED_MEMORY_H_
#define OPBYOP_SUPPORT_ALIGNED_MEMORY_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace opbyop {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte[], FreeMemory>;

inline constexpr size_t kMemoryAlignment = 64;
inline constexpr size_t kHugePage = size_t{2} << 20;

// The part of this memory that consists of whole huge pages; may be empty.
inline std::span<std::byte> WholeHugePages(void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory), end = begin + bytes;
  const uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage, last = end / kHugePage * kHugePage;
  if (first >= last) return {};
  return {static_cast<std::byte*>(memory) + (first - begin), last - first};
}

// Asks for huge pages for the part of this memory that consists of whole ones.
inline void PreferHugePages(void* memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const std::span<std::byte> pages = WholeHugePages(memory, bytes);
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_HUGEPAGE);
#endif
}

// Gives the memory of the whole huge pages of this part of a larger block back to the system. Its contents are lost.
inline void ReleasePages(void* memory, size_t bytes) {
  const std::span<std::byte> pages = WholeHugePages(memory, bytes);
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_DONTNEED);
}

// Returns memory aligned to kMemoryAlignment bytes or more, or null.
inline AlignedMemory AllocateAligned(size_t bytes) {
  const size_t unit = bytes >= 2 * kHugePage ? kHugePage : kMemoryAlignment;
  const size_t whole = std::max<size_t>((bytes + unit - 1) / unit, 1) * unit;
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(unit, whole)));
  if (memory && unit == kHugePage) PreferHugePages(memory.get(), whole);
  return memory;
}

template <typename T>
std::vector<T> ZerosInHugePages(size_t count) {
  std::vector<T> zeros;
  zeros.reserve(count);
  if (count * sizeof(T) >= 2 * kHugePage) PreferHugePages(zeros.data(), count * sizeof(T));
  zeros.resize(count);
  return zeros;
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_ALIGNED_MEMORY_H_
