// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/comparison_verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace opbyop {
namespace {

bool IsImprecise(const Comparison& comparison) { return comparison.precision_ratio > 1; }

}  // namespace

std::string NameOfOutput(const Comparison& comparison) {
  const std::string output = fmt::format("output {}", comparison.output);
  return comparison.process ? fmt::format("process {}, {}", *comparison.process, output) : output;
}

ComparisonVerdict VerdictOf(std::span<const Comparison> comparisons) {
  const auto index = [&](auto it) { return static_cast<size_t>(std::distance(comparisons.begin(), it)); };
  if (const auto refused = std::ranges::find(comparisons, false, &Comparison::accepted); refused != comparisons.end()) {
    return {Status::kFail, index(refused), DescribeMismatch(*refused)};
  }
  if (const auto imprecise = std::ranges::find_if(comparisons, IsImprecise); imprecise != comparisons.end()) {
    return {Status::kImprecise, index(imprecise), DescribeImprecision(*imprecise)};
  }
  return {};
}

std::string DescribeMismatch(const Comparison& comparison) {
  const Comparison::Element worst = comparison.worst.empty() ? Comparison::Element{} : comparison.worst.front();
  return fmt::format("{}[{}]: got {}, expected {}, {} of {} elements beyond their bound ({}), worst {:.3g} x",
                     NameOfOutput(comparison), fmt::join(worst.index, ","), worst.got, worst.expected,
                     comparison.mismatches, comparison.elements, comparison.rule, comparison.bound_ratio);
}

std::string DescribeImprecision(const Comparison& comparison) {
  return fmt::format(
      "{}: every element is within its bound, but the errors are {:.3g} x what rounding in the promised "
      "precision does ({}): operands or results in a narrower type, which `precision` of the target's file may "
      "declare, or single wrong elements",
      NameOfOutput(comparison), comparison.precision_ratio, comparison.rule);
}

}  // namespace opbyop
