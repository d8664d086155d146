// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How often a case is run for its timing.
//
//   Repetition repetition({.min_runs = 3, .max_runs = 100, .budget_ms = 50, .relative_error = 0.02});
//   while (repetition.Wants(microseconds)) microseconds.push_back(RunOnce());
//   if (repetition.DropsFirst(microseconds.size())) microseconds.erase(microseconds.begin());
//   Timing timing = repetition.Summarize(microseconds);
//
// The first run loads what the others find, so its time is none of the program's. After it the program runs at least
// `min_runs` times, then on until there were `max_runs` in all or `budget_ms` are spent, or until the median is known:
// until half the width of its 95 % confidence interval, by the order of the times and so whatever their distribution,
// is at most `relative_error` of it. Where the first run takes more than a second it stays alone.
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
  double relative_error = 0;  // 0: no such target
  bool warm = false;          // the program has run before, and the first run is like the others
};

// Half the width of the 95 % confidence interval of the median over the median; infinite below six times, where no
// interval of that confidence lies within the sample.
double MedianRelativeError(std::vector<double> times);

class Repetition {
 public:
  explicit Repetition(const RepetitionLimits& limits) : limits_(limits), begin_(Clock::now()) {}

  // Whether to run once more, after runs that took `microseconds`, the first included.
  bool Wants(const std::vector<double>& microseconds);

  // Whether the first of so many runs is not timed.
  bool DropsFirst(size_t runs) const { return !limits_.warm && runs > 1; }

  // n, minimum, median and 95th percentile (nearest rank) of at least one time that is not dropped.
  Timing Summarize(std::vector<double> microseconds) const;

 private:
  using Clock = std::chrono::steady_clock;

  RepetitionLimits limits_;
  Clock::time_point begin_;  // of the budget
  bool first_alone_ = false;
  size_t next_look_ = 6;  // at the spread: sorting after every run of an op of nanoseconds would take longer than it
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_REPETITION_H_
