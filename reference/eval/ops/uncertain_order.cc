// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/ops/uncertain_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

// The keys that are looked at for all lines together, and the candidates that are kept. What comes with further keys may
// be anything.
constexpr int64_t kMostSteps = int64_t{1} << 26;
constexpr size_t kMostCandidates = size_t{1} << 23;

}  // namespace

void UncertainOrder::AddLine(std::span<const int64_t> from, std::span<const int64_t> to) {
  const size_t n = from.size();
  std::vector<double> keys(n), errors(n);
  double greatest = 0;
  for (size_t p = 0; p < n; ++p) {
    keys[p] = descending_ ? -NumberAt(key_, from[p]) : NumberAt(key_, from[p]);
    errors[p] = ErrorAt(key_, from[p]);
    greatest = std::max(greatest, errors[p]);
  }
  if (greatest == 0) return;
  const bool has_nan = std::ranges::any_of(keys, [](double v) { return std::isnan(v); });
  if (has_nan || std::isinf(greatest) || !std::ranges::is_sorted(keys)) {
    for (size_t p = 0; p < to.size(); ++p) positions_.push_back({to[p], from[p], kInf, 0, -1});
    return;
  }
  std::vector<double> least(n), most(n);
  for (size_t p = 0; p < n; ++p) {
    least[p] = keys[p] - errors[p];
    most[p] = keys[p] + errors[p];
  }
  std::ranges::sort(least);
  std::ranges::sort(most);
  for (size_t p = 0; p < to.size(); ++p) {
    const auto begin = std::ranges::lower_bound(keys, least[p] - greatest) - keys.begin();
    const auto end = std::ranges::upper_bound(keys, most[p] + greatest) - keys.begin();
    Position position{to[p], from[p],
                      std::max(AbsoluteDifference(most[p], keys[p]), AbsoluteDifference(keys[p], least[p])),
                      static_cast<int64_t>(candidates_.size()), 0};
    steps_ += end - begin;
    bool certain = steps_ <= kMostSteps;
    for (auto q = begin; steps_ <= kMostSteps && q < end; ++q) {
      const auto at = static_cast<size_t>(q);
      if (keys[at] + errors[at] < least[p] || keys[at] - errors[at] > most[p]) continue;
      certain = certain && errors[at] == 0;
      candidates_.push_back(from[at]);
    }
    position.count = static_cast<int64_t>(candidates_.size()) - position.candidates_begin;
    const bool anything = steps_ > kMostSteps || candidates_.size() > kMostCandidates;
    if (certain || anything) {
      candidates_.resize(static_cast<size_t>(position.candidates_begin));
      position.count = -1;
    }
    if (!certain) positions_.push_back(position);
  }
}

void UncertainOrder::WidenKeys(Tensor& result) const {
  if (positions_.empty()) return;
  auto bound = CopyOfBound(result, "in the order of inexact keys");
  for (const Position& p : positions_) MutableSpan(*bound)[static_cast<size_t>(p.to)] = p.reach;
  result.set_bound(std::move(bound));
}

void UncertainOrder::Widen(Tensor& result, const std::function<double(int64_t, int64_t)>& reach) const {
  if (positions_.empty()) return;
  auto bound = CopyOfBound(result, "in the order of inexact keys");
  for (const Position& p : positions_) {
    double& error = MutableSpan(*bound)[static_cast<size_t>(p.to)];
    if (p.count < 0) error = kInf;
    for (int64_t c = 0; c < p.count; ++c) {
      error = std::max(error, reach(candidates_[static_cast<size_t>(p.candidates_begin + c)], p.own));
    }
  }
  result.set_bound(std::move(bound));
}

}  // namespace opbyop::reference
