// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the spoiler of a case that failed among others but passes alone: the earlier case that makes it fail. Starts no
// processes.
//
//   const Finding found = FindSpoiler(before.size(), [&](std::span<const size_t> cases, int times) {
//     ... in fresh workers: run these earlier cases in this order, then the case itself `times` times ...
//     return Replayed::kFailed;
//   });
//   if (found.spoiler) Accuse(before[*found.spoiler]);
//
// The nearest cases are tried first, then four times as many, and so on. Bisection then finds the last case without
// which the failing case passes. A case that fails at random must not accuse another: it has to pass four times in a
// row alone, and to fail twice more after the accused case.
#ifndef OPBYOP_HARNESS_SLOT_REPLAY_H_
#define OPBYOP_HARNESS_SLOT_REPLAY_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace opbyop::harness {

// How many earlier cases are run again with a case, and how long the slots of a run may spend on that together.
inline constexpr size_t kMostReplayed = 64;
inline constexpr std::chrono::seconds kReplayTime{120};

// How the case ended.
enum class Replayed {
  kFailed,     // in the same stage and with the same status as before
  kOtherwise,  // with another failure
  kPassed,     // every time
  kUnknown,    // the case was not run: there is no time left, or no worker
};

using Replay = std::function<Replayed(std::span<const size_t> before, int times)>;

struct Finding {
  enum class End { kSpoiled, kNotReproduced, kByChance, kGivenUp };
  End end = End::kNotReproduced;
  std::optional<size_t> spoiler;  // set for kSpoiled
  size_t with_it = 0;             // number of cases after the spoiler that are needed as well
  size_t replayed = 0;            // the largest number of earlier cases that were run
};

Finding FindSpoiler(size_t count, const Replay& replay);

// The time that a run has left for replays. Thread-safe.
class ReplayBudget {
 public:
  explicit ReplayBudget(std::chrono::milliseconds time) : left_ms_(time.count()) {}

  bool over() const { return left_ms_ <= 0; }
  void Spend(std::chrono::milliseconds time) { left_ms_ -= time.count(); }

 private:
  std::atomic<int64_t> left_ms_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_REPLAY_H_
