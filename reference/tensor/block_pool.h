// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Large blocks of memory that tensors have given back, for the next tensors of the same size: a program's intermediate
// results are of few sizes, and the system clears each page that it gives, which takes longer than the work on it.
//
//   AlignedMemory block = TakeBlock(bytes);   // has any contents
//   ReturnBlock(std::move(block), bytes);
//   ReleaseBlocks();                          // when the program has been evaluated
#ifndef OPBYOP_REFERENCE_TENSOR_BLOCK_POOL_H_
#define OPBYOP_REFERENCE_TENSOR_BLOCK_POOL_H_

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "support/aligned_memory.h"

namespace opbyop::reference {

// Returns null if the system has no more memory. Any thread may call these functions.
AlignedMemory TakeBlock(size_t bytes);

// Keeps the block if it is of 32 MiB or more. Kept and lent blocks together are at most as much as was lent at once since
// blocks were released, or 1 GiB is kept if that is more; the oldest go first.
void ReturnBlock(AlignedMemory block, size_t bytes);

// Gives all kept blocks back to the system.
void ReleaseBlocks();

// For containers of many numbers that live as briefly as a tensor.
template <typename T>
struct BlockAllocator {
  using value_type = T;
  BlockAllocator() = default;
  template <typename U>
  BlockAllocator(const BlockAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): as allocators are
  T* allocate(size_t count) {
    AlignedMemory block = TakeBlock(count * sizeof(T));
    if (!block) throw std::bad_alloc();
    return reinterpret_cast<T*>(block.release());
  }
  void deallocate(T* block, size_t count) {
    ReturnBlock(AlignedMemory(reinterpret_cast<std::byte*>(block)), count * sizeof(T));
  }
  template <typename U>
  bool operator==(const BlockAllocator<U>& /*other*/) const {
    return true;
  }
};

using PooledNumbers = std::vector<double, BlockAllocator<double>>;

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_BLOCK_POOL_H_
