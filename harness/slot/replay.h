// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds which of the cases before it makes a case fail that passes alone. Rules only, no processes.
//
//   const Finding found = FindSpoiler(before.size(), [&](std::span<const size_t> cases, int times) {
//     ... in fresh workers: these of the cases before it in this order, then the case itself so many times ...
//     return Replayed::kFailed;
//   });
//   if (found.spoiler) Accuse(before[*found.spoiler]);
//
// The nearest ones are tried first, then four times as many, and so on; bisection then finds the last one without which
// the case passes. A case that fails at random must accuse nobody: it has to pass four times in a row alone, and to
// fail again twice after the case that is accused.
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

// How many of the cases before it are run with a case again, and how long a run may do so in all of its slots together.
inline constexpr size_t kMostReplayed = 64;
inline constexpr std::chrono::seconds kReplayTime{120};

// How the case ended.
enum class Replayed {
  kFailed,     // in the stage and with the status of its failure
  kOtherwise,  // as another failure
  kPassed,     // each time
  kUnknown,    // it was not run: there is no time left, or no worker
};

using Replay = std::function<Replayed(std::span<const size_t> before, int times)>;

struct Finding {
  enum class End { kSpoiled, kNotReproduced, kByChance, kGivenUp };
  End end = End::kNotReproduced;
  std::optional<size_t> spoiler;  // where it is kSpoiled
  size_t with_it = 0;             // cases after the spoiler that have to be run as well
  size_t replayed = 0;            // the most cases that were run before the case
};

Finding FindSpoiler(size_t count, const Replay& replay);

// What is left of a run's time for replays. From any thread.
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
