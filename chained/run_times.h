// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The times of all timed runs of an op. An op outside of loops has one execution, an op in a loop one per trip.
//
//   RunTimes times;
//   times.Add({.n = 3, .min_us = 0.9, .median_us = 1.1, .p95_us = 1.4}, 1400);
//   times.Fill(op_run);
//
// A device reports a summary of its runs, not each run. For several executions, n, minimum and maximum are therefore
// those of all runs; the median is the median of the executions' medians, each weighted by its number of runs; the 95th
// percentile is computed in the same way.
#ifndef OPBYOP_CHAINED_RUN_TIMES_H_
#define OPBYOP_CHAINED_RUN_TIMES_H_

#include <cstdint>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "manifests/results/result.h"

namespace opbyop::chained {

class RunTimes {
 public:
  // `longest_ns` is the longest run; 0 if it is not known, then the 95th percentile is used.
  void Add(const Timing& timing, int64_t longest_ns);

  // Sets n, min_ps, median_ps, p95_ps, max_ps and clock. Sets nothing if nothing was added.
  void Fill(optrace::OpRun& run) const;

 private:
  struct Execution {
    int64_t n, min_ps, median_ps, p95_ps, max_ps;
    bool device_clock;
  };

  // The weighted quantile of all runs; `share` is 0.5 for the median.
  int64_t Quantile(int64_t Execution::* value, double share) const;

  std::vector<Execution> executions_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_RUN_TIMES_H_
