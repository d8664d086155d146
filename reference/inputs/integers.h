// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The elements of an argument of integers that are no indices, or of booleans. Each depends on its number alone.
//
//   const Integers integers(type, role, InputKind::kDomain, stream, count);
//   integers.Store(first, some, out);   // elements first, first + 1, ..., in stored form
#ifndef OPBYOP_REFERENCE_INPUTS_INTEGERS_H_
#define OPBYOP_REFERENCE_INPUTS_INTEGERS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "manifests/policies/policy.h"
#include "reference/inputs/edge_places.h"
#include "reference/inputs/input_role.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/element_type.h"

namespace opbyop::reference {

// `role` and `stream` must outlive it.
class Integers {
 public:
  Integers(ElementType type, const InputRole& role, InputKind kind, const CounterStream& stream, int64_t count);

  // Writes `count` elements from number `first` on in stored form (support/dtype.h).
  void Store(int64_t first, int64_t count, std::byte* out) const;

 private:
  int64_t At(uint64_t i) const;

  ElementType type_;
  const InputRole& role_;
  InputKind kind_;
  const CounterStream& stream_;
  int64_t low_ = 0, high_ = 0;
  uint64_t span_ = 1;
  bool every_bit_;
  bool is_shape_;  // a shape must be valid under every policy, because the op has no result for any other
  bool avoids_zero_;
  EdgePlaces special_;
};

// Writes `count` booleans from number `first` on: random ones, or true if the argument must hold.
void StoreBooleans(const CounterStream& stream, bool holds, int64_t first, std::span<std::byte> out);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INTEGERS_H_
