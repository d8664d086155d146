// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/precision_ratio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "reference/tensor/clones.h"
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

// The deviations of a tensor that is compared with these bytes; empty if it has none.
std::span<const double> DeviationsFor(const Tensor& expected, std::span<const std::byte> bytes) {
  const bool fits = static_cast<int64_t>(bytes.size()) == expected.size() * StoredBytes(expected.type());
  return fits && expected.bound() ? expected.bound()->deviation_span() : std::span<const double>();
}

// Adds those of real numbers, four at a time.
OPBYOP_CLONES void AddShares(const double* want, const double* got, const double* deviations, size_t count,
                             PrecisionErrors::Shares& all) {
  using Four = double __attribute__((vector_size(32)));
  Four counts = {}, squares = {}, greatest = {};
  const auto add = [&](const double* w, const double* g, const double* d) {
    Four want4, got4, deviation;
    std::memcpy(&want4, w, sizeof(want4));
    std::memcpy(&got4, g, sizeof(got4));
    std::memcpy(&deviation, d, sizeof(deviation));
    Four error = got4 - want4;
    error = error < 0 ? -error : error;
    const auto is_measured = (error < kInf) & (deviation != 0);
    const Four share = is_measured ? error / deviation : Four{};
    counts += is_measured ? Four{} + 1 : Four{};
    squares += share * share;
    greatest = share > greatest ? share : greatest;
  };
  size_t i = 0;
  for (; i + 4 <= count; i += 4) add(want + i, got + i, deviations + i);
  if (i < count) {
    std::array<double, 4> w{}, g{}, d{};
    std::copy(want + i, want + count, w.begin());
    std::copy(got + i, got + count, g.begin());
    std::copy(deviations + i, deviations + count, d.begin());
    add(w.data(), g.data(), d.data());
  }
  for (int lane = 0; lane < 4; ++lane) {
    all.count += counts[lane];
    all.squares += squares[lane];
    all.greatest = greatest[lane] > all.greatest ? greatest[lane] : all.greatest;
  }
}

// Calls fn(part, share) for each number whose error is measured: its place among all parts of all elements, and its
// error in standard deviations.
template <typename Fn>
void ForShares(const Tensor& expected, std::span<const std::byte> bytes, Fn&& fn) {
  const bool complex = expected.kind() == ElementKind::kComplex;
  const int64_t stored = StoredBytes(expected.type());
  const std::span<const double> deviations = DeviationsFor(expected, bytes);
  if ((expected.kind() != ElementKind::kFloat && !complex) || deviations.empty()) return;
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
  ++shares_.count;
  shares_.squares += share * share;
  shares_.greatest = std::max(shares_.greatest, share);
}

void PrecisionErrors::Add(const Tensor& block, std::span<const std::byte> bytes) {
  if (block.kind() != ElementKind::kFloat) {
    ForShares(block, bytes, [&](size_t, double share) { Add(share); });
    return;
  }
  const std::span<const double> deviations = DeviationsFor(block, bytes);
  if (deviations.empty()) return;
  std::vector<double> got;
  ForValues<double>(block, [&](int64_t first, std::span<const double> want) {
    got.resize(want.size());
    DecodeElements(block.type(), bytes.data() + first * StoredBytes(block.type()), static_cast<int64_t>(want.size()),
                   got.data());
    AddShares(want.data(), got.data(), deviations.data() + first, want.size(), shares_);
  });
}

double PrecisionErrors::Ratio() const {
  const auto& [count, squares, greatest] = shares_;
  if (count == 0) return 0;
  return std::max(greatest / GreatestOf(count), std::sqrt(squares / count) / RootMeanSquareOf(count)) / kMargin;
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
