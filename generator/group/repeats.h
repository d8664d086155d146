// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what a sequence repeats without a gap: the layers in the ops of a model.
//
//   FindRepeats({9, 1,2,3,4, 1,2,3,4, 7}, {.shortest = 4})   // {{.begin = 1, .period = 4, .copies = 2, .slack = 0}}
#ifndef OPBYOP_GENERATOR_GROUP_REPEATS_H_
#define OPBYOP_GENERATOR_GROUP_REPEATS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace opbyop::generator {

struct Repeat {
  size_t begin = 0;
  size_t period = 0;
  size_t copies = 0;  // at least two
  size_t slack = 0;   // the copies may also begin up to so many places later

  size_t end() const { return begin + period * copies; }
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct RepeatRules {
  size_t shortest = 1;  // the least number of elements of a copy
  // Whether a repeat counts; null: each does.
  std::function<bool(const Repeat&)> counts;
  // Returns where a repeat begins: from its `begin` to `slack` places later. null: it stays.
  std::function<size_t(const Repeat&)> place;
};

// The repeats that count, from the one that covers most on, then those before and after it. They do not overlap, and are
// in order. Of several periods that cover as much, the shortest counts.
std::vector<Repeat> FindRepeats(std::span<const int32_t> sequence, const RepeatRules& rules);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_GROUP_REPEATS_H_
