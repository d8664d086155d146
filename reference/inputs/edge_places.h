// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of an argument that get one of the special values of `edge`: a quarter of them, and at least one if there
// are several.
//
//   const EdgePlaces special(stream, count);
//   if (special.Has(i)) value = specials[special.Choice(i) % specials.size()];
#ifndef OPBYOP_REFERENCE_INPUTS_EDGE_PLACES_H_
#define OPBYOP_REFERENCE_INPUTS_EDGE_PLACES_H_

#include <cstdint>
#include <optional>

#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {

// One number in four is chosen, by a stream of bits of its own.
inline bool IsChosen(const CounterStream& stream, uint64_t i) { return stream.Bits(~i) % 4 == 0; }

class EdgePlaces {
 public:
  EdgePlaces(const CounterStream& stream, uint64_t count) : stream_(stream) {
    for (uint64_t i = 0; i < count; ++i) {
      if (Has(i)) return;
    }
    if (count > 1) certain_ = stream.Below(~count, count);
  }

  bool Has(uint64_t i) const { return IsChosen(stream_, i) || i == certain_; }
  // Random bits that choose the special value for number i.
  uint64_t Choice(uint64_t i) const { return stream_.Bits(~i) >> 2; }
  // The place of a tensor in which no number is chosen.
  std::optional<uint64_t> certain() const { return certain_; }

 private:
  const CounterStream& stream_;
  std::optional<uint64_t> certain_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_EDGE_PLACES_H_
