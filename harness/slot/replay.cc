// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/replay.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace opbyop::harness {
namespace {

constexpr size_t kGrowth = 4;
constexpr int kTimesAlone = 4;
constexpr int kTimesAfter = 2;

}  // namespace

Finding FindSpoiler(size_t count, const Replay& replay) {
  Finding finding;
  if (count == 0) return finding;
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  const auto last = [&](size_t width) { return std::span(all).last(width); };
  const auto run = [&](std::span<const size_t> before, int times) {
    finding.replayed = std::max(finding.replayed, before.size());
    return replay(before, times);
  };
  const auto end_as = [&](Finding::End end) {
    finding.end = end;
    return finding;
  };

  size_t too_few = 0;  // after this many of the last cases the case passes
  size_t enough = 1;   // after this many it fails
  while (true) {
    const Replayed ended = run(last(enough), 1);
    if (ended == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
    if (ended == Replayed::kFailed) break;
    if (enough == count) return finding;
    too_few = enough;
    enough = std::min(enough * kGrowth, count);
  }
  while (enough - too_few > 1) {
    const size_t middle = too_few + (enough - too_few) / 2;
    const Replayed ended = run(last(middle), 1);
    if (ended == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
    (ended == Replayed::kFailed ? enough : too_few) = middle;
  }

  std::span<const size_t> needed = last(enough);
  if (enough > 1) {
    const Replayed ended = run(needed.first(1), 1);
    if (ended == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
    if (ended == Replayed::kFailed) needed = needed.first(1);
  }
  const Replayed alone = run({}, kTimesAlone);
  if (alone == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
  if (alone != Replayed::kPassed) return end_as(Finding::End::kByChance);
  // The case must fail each time after the accused case, and pass each time without it.
  for (int i = 0; i < kTimesAfter; ++i) {
    const Replayed again = run(needed, 1);
    if (again == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
    if (again != Replayed::kFailed) return end_as(Finding::End::kByChance);
    if (needed.size() == 1) continue;
    const Replayed without = run(needed.subspan(1), 1);
    if (without == Replayed::kUnknown) return end_as(Finding::End::kGivenUp);
    if (without == Replayed::kFailed) return end_as(Finding::End::kByChance);
  }
  finding.spoiler = needed.front();
  finding.with_it = needed.size() - 1;
  return end_as(Finding::End::kSpoiled);
}

}  // namespace opbyop::harness
