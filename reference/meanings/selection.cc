// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Approximate selection: a device may miss some of the greatest elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "reference/meanings/families.h"

namespace opbyop::reference::factors {
namespace {

// Accepted probability that a right device misses more elements than are allowed.
constexpr double kRarely = 1e-9;

// The misses among k elements, each with the probability `rate`, beyond which there are rarely any. `m` or more have at
// most the probability exp(-mean) (e mean / m)^m, for elements that displace each other too [Panconesi and Srinivasan
// 1997].
double MostMisses(double rate, double k) {
  const double mean = rate * k;
  const auto is_rare = [&](double m) { return m - mean + m * std::log(mean / m) <= std::log(kRarely); };
  double misses = std::floor(mean);
  while (misses < k && !is_rare(misses + 1)) ++misses;
  return misses;
}

}  // namespace

Checks ApproximateTopK(const FactorParts& parts) {
  const DenseMatrix& a = parts["a"];
  const DenseMatrix& values = parts["values"];
  const DenseMatrix& chosen = parts["chosen"];
  const double init = parts["init"](0, 0).real();
  const double least = LeastNormal(parts);
  const bool aggregates = parts.Option("aggregate") != 0;
  // Better elements have greater keys.
  const double sign = init < 0 ? 1 : -1;
  const auto key = [&](const DenseMatrix& x, int64_t i) { return sign * x(i, 0).real(); };
  // A target may take subnormal numbers for zero.
  const auto is_same = [&](double given, double element) {
    return given == element || (std::isnan(given) && std::isnan(element)) || (given == 0 && std::abs(element) < least);
  };

  std::multimap<double, double> unused;  // place -> element
  std::vector<double> keys;
  for (int64_t i = 0; i < a.rows; ++i) {
    unused.emplace(parts["places"](i, 0).real(), a(i, 0).real());
    keys.push_back(key(a, i));
  }
  const bool is_ordered = std::ranges::none_of(keys, [](double x) { return std::isnan(x); }) && std::isinf(init);
  std::vector<double> wrong_values, wrong_places, disorder;
  for (int64_t i = 0; i < values.rows; ++i) {
    const double place = chosen(i, 0).real(), value = values(i, 0).real();
    const bool is_open = !aggregates && value == init && place == parts["init_place"](0, 0).real();
    auto [first, last] = unused.equal_range(place);
    const auto found = std::find_if(first, last, [&](const auto& entry) { return is_same(value, entry.second); });
    wrong_places.push_back(first == last && !is_open ? 1 : 0);
    wrong_values.push_back(first != last && found == last && !is_open ? 1 : 0);
    if (found != last) unused.erase(found);
    if (i > 0) disorder.push_back(is_ordered ? Excess(key(values, i) - key(values, i - 1)) : 0);
  }

  const double k = std::min(parts.Option("k"), static_cast<double>(a.rows));
  double misses = 0;
  if (is_ordered && k > 0) {
    std::ranges::sort(keys, std::greater<>());
    const double last = keys[static_cast<size_t>(k) - 1];
    double hits = 0;
    for (int64_t i = 0; i < values.rows; ++i) hits += key(values, i) >= last - least ? 1 : 0;
    misses = Excess(k - hits);
  }
  const double allowed = parts.Option("exact") != 0 ? 0 : MostMisses(1 - parts.Option("recall"), k);

  Checks checks = {Exactly("values", "the elements at their places", std::move(wrong_values)),
                   Exactly("chosen", "places of the operand, each once", std::move(wrong_places))};
  Requirement recall = Exactly("values", fmt::format("at most {} of the {} missing", allowed, k), {misses});
  recall.limits = {is_ordered ? allowed : kOpen};
  checks.push_back(std::move(recall));
  if (aggregates) {
    Requirement order = Exactly("values", "in order", std::move(disorder));
    std::ranges::fill(order.limits, is_ordered ? least : kOpen);
    checks.push_back(std::move(order));
  }
  return checks;
}

}  // namespace opbyop::reference::factors
