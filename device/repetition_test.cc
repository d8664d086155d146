// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/repetition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace opbyop::device {
namespace {

int64_t RunsOf(const RepetitionLimits& limits, const std::function<double(int64_t)>& time) {
  Repetition repetition(limits);
  std::vector<double> times;
  while (repetition.Wants(times)) times.push_back(time(static_cast<int64_t>(times.size())));
  return static_cast<int64_t>(times.size());
}

TEST(Repetition, RunsAtLeastOnce) {
  EXPECT_EQ(RunsOf({.min_runs = 0, .max_runs = 0}, [](int64_t) { return 1.0; }), 1);
}

TEST(Repetition, SpentBudgetEndsItAfterTheLeast) {
  EXPECT_EQ(RunsOf({.min_runs = 3, .max_runs = 100, .budget_ms = 0}, [](int64_t) { return 1.0; }), 3);
}

TEST(Repetition, NeverMoreThanTheMost) {
  EXPECT_EQ(RunsOf({.min_runs = 1, .max_runs = 7, .budget_ms = 1e9}, [](int64_t) { return 1.0; }), 7);
}

TEST(Repetition, EqualTimesAreKnownAtOnce) {
  const RepetitionLimits limits = {.min_runs = 1, .max_runs = 1000, .budget_ms = 1e9, .relative_error = 0.01};
  EXPECT_EQ(RunsOf(limits, [](int64_t) { return 5.0; }), 6);
}

TEST(Repetition, SpreadTimesTakeMoreRuns) {
  const RepetitionLimits limits = {.min_runs = 1, .max_runs = 10000, .budget_ms = 1e9, .relative_error = 0.02};
  const int64_t runs = RunsOf(limits, [](int64_t i) { return 10.0 + static_cast<double>(i * 37 % 11) / 5; });
  EXPECT_GT(runs, 10);
  EXPECT_LT(runs, 1000);
}

TEST(MedianRelativeError, IsUnknownOfFewTimes) { EXPECT_TRUE(std::isinf(MedianRelativeError({1, 1, 1, 1, 1}))); }

TEST(MedianRelativeError, OutliersDoNotMatter) {
  std::vector<double> times(99, 10.0);
  times.push_back(1e6);
  EXPECT_EQ(MedianRelativeError(times), 0);
}

TEST(Summarize, GivesNearestRank) {
  const Timing timing = Summarize({4, 1, 3, 2});
  EXPECT_EQ(timing.n, 4);
  EXPECT_EQ(timing.min_us, 1);
  EXPECT_EQ(timing.median_us, 2.5);
  EXPECT_EQ(timing.p95_us, 4);
}

}  // namespace
}  // namespace opbyop::device
