// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides whether a case became slower or its time is noise. docs/history.md derives the test and states its
// assumptions.
//
// x is the natural logarithm of a case's median time in a run.
//   1. The machine: the median over all cases of x(after) - x(before) is the drift of the whole run. It is subtracted,
//      and reported by itself.
//   2. Noise between runs: 1.4826 times the median absolute deviation of those differences, over all cases.
//   3. A case with k times in earlier runs (k = 1: only that of `before`) has the mean m and variance v of these. The
//      variance of one run is the greater of v and v moderated by the variance of all cases (20 degrees of freedom),
//      and at least the variance that the spread of the repetitions within the run leaves open.
//   4. t = (x(after) - drift - m) / sqrt(variance (1 + 1/k)) is compared with Student's t; the chance that noise makes
//      it is multiplied by the number of cases that were compared (Bonferroni).
#ifndef OPBYOP_HISTORY_DIFFERENCE_SLOWDOWN_H_
#define OPBYOP_HISTORY_DIFFERENCE_SLOWDOWN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opbyop::history {

struct SlowdownOptions {
  double confidence = 0.99;    // that no case of the run is reported wrongly
  double least_change = 0.05;  // of the time; a smaller change is none, however certain
  double least_us = 1;         // of the time
};

// One case in both runs. `earlier`: ln of its times in runs before `before`, corrected for the drifts since.
struct TimedCase {
  double before_us = 0, after_us = 0;
  double before_min_us = 0, after_min_us = 0;
  int64_t before_n = 0, after_n = 0;
  std::vector<double> earlier;
};

struct Drift {
  double log = 0;    // ln of the median ratio after / before
  double noise = 0;  // standard deviation of a case's x from run to run
  size_t cases = 0;  // number of cases that were compared
};

// Measures the drift over all cases. With less than 20 cases it assumes no drift, and a noise of 5 %.
Drift MeasureDrift(const std::vector<TimedCase>& cases);

// Whether a change of this size is worth a query for earlier times.
bool IsCandidate(const TimedCase& timed, const Drift& drift, const SlowdownOptions& options);

struct TimeVerdict {
  int direction = 0;      // 1: slower, -1: faster, 0: neither
  double confidence = 0;  // 1 - the corrected chance of noise
};

TimeVerdict Judge(const TimedCase& timed, const Drift& drift, const SlowdownOptions& options);

// The chance that Student's t with `freedom` degrees exceeds `t` >= 0.
double StudentTail(double t, double freedom);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_SLOWDOWN_H_
