// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/run_times.h"

#include <gtest/gtest.h>

namespace opbyop::chained {
namespace {

optrace::OpRun Filled(const RunTimes& times) {
  optrace::OpRun run;
  times.Fill(run);
  return run;
}

TEST(RunTimes, OneExecutionHasTheTimesThatItsDeviceReported) {
  RunTimes times;
  times.Add({.n = 10, .min_us = 1, .median_us = 2, .p95_us = 3}, 4000);
  EXPECT_EQ(
      Filled(times),
      (optrace::OpRun{.n = 10, .min_ps = 1'000'000, .median_ps = 2'000'000, .p95_ps = 3'000'000, .max_ps = 4'000'000}));
}

TEST(RunTimes, ExecutionsCountByTheirRuns) {
  RunTimes times;
  times.Add({.n = 10, .min_us = 1, .median_us = 2, .p95_us = 3}, 4000);
  times.Add({.n = 90, .min_us = 5, .median_us = 6, .p95_us = 7}, 8000);
  const optrace::OpRun run = Filled(times);
  EXPECT_EQ(run.n, 100);
  EXPECT_EQ(run.min_ps, 1'000'000);
  EXPECT_EQ(run.median_ps, 6'000'000);
  EXPECT_EQ(run.p95_ps, 7'000'000);
  EXPECT_EQ(run.max_ps, 8'000'000);
}

TEST(RunTimes, TheHighPercentileReplacesAnUnknownMaximum) {
  RunTimes times;
  times.Add({.n = 2, .min_us = 1, .median_us = 2, .p95_us = 3}, 0);
  EXPECT_EQ(Filled(times).max_ps, 3'000'000);
}

TEST(RunTimes, NothingWasTimed) {
  RunTimes times;
  times.Add({}, 0);
  EXPECT_EQ(Filled(times), optrace::OpRun());
}

}  // namespace
}  // namespace opbyop::chained
