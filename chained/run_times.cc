// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/run_times.h"

#include <algorithm>
#include <cmath>

namespace opbyop::chained {

void RunTimes::Add(const Timing& timing, int64_t longest_ns) {
  if (timing.n <= 0) return;
  const auto ps = [](double us) { return std::llround(us * 1e6); };
  executions_.push_back({timing.n, ps(timing.min_us), ps(timing.median_us), ps(timing.p95_us),
                         longest_ns > 0 ? longest_ns * 1000 : ps(timing.p95_us), timing.device_clock});
}

int64_t RunTimes::Quantile(int64_t Execution::* value, double share) const {
  std::vector<const Execution*> sorted;
  int64_t runs = 0;
  for (const Execution& execution : executions_) {
    sorted.push_back(&execution);
    runs += execution.n;
  }
  std::ranges::sort(sorted, {}, [&](const Execution* execution) { return execution->*value; });
  const double wanted = share * static_cast<double>(runs);
  int64_t passed = 0;
  for (const Execution* execution : sorted) {
    passed += execution->n;
    if (static_cast<double>(passed) >= wanted) return execution->*value;
  }
  return sorted.back()->*value;
}

void RunTimes::Fill(optrace::OpRun& run) const {
  if (executions_.empty()) return;
  run.min_ps = executions_.front().min_ps;
  for (const Execution& execution : executions_) {
    run.n += execution.n;
    run.min_ps = std::min(run.min_ps, execution.min_ps);
    run.max_ps = std::max(run.max_ps, execution.max_ps);
  }
  const auto by_device = std::ranges::count(executions_, true, &Execution::device_clock);
  if (by_device > 0) {
    run.clock = by_device == std::ssize(executions_) ? optrace::Clock::kDevice : optrace::Clock::kMixed;
  }
  run.median_ps = Quantile(&Execution::median_ps, 0.5);
  run.p95_ps = Quantile(&Execution::p95_ps, 0.95);
}

}  // namespace opbyop::chained
