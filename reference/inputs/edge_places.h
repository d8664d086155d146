// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of an argument that get one of the special values of `edge`: a quarter of them, and at least one if there
// are several. Where each element of a tensor is a test by itself, one of more than 2^24 has four million, each at a
// random place of its share, so that drawing it costs little more than `domain`.
//
//   const EdgePlaces special(stream, count, EdgePlaces::Of::kElements);
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
  // Numbers that go into one result together, or elements that each have their own.
  enum class Of { kLines, kElements };

  EdgePlaces(const CounterStream& stream, uint64_t count, Of of) : stream_(stream) {
    constexpr uint64_t kMost = uint64_t{1} << 22;
    if (of == Of::kElements && count > 4 * kMost) share_ = count / kMost;
    for (uint64_t i = 0; i < count && share_ == 0; ++i) {
      if (Has(i)) return;
    }
    if (count > 1 && share_ == 0) certain_ = stream.Below(~count, count);
  }

  bool Has(uint64_t i) const { return share_ > 0 ? i == PlaceIn(i / share_) : IsChosen(stream_, i) || i == certain_; }
  // The numbers of a share; 0 if numbers are chosen one by one.
  uint64_t share() const { return share_; }
  // The number that is chosen in the share.
  uint64_t PlaceIn(uint64_t number) const { return number * share_ + stream_.Below(~number, share_); }
  // Random bits that choose the special value for number i.
  uint64_t Choice(uint64_t i) const { return stream_.Bits(~i) >> 2; }
  // The place of a tensor in which no number is chosen.
  std::optional<uint64_t> certain() const { return certain_; }

 private:
  const CounterStream& stream_;
  std::optional<uint64_t> certain_;
  uint64_t share_ = 0;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_EDGE_PLACES_H_
