// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/precision_ratio.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// kFalsePositive: the probability that a right device is called imprecise. kMargin: the factor that is left for orders
// of summation whose errors are not random.
constexpr double kFalsePositive = 1e-9;
constexpr double kMargin = 2;

// A normal variable of deviation 1 exceeds z in modulus with a probability below 2 exp(-z^2 / 2). For the greatest of n
// of them the probability is below n times that.
double GreatestOf(double n) { return std::sqrt(2 * std::log(2 * n / kFalsePositive)); }

// The same limit for the root of the mean square of n of them [Laurent and Massart 2000, lemma 1].
double RootMeanSquareOf(double n) {
  const double x = -std::log(kFalsePositive);
  return std::sqrt(1 + 2 * std::sqrt(x / n) + 2 * x / n);
}

// Calls fn(part, share) for each number whose error is measured: its place among all parts of all elements, and its
// error in standard deviations.
template <typename Fn>
void ForShares(const Tensor& expected, std::span<const std::byte> bytes, Fn&& fn) {
  const bool complex = expected.kind() == ElementKind::kComplex;
  if ((expected.kind() != ElementKind::kFloat && !complex) || !expected.bound()) return;
  const std::span<const double> deviations = expected.bound()->deviation_span();
  const int64_t stored = StoredBytes(expected.type());
  if (deviations.empty() || static_cast<int64_t>(bytes.size()) != expected.size() * stored) return;
  const auto one = [&](size_t part, double error, double deviation) {
    if (std::isfinite(error) && deviation != 0) fn(part, std::fabs(error) / deviation);
  };
  const auto all = [&]<typename T>(const T*) {
    std::vector<T> got;
    ForValues<T>(expected, [&](int64_t first, std::span<const T> want) {
      got.resize(want.size());
      DecodeElements(expected.type(), bytes.data() + first * stored, static_cast<int64_t>(want.size()), got.data());
      for (size_t i = 0; i < want.size(); ++i) {
        const size_t place = static_cast<size_t>(first) + i;
        if constexpr (std::is_same_v<T, Complex>) {
          const Complex error = got[i] - want[i];
          one(2 * place, error.real(), deviations[place]);
          one(2 * place + 1, error.imag(), deviations[place]);
        } else {
          one(place, got[i] - want[i], deviations[place]);
        }
      }
    });
  };
  if (complex) {
    all(static_cast<const Complex*>(nullptr));
  } else {
    all(static_cast<const double*>(nullptr));
  }
}

}  // namespace

double GreatestLikely(double n) { return kMargin * GreatestOf(n); }

void PrecisionErrors::Add(double share) {
  ++count_;
  squares_ += share * share;
  greatest_ = std::max(greatest_, share);
}

void PrecisionErrors::Add(const Tensor& block, std::span<const std::byte> bytes) {
  ForShares(block, bytes, [&](size_t, double share) { Add(share); });
}

double PrecisionErrors::Ratio() const {
  if (count_ == 0) return 0;
  return std::max(greatest_ / GreatestOf(count_), std::sqrt(squares_ / count_) / RootMeanSquareOf(count_)) / kMargin;
}

double PrecisionRatio(const Tensor& expected, std::span<const std::byte> bytes) {
  PrecisionErrors errors;
  errors.Add(expected, bytes);
  return errors.Ratio();
}

double PrecisionRatio(std::span<const Tensor> ways, std::span<const std::byte> bytes) {
  std::vector<double> least;
  for (const Tensor& way : ways) {
    ForShares(way, bytes, [&](size_t part, double share) {
      if (least.size() <= part) least.resize(part + 1, kInf);
      least[part] = std::min(least[part], share);
    });
  }
  PrecisionErrors errors;
  for (const double share : least) {
    if (share < kInf) errors.Add(share);
  }
  return errors.Ratio();
}

}  // namespace opbyop::reference
