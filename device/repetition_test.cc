// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/repetition.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

namespace opbyop::device {
namespace {

// Measures a program whose n-th run, counted from 0, takes `time(n)` microseconds.
Timing TimingOf(const RepetitionLimits& limits, const std::function<double(int64_t)>& time) {
  Repetition repetition(limits);
  std::vector<double> times;
  while (repetition.Wants(times)) times.push_back(time(static_cast<int64_t>(times.size())));
  if (repetition.DropsFirst(times.size())) times.erase(times.begin());
  return repetition.Summarize(times);
}

// Limits for a program that has run before.
int64_t RunsOf(RepetitionLimits limits, const std::function<double(int64_t)>& time) {
  limits.warm = true;
  return TimingOf(limits, time).n;
}

TEST(Repetition, RunsAtLeastOnce) {
  EXPECT_EQ(RunsOf({.min_runs = 0, .max_runs = 0}, [](int64_t) { return 1.0; }), 1);
}

TEST(Repetition, ASpentBudgetEndsItAfterMinRuns) {
  EXPECT_EQ(RunsOf({.min_runs = 3, .max_runs = 100, .budget_ms = 0}, [](int64_t) { return 1.0; }), 3);
}

TEST(Repetition, NeverExceedsMaxRuns) {
  EXPECT_EQ(RunsOf({.min_runs = 1, .max_runs = 7, .budget_ms = 1e9}, [](int64_t) { return 1.0; }), 7);
}

TEST(Repetition, TheTimeOfTheFirstRunIsDropped) {
  const auto first_loads = [](int64_t run) { return run == 0 ? 40000.0 : 6.0; };
  const Timing timing = TimingOf({.min_runs = 1, .max_runs = 10, .budget_ms = 1e9}, first_loads);
  EXPECT_EQ(timing.n, 9);
  EXPECT_EQ(timing.p95_us, 6);
  EXPECT_FALSE(timing.first_call);
  EXPECT_EQ(TimingOf({.min_runs = 3, .max_runs = 3}, first_loads).n, 3) << "the least are of runs that are timed";
}

TEST(Repetition, TheFirstRunDoesNotUseTheBudget) {
  const Timing timing = TimingOf({.min_runs = 1, .max_runs = 3, .budget_ms = 1000}, [](int64_t run) {
    if (run == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1010));
    return 6.0;
  });
  EXPECT_EQ(timing.n, 2);
}

TEST(Repetition, AFirstRunOfMoreThanASecondIsTheOnlyOne) {
  const Timing timing = TimingOf({.min_runs = 3, .max_runs = 10, .budget_ms = 1e9}, [](int64_t) { return 1.5e6; });
  EXPECT_EQ(timing.n, 1);
  EXPECT_EQ(timing.median_us, 1.5e6);
  EXPECT_TRUE(timing.first_call);
  EXPECT_EQ(RunsOf({.min_runs = 3, .max_runs = 3}, [](int64_t) { return 1.5e6; }), 3) << "it is warm";
}

TEST(Repetition, ASingleRequestedRunIsTheFirstOne) {
  const Timing timing = TimingOf({}, [](int64_t) { return 6.0; });
  EXPECT_EQ(timing.n, 1);
  EXPECT_TRUE(timing.first_call);
}

TEST(Repetition, EqualTimesNeedFewRuns) {
  const RepetitionLimits limits = {.min_runs = 1, .max_runs = 1000, .budget_ms = 1e9, .relative_error = 0.01};
  EXPECT_EQ(RunsOf(limits, [](int64_t) { return 5.0; }), 6);
}

TEST(Repetition, SpreadTimesTakeMoreRuns) {
  const RepetitionLimits limits = {.min_runs = 1, .max_runs = 10000, .budget_ms = 1e9, .relative_error = 0.02};
  const int64_t runs = RunsOf(limits, [](int64_t i) { return 10.0 + static_cast<double>(i * 37 % 11) / 5; });
  EXPECT_GT(runs, 10);
  EXPECT_LT(runs, 1000);
}

TEST(MedianRelativeError, IsInfiniteForFewTimes) { EXPECT_TRUE(std::isinf(MedianRelativeError({1, 1, 1, 1, 1}))); }

TEST(MedianRelativeError, OutliersDoNotMatter) {
  std::vector<double> times(99, 10.0);
  times.push_back(1e6);
  EXPECT_EQ(MedianRelativeError(times), 0);
}

TEST(Summarize, GivesNearestRank) {
  const Timing timing = Repetition({}).Summarize({4, 1, 3, 2});
  EXPECT_EQ(timing.n, 4);
  EXPECT_EQ(timing.min_us, 1);
  EXPECT_EQ(timing.median_us, 2.5);
  EXPECT_EQ(timing.p95_us, 4);
}

}  // namespace
}  // namespace opbyop::device
