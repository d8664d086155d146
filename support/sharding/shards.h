// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of a tensor that devices have: taken from the whole tensor, and joined to it.
//
//   const ShardedTensor tensor{.shape = {16, 8}, .element_bytes = 4, .division = division};
//   tensor.ShardShape();                                     // {8, 2}
//   std::vector<std::byte> part = tensor.Take(whole, 3);     // of device 3
//   tensor.Join(parts, whole);                               // `parts` of all devices, in their order
//
// A dimension that does not divide evenly has parts of the size rounded up: 10 elements over 4 devices are 3, 3, 3 and 1.
// The last parts are filled up with padding, which nobody reads; so are parts that have no element. Elements are whole
// bytes, in row-major order.
#ifndef OPBYOP_SUPPORT_SHARDING_SHARDS_H_
#define OPBYOP_SUPPORT_SHARDING_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/expected.h"
#include "support/sharding/axes.h"

namespace opbyop {

// The shape of one device's part, padding included.
std::vector<int64_t> ShardShape(std::span<const int64_t> shape, const Division& division);

// Whether a tensor of this shape can be divided so: a divided dimension has elements.
bool CanDivide(std::span<const int64_t> shape, const Division& division);

// Whether no part has padding, too.
bool DividesEvenly(std::span<const int64_t> shape, const Division& division);

struct ShardedTensor {
  std::vector<int64_t> shape;  // of the whole tensor
  int64_t element_bytes = 1;
  Division division;
  std::vector<std::byte> padding;  // one element; zeros if empty

  int64_t ShardBytes() const;

  // `whole` has the bytes of the whole tensor. The part is filled up with `padding`.
  std::vector<std::byte> Take(std::span<const std::byte> whole, int64_t device) const;

  // `parts[i]` is the part of device i, `whole` gets all of them without their padding. Returns kUnexpectedResult if two
  // devices that have the same part have other bits, with the first such element; `whole` then has the bits of the first
  // device.
  Expected<void> Join(const std::vector<std::span<const std::byte>>& parts, std::span<std::byte> whole) const;

  // The first device that has the element of this index.
  int64_t DeviceOf(std::span<const int64_t> index, int64_t devices) const;

 private:
  // Calls `copy(offset in the part, offset in the whole, bytes)` for each run of bytes that is contiguous in both.
  template <typename Copy>
  void EachRun(int64_t device, const Copy& copy) const;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHARDING_SHARDS_H_
