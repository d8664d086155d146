// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/weak_criterion.h"

#include <utility>

namespace opbyop {

WeakCriterion WeakCriterionOf(int precision) {
  constexpr int kSingle = 24, kHalf = 11;
  if (precision >= kSingle) return {};
  return precision >= kHalf ? WeakCriterion{.share = 0.02} : WeakCriterion{.share = 0.05};
}

std::optional<WeakCriterion> WeakCriterionOf(std::string_view dtype) {
  constexpr std::pair<std::string_view, int> kPrecisions[] = {{"f64", 53}, {"f32", 24}, {"f16", 11}, {"bf16", 8}};
  for (const auto& [name, precision] : kPrecisions) {
    if (dtype == name) return WeakCriterionOf(precision);
  }
  return std::nullopt;
}

}  // namespace opbyop
