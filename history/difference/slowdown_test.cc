// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/slowdown.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace opbyop::history {
namespace {

// std::normal_distribution differs between libraries; a sum of twelve uniform numbers does not.
double Normal(std::mt19937& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
  return sum - 6;
}

// `count` cases in two runs whose times differ by noise alone.
std::vector<TimedCase> Noise(size_t count, double deviation, uint32_t seed, double drift = 0) {
  std::mt19937 random(seed);
  std::vector<TimedCase> cases;
  for (size_t i = 0; i < count; ++i) {
    const double us = 20 + static_cast<double>(random() % 2000);
    TimedCase timed;
    timed.before_us = us * std::exp(deviation * Normal(random));
    timed.after_us = us * std::exp(deviation * Normal(random) + drift);
    timed.before_n = timed.after_n = 10;
    timed.before_min_us = timed.before_us / 1.03;
    timed.after_min_us = timed.after_us / 1.03;
    for (int k = 0; k < 6; ++k) timed.earlier.push_back(std::log(us) + deviation * Normal(random));
    cases.push_back(timed);
  }
  return cases;
}

int Flagged(const std::vector<TimedCase>& cases, const SlowdownOptions& options = {}) {
  const Drift drift = MeasureDrift(cases);
  int flagged = 0;
  for (const TimedCase& timed : cases) flagged += Judge(timed, drift, options).direction != 0 ? 1 : 0;
  return flagged;
}

TEST(SlowdownTest, StudentsTailIsThatOfTables) {
  EXPECT_NEAR(StudentTail(0, 5), 0.5, 1e-12);
  EXPECT_NEAR(StudentTail(6.313752, 1), 0.05, 1e-7);
  EXPECT_NEAR(StudentTail(2.228139, 10), 0.025, 1e-7);
  EXPECT_NEAR(StudentTail(2.749996, 30), 0.005, 1e-7);
  EXPECT_NEAR(StudentTail(4, 1e7) / 3.16712e-05, 1, 1e-3) << "the normal distribution's";
}

TEST(SlowdownTest, NoiseIsNoChange) {
  int flagged = 0;
  for (uint32_t seed = 1; seed <= 100; ++seed) flagged += Flagged(Noise(300, 0.03, seed)) > 0 ? 1 : 0;
  EXPECT_LE(flagged, 4) << "of 100 nights; 1 is promised";
}

TEST(SlowdownTest, NoiseOfTwoRunsAloneIsNoChange) {
  int flagged = 0;
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    std::vector<TimedCase> cases = Noise(300, 0.03, seed);
    for (TimedCase& timed : cases) timed.earlier.clear();
    flagged += Flagged(cases) > 0 ? 1 : 0;
  }
  EXPECT_LE(flagged, 4);
}

TEST(SlowdownTest, AFifthMoreIsSlower) {
  int found = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    std::vector<TimedCase> cases = Noise(300, 0.02, seed);
    cases[7].after_us = cases[7].before_us * 1.2;
    cases[7].after_min_us = cases[7].after_us / 1.03;
    const TimeVerdict verdict = Judge(cases[7], MeasureDrift(cases), {});
    if (verdict.direction == 1) ++found;
    if (verdict.direction == 1) EXPECT_GE(verdict.confidence, 0.99);
  }
  EXPECT_GE(found, 48);
}

TEST(SlowdownTest, AFifthLessIsFaster) {
  std::vector<TimedCase> cases = Noise(300, 0.02, 3);
  cases[7].after_us = cases[7].before_us / 1.2;
  EXPECT_EQ(Judge(cases[7], MeasureDrift(cases), {}).direction, -1);
}

TEST(SlowdownTest, ASlowerMachineMakesNoCaseSlower) {
  const std::vector<TimedCase> cases = Noise(300, 0.02, 4, std::log(1.3));
  EXPECT_NEAR(MeasureDrift(cases).log, std::log(1.3), 0.01);
  EXPECT_EQ(Flagged(cases), 0);
}

TEST(SlowdownTest, ANoisyCaseIsJudgedByItsOwnNoise) {
  std::vector<TimedCase> cases = Noise(300, 0.02, 5);
  cases[0].after_us = cases[0].before_us * 1.3;
  cases[0].earlier = {};
  for (const double x : {-0.3, 0.25, -0.2, 0.3, 0.1, -0.25}) {
    cases[0].earlier.push_back(std::log(cases[0].before_us) + x);
  }
  EXPECT_EQ(Judge(cases[0], MeasureDrift(cases), {}).direction, 0);
}

TEST(SlowdownTest, ATimeLikeThatOfTheRunBeforeLastIsNoChange) {
  std::vector<TimedCase> cases = Noise(300, 0.02, 6);
  cases[0].before_us /= 1.25;  // one fast night
  cases[0].after_us = cases[0].before_us * 1.25;
  EXPECT_EQ(Judge(cases[0], MeasureDrift(cases), {}).direction, 0);
}

TEST(SlowdownTest, RepetitionsThatScatterAreNoChange) {
  std::vector<TimedCase> cases = Noise(300, 0.02, 7);
  cases[0].after_us = cases[0].before_us * 1.25;
  cases[0].after_min_us = cases[0].after_us / 2;
  EXPECT_EQ(Judge(cases[0], MeasureDrift(cases), {}).direction, 0);
}

TEST(SlowdownTest, ASmallChangeIsNoChangeHoweverCertain) {
  std::vector<TimedCase> cases = Noise(300, 0.001, 8);
  cases[0].after_us = cases[0].before_us * 1.04;
  EXPECT_EQ(Judge(cases[0], MeasureDrift(cases), {}).direction, 0) << "4 %";
  cases[1] = {2, 2.6, 1.99, 2.59, 10, 10, {}};
  EXPECT_EQ(Judge(cases[1], MeasureDrift(cases), {}).direction, 0) << "0.6 µs";
}

TEST(SlowdownTest, FewCasesHaveNoDrift) {
  const std::vector<TimedCase> cases = Noise(5, 0.02, 9, std::log(2));
  EXPECT_EQ(MeasureDrift(cases).log, 0);
  EXPECT_EQ(MeasureDrift({}).cases, 0u);
}

}  // namespace
}  // namespace opbyop::history
