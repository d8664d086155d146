// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/output_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"

namespace opbyop::reference {

std::function<Expected<Tensor>()> FlushedResults::Output(size_t i) {
  return [this, i]() -> Expected<Tensor> {
    if (values_.empty()) {
      Expected<Values> values = evaluate_();
      if (!values) return Unexpected(values.error());
      values_ = std::move(*values);
    }
    return values_[i].tensor();
  };
}

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
  if (!comparison->accepted && criteria.flushed) {
    const Expected<Tensor> flushed = criteria.flushed();
    if (!flushed) {
      return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: the result with subnormals taken for zero: {}",
                                                           flushed.error().message));
    }
    int64_t taken = 0;
    judged = TakeWhereRefused(expected, *flushed, bytes, taken);
    if (taken > 0) {
      comparison = CompareOutput(output, judged, bytes, options);
      if (!comparison) return comparison;
      comparison->rule += fmt::format(", {} with subnormals taken for zero", taken);
    }
  }
  comparison->precision_ratio = PrecisionRatio(expected, bytes) / options.factor;
  if (criteria.raised) comparison->rule += ", raised to StableHLO";
  if (criteria.own_inputs) comparison->rule += ", on inputs that the target generated itself";
  if (criteria.weak) JudgeWholeModel(judged, bytes, *criteria.weak, options.factor, *comparison);
  return comparison;
}

}  // namespace opbyop::reference
