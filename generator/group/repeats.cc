// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/repeats.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace opbyop::generator {
namespace {

// Bounds the time of the search, which is the length of the sequence times that of the longest period.
constexpr size_t kMostCompared = size_t{1} << 28;

// The repeat of sequence[begin .. end) that covers most.
std::optional<Repeat> BestRepeat(std::span<const int32_t> whole, size_t begin, size_t end, const RepeatRules& rules) {
  const std::span<const int32_t> sequence = whole.subspan(begin, end - begin);
  const size_t length = sequence.size();
  std::optional<Repeat> best;
  const size_t longest = std::min(length / 2, kMostCompared / std::max<size_t>(length, 1));
  for (size_t period = std::max<size_t>(rules.shortest, 1); period <= longest; ++period) {
    size_t same = 0;  // elements before this one that are equal to those a period later
    for (size_t i = 0; i + period <= length; ++i) {
      if (i + period < length && sequence[i] == sequence[i + period]) {
        ++same;
        continue;
      }
      if (same >= period) {
        const size_t copies = same / period + 1;
        const Repeat found = {begin + i - same, period, copies, same % period};
        const bool covers_more = !best || copies * period > best->copies * best->period;
        if (covers_more && (!rules.counts || rules.counts(found))) best = found;
      }
      same = 0;
    }
  }
  return best;
}

}  // namespace

std::vector<Repeat> FindRepeats(std::span<const int32_t> sequence, const RepeatRules& rules) {
  std::vector<Repeat> found;
  std::vector<std::pair<size_t, size_t>> open = {{0, sequence.size()}};
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    std::optional<Repeat> best = BestRepeat(sequence, begin, end, rules);
    if (!best) continue;
    if (rules.place) {
      const size_t moved = std::clamp(rules.place(*best), best->begin, best->begin + best->slack) - best->begin;
      best->begin += moved;
      best->slack -= moved;
    }
    found.push_back(*best);
    open.emplace_back(begin, best->begin);
    open.emplace_back(best->end(), end);
  }
  std::ranges::sort(found, {}, &Repeat::begin);
  return found;
}

}  // namespace opbyop::generator
