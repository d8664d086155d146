// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/slowdown.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opbyop::history {
namespace {

constexpr size_t kFewCases = 20;
constexpr double kNoiseOfFew = 0.05;
constexpr double kLeastNoise = 0.01;   // of one run: clocks and schedulers are no better
constexpr double kPooledFreedom = 20;  // weight, in runs, of the variance of all cases
constexpr double kDeviationsOfMad = 1.4826;
constexpr double kMedianOverMean = 1.2533;  // standard error of a median over that of a mean
// How many standard deviations the minimum of n normal numbers is expected below their median.
constexpr int64_t kFewRepetitions = 5;
constexpr double kLeastOfFew = 0.85;  // for three
constexpr double kLeastOfTen = 1.54;
constexpr double kCandidateDeviations = 1.5;

double MedianOfSome(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double LogRatio(const TimedCase& timed) { return std::log(timed.after_us / timed.before_us); }

// Variance of the logarithm of a median over n repetitions, estimated from the minimum. Rare slow repetitions move a
// high percentile, but neither the median nor the minimum.
double WithinRun(double median_us, double min_us, int64_t n) {
  if (n <= 1 || !(min_us > 0) || !(median_us > min_us)) return 0;
  const double deviations = n < kFewRepetitions ? kLeastOfFew : kLeastOfTen;
  const double error = kMedianOverMean * std::log(median_us / min_us) / deviations / std::sqrt(static_cast<double>(n));
  return error * error;
}

// Continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const double step = d * c;
    fraction *= step;
    if (std::abs(step - 1) < 1e-14) break;
  }
  return fraction;
}

// Regularized: the share of the Beta(a, b) distribution below x.
double BetaShare(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

bool IsLarge(double change, const TimedCase& timed, const SlowdownOptions& options) {
  return std::abs(change) >= std::log1p(options.least_change) &&
         std::abs(timed.before_us * std::expm1(change)) >= options.least_us;
}

}  // namespace

double StudentTail(double t, double freedom) { return 0.5 * BetaShare(freedom / 2, 0.5, freedom / (freedom + t * t)); }

Drift MeasureDrift(const std::vector<TimedCase>& cases) {
  Drift drift;
  drift.cases = cases.size();
  drift.noise = kNoiseOfFew;
  if (cases.size() < kFewCases) return drift;
  std::vector<double> ratios;
  ratios.reserve(cases.size());
  for (const TimedCase& timed : cases) ratios.push_back(LogRatio(timed));
  drift.log = MedianOfSome(ratios);
  for (double& ratio : ratios) ratio = std::abs(ratio - drift.log);
  // A difference of two runs has twice the variance of one run.
  drift.noise = std::max(kLeastNoise, kDeviationsOfMad * MedianOfSome(std::move(ratios)) / std::sqrt(2.0));
  return drift;
}

bool IsCandidate(const TimedCase& timed, const Drift& drift, const SlowdownOptions& options) {
  const double change = LogRatio(timed) - drift.log;
  return IsLarge(change, timed, options) && std::abs(change) >= kCandidateDeviations * std::sqrt(2.0) * drift.noise;
}

TimeVerdict Judge(const TimedCase& timed, const Drift& drift, const SlowdownOptions& options) {
  const double change = LogRatio(timed) - drift.log;
  if (!IsCandidate(timed, drift, options)) return {};
  // The origin is the logarithm of the earlier run's time.
  std::vector<double> before = {0};
  for (const double earlier : timed.earlier) before.push_back(earlier - std::log(timed.before_us));
  const auto k = static_cast<double>(before.size());
  const double mean = std::accumulate(before.begin(), before.end(), 0.0) / k;
  double squares = 0;
  for (const double x : before) squares += (x - mean) * (x - mean);
  const double pooled = drift.noise * drift.noise;
  const double own = k > 1 ? squares / (k - 1) : 0;
  const double moderated = (kPooledFreedom * pooled + squares) / (kPooledFreedom + k - 1);
  const double variance = std::max({own, moderated, WithinRun(timed.after_us, timed.after_min_us, timed.after_n),
                                    WithinRun(timed.before_us, timed.before_min_us, timed.before_n)});
  const double t = (change - mean) / std::sqrt(variance * (1 + 1 / k));
  // A time that earlier runs also had is no change, even if the last of them differs.
  if (t * change <= 0 || !IsLarge(change - mean, timed, options)) return {};
  const double chance = 2 * StudentTail(std::abs(t), kPooledFreedom + k - 1) * static_cast<double>(drift.cases);
  const double confidence = 1 - std::min(1.0, chance);
  if (confidence < options.confidence) return {};
  return {change > 0 ? 1 : -1, confidence};
}

}  // namespace opbyop::history
