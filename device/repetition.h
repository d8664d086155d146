// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides how often a case is run for its timing.
//
//   Repetition repetition({.min_runs = 3, .max_runs = 100, .budget_ms = 50, .relative_error = 0.02});
//   while (repetition.Wants(microseconds)) microseconds.push_back(RunOnce());
//   if (repetition.DropsFirst(microseconds.size())) microseconds.erase(microseconds.begin());
//   Timing timing = repetition.Summarize(microseconds);
//
// The first run also pays for loading, so its time is not counted. After it the program runs at least `min_runs` times.
// It then runs until there were `max_runs` runs in all, `budget_ms` are spent, or the median is known well enough: half
// the width of its 95 % confidence interval is at most `relative_error` of the median. The interval is taken from the
// order of the times, so it holds for any distribution. If the first run takes more than a second, it is the only one.
#ifndef OPBYOP_DEVICE_REPETITION_H_
#define OPBYOP_DEVICE_REPETITION_H_

#include <chrono>
#include <cstdint>
#include <vector>

#include "manifests/results/result.h"

namespace opbyop::device {

struct RepetitionLimits {
  int64_t min_runs = 1;
  int64_t max_runs = 1;
  double budget_ms = 0;
  double relative_error = 0;  // 0: no such limit
  bool warm = false;          // the program has run before, so the first run is like the others
};

// Half the width of the 95 % confidence interval of the median, divided by the median. Infinite for fewer than six
// times, because no interval of that confidence then lies within the sample.
double MedianRelativeError(std::vector<double> times);

class Repetition {
 public:
  explicit Repetition(const RepetitionLimits& limits) : limits_(limits), begin_(Clock::now()) {}

  // Whether to run once more, after runs (including the first) that took `microseconds`.
  bool Wants(const std::vector<double>& microseconds);

  // Whether the first of this many runs is left out of the timing.
  bool DropsFirst(size_t runs) const { return !limits_.warm && runs > 1; }

  // n, minimum, median and 95th percentile (nearest rank) of at least one time that is not dropped.
  Timing Summarize(std::vector<double> microseconds) const;

 private:
  using Clock = std::chrono::steady_clock;

  RepetitionLimits limits_;
  Clock::time_point begin_;  // start of the budget
  bool first_alone_ = false;
  // The number of runs at which the spread is computed next: sorting after every run of a short op would take longer
  // than the op.
  size_t next_look_ = 6;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_REPETITION_H_
