// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/output_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"

namespace opbyop::reference {

Expected<Comparison> JudgeOutput(int64_t output, const Tensor& expected, const Shape& shape,
                                 std::span<const std::byte> bytes, const OutputCriteria& criteria) {
  if (shape != expected.shape()) {
    return MakeError(ExitCode::kBadInput, fmt::format("output {}: has shape [{}], expected [{}]", output,
                                                      fmt::join(shape, ", "), fmt::join(expected.shape(), ", ")));
  }
  const CompareOptions options{.factor = criteria.relaxation.factor, .reason = criteria.relaxation.reason};
  Expected<Comparison> comparison = CompareOutput(output, expected, bytes, options);
  if (!comparison) return comparison;
  Tensor judged = expected;
  const size_t ways = criteria.alternatives == nullptr ? 0 : criteria.alternatives->size();
  for (size_t way = 0; way < ways && !comparison->accepted; ++way) {
    const Expected<Tensor> other = criteria.alternatives->Output(way, static_cast<size_t>(output));
    if (!other) {
      return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: the result {}: {}",
                                                           criteria.alternatives->What(way), other.error().message));
    }
    int64_t taken = 0;
    judged = TakeWhereRefused(judged, *other, bytes, taken);
    if (taken == 0) continue;
    const std::string rule = comparison->rule;
    comparison = CompareOutput(output, judged, bytes, options);
    if (!comparison) return comparison;
    comparison->rule = fmt::format("{}, {} {}", rule, taken, criteria.alternatives->What(way));
  }
  comparison->precision_ratio = PrecisionRatio(expected, bytes) / options.factor;
  AddRemarks(criteria, *comparison);
  if (criteria.weak) JudgeWholeModel(judged, bytes, *criteria.weak, options.factor, *comparison);
  return comparison;
}

void AddRemarks(const OutputCriteria& criteria, Comparison& comparison) {
  if (criteria.raised) comparison.rule += ", raised to StableHLO";
  if (!criteria.meaning.empty()) comparison.rule += ", " + criteria.meaning;
  if (criteria.own_inputs) comparison.rule += ", on inputs that the target generated itself";
}

}  // namespace opbyop::reference
