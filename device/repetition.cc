// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/repetition.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opbyop::device {
namespace {

double MedianOf(const std::vector<double>& sorted) {
  const size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

}  // namespace

double MedianRelativeError(std::vector<double> times) {
  constexpr size_t kFewest = 6;
  constexpr double kZ = 1.96;  // for 95 %
  if (times.size() < kFewest) return std::numeric_limits<double>::infinity();
  std::sort(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  // The ranks between which the median lies, from the normal approximation of the binomial distribution.
  const double low = std::max(std::floor((n - kZ * std::sqrt(n)) / 2), 1.0);
  const auto first = static_cast<size_t>(low) - 1;
  const size_t last = times.size() - 1 - first;
  const double median = MedianOf(times);
  if (median <= 0) return times[last] > times[first] ? std::numeric_limits<double>::infinity() : 0;
  return (times[last] - times[first]) / 2 / median;
}

bool Repetition::Wants(const std::vector<double>& microseconds) {
  constexpr double kLongFirstUs = 1e6;
  const auto n = static_cast<int64_t>(microseconds.size());
  if (n == 0) return true;
  first_alone_ = n == 1 && !limits_.warm;
  if (first_alone_) {
    begin_ = Clock::now();
    return limits_.max_runs > 1 && microseconds.front() <= kLongFirstUs;
  }
  if (n - (limits_.warm ? 0 : 1) < limits_.min_runs) return true;
  if (n >= limits_.max_runs) return false;
  if (std::chrono::duration<double, std::milli>(Clock::now() - begin_).count() >= limits_.budget_ms) return false;
  if (limits_.relative_error <= 0 || microseconds.size() < next_look_) return true;
  next_look_ = microseconds.size() + microseconds.size() / 4 + 1;
  return MedianRelativeError(microseconds) > limits_.relative_error;
}

Timing Repetition::Summarize(std::vector<double> microseconds) const {
  std::sort(microseconds.begin(), microseconds.end());
  const size_t n = microseconds.size();
  Timing timing;
  timing.n = static_cast<int64_t>(n);
  timing.min_us = microseconds.front();
  timing.median_us = MedianOf(microseconds);
  timing.p95_us = microseconds[std::min(n - 1, (n * 95 + 99) / 100 - 1)];
  timing.first_call = first_alone_;
  return timing;
}

}  // namespace opbyop::device
