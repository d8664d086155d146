// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the timed runs of an op took, over all its executions: one of an op in line, one per trip in a loop.
//
//   RunTimes times;
//   times.Add({.n = 3, .min_us = 0.9, .median_us = 1.1, .p95_us = 1.4}, 1400);
//   times.Fill(op_run);
//
// A device tells a summary of its runs, not each. So of several executions n, minimum and maximum are those of all
// runs, the median is the median of the executions' medians, each counted as often as it had runs, and so is the 95th
// percentile of theirs.
#ifndef OPBYOP_CHAINED_RUN_TIMES_H_
#define OPBYOP_CHAINED_RUN_TIMES_H_

#include <cstdint>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "manifests/results/result.h"

namespace opbyop::chained {

class RunTimes {
 public:
  // `longest_ns` of the runs; 0: not known, the 95th percentile stands in for it.
  void Add(const Timing& timing, int64_t longest_ns);

  // n, min_ps, median_ps, p95_ps, max_ps and clock; nothing where nothing was added.
  void Fill(optrace::OpRun& run) const;

 private:
  struct Execution {
    int64_t n, min_ps, median_ps, p95_ps, max_ps;
    bool device_clock;
  };

  // The value in the middle of all runs for `share` 0.5.
  int64_t Quantile(int64_t Execution::* value, double share) const;

  std::vector<Execution> executions_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_RUN_TIMES_H_
