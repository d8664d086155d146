// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/output_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"

namespace opbyop::reference {
namespace {

// Compares `bytes` with `judged`, then with what `ways` give from way number `first` on for those elements that are
// refused, until none is. `judged` becomes what was compared last.
Expected<Comparison> CompareInSomeWay(int64_t output, Tensor& judged, std::span<const std::byte> bytes,
                                      const CompareOptions& options, AlternativeResults* ways, size_t first) {
  Expected<Comparison> comparison = CompareOutput(output, judged, bytes, options);
  const size_t count = ways == nullptr ? 0 : ways->size();
  for (size_t way = first; way < count && comparison && !comparison->accepted; ++way) {
    const Expected<Tensor> other = ways->Output(way, static_cast<size_t>(output));
    if (!other) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("unsupported: the result {}: {}", ways->What(way), other.error().message));
    }
    int64_t taken = 0;
    judged = TakeWhereRefused(judged, *other, bytes, taken);
    if (taken == 0) continue;
    const std::string rule = comparison->rule;
    comparison = CompareOutput(output, judged, bytes, options);
    if (comparison) comparison->rule = fmt::format("{}, {} {}", rule, taken, ways->What(way));
  }
  return comparison;
}

// The worst error in units of the likely bounds; 0 if these are the bounds of `expected`, because nothing is summed up.
Expected<double> LikelyRatio(int64_t output, const Tensor& expected, std::span<const std::byte> bytes,
                             const CompareOptions& options, AlternativeResults& likely) {
  Expected<Tensor> plain = likely.Output(0, static_cast<size_t>(output));
  if (!plain) return Unexpected(plain.error());
  if (std::ranges::equal(plain->bounds(), expected.bounds())) return 0;
  const Expected<Comparison> comparison = CompareInSomeWay(output, *plain, bytes, options, &likely, 1);
  return comparison ? Expected<double>(comparison->bound_ratio) : Unexpected(comparison.error());
}

bool HasDeviations(const Tensor& t) { return t.bound() && !t.bound()->deviation_span().empty(); }

// The ratio of a device that computes each element in some way: plainly, as in `expected`, or in one of the others.
// Where one of these has errors that it inherits, the likely bounds decide.
Expected<double> RatioInSomeWay(int64_t output, const Tensor& expected, std::span<const std::byte> bytes,
                                const CompareOptions& options, AlternativeResults& others, AlternativeResults* likely) {
  std::vector<Tensor> ways = {expected};
  ways.reserve(1 + others.size());
  for (size_t way = 0; way < others.size(); ++way) {
    if (Expected<Tensor> other = others.Output(way, static_cast<size_t>(output))) ways.push_back(std::move(*other));
  }
  const bool inherits = !std::ranges::all_of(ways, HasDeviations);
  if (inherits && likely != nullptr) return LikelyRatio(output, expected, bytes, options, *likely);
  return PrecisionRatio(ways, bytes) / options.factor;
}

}  // namespace

std::vector<Alternative> LikelyWaysOf(const Arithmetic& declared, EvalOptions plain) {
  plain.likely = true;
  std::vector<Alternative> ways = AlternativesOf(declared, plain);
  ways.insert(ways.begin(), {"plainly", std::move(plain)});
  return ways;
}

Expected<Comparison> JudgeOutput(int64_t output, const Tensor& expected, const Shape& shape,
                                 std::span<const std::byte> bytes, const OutputCriteria& criteria) {
  if (shape != expected.shape()) {
    return MakeError(ExitCode::kBadInput, fmt::format("output {}: has shape [{}], expected [{}]", output,
                                                      fmt::join(shape, ", "), fmt::join(expected.shape(), ", ")));
  }
  const CompareOptions options{.factor = criteria.relaxation.factor, .reason = criteria.relaxation.reason};
  Tensor judged = expected;
  Expected<Comparison> comparison = CompareInSomeWay(output, judged, bytes, options, criteria.alternatives, 0);
  if (!comparison) return comparison;
  comparison->precision_ratio = PrecisionRatio(expected, bytes) / options.factor;
  if (criteria.alternatives != nullptr && comparison->accepted && comparison->precision_ratio > 1) {
    const Expected<double> ratio =
        RatioInSomeWay(output, expected, bytes, options, *criteria.alternatives, criteria.likely);
    if (!ratio) return Unexpected(ratio.error());
    comparison->precision_ratio = *ratio;
  }
  const bool inherits = !expected.bounds().empty() && !HasDeviations(expected);
  if (criteria.likely != nullptr && comparison->accepted && inherits) {
    const Expected<double> ratio = LikelyRatio(output, expected, bytes, options, *criteria.likely);
    if (!ratio) return Unexpected(ratio.error());
    comparison->precision_ratio = *ratio;
  }
  AddRemarks(criteria, *comparison);
  if (!criteria.weak) return comparison;
  const Comparison by_bound = *comparison;
  JudgeWholeModel(judged, bytes, *criteria.weak, options.factor, *comparison);
  const auto refused_weakly = [&] { return by_bound.accepted && !comparison->accepted; };
  std::string taken_in_ways;
  const size_t ways = criteria.alternatives == nullptr ? 0 : criteria.alternatives->size();
  for (size_t way = 0; way < ways && refused_weakly(); ++way) {
    const Expected<Tensor> other = criteria.alternatives->Output(way, static_cast<size_t>(output));
    if (!other) break;  // the plain result stands
    int64_t taken = 0;
    judged = TakeWhereNear(judged, *other, bytes, *criteria.weak, options.factor, taken);
    if (taken == 0) continue;
    taken_in_ways += fmt::format(", {} {}", taken, criteria.alternatives->What(way));
    comparison = by_bound;
    JudgeWholeModel(judged, bytes, *criteria.weak, options.factor, *comparison);
    comparison->rule += taken_in_ways;
  }
  if (!refused_weakly() || criteria.rounded == nullptr) return comparison;
  const Expected<Tensor> rounded = criteria.rounded->Output(0, static_cast<size_t>(output));
  if (!rounded) return comparison;  // there is nothing to widen the criterion by
  const WeakCriterion wider = WidenedBy(*criteria.weak, judged, *rounded, comparison->rmse);
  if (wider.share == criteria.weak->share) return comparison;
  comparison = by_bound;
  JudgeWholeModel(judged, bytes, wider, options.factor, *comparison);
  comparison->rule +=
      fmt::format(", {:g} instead of {:g} as roundings toward zero move it so far", wider.share, criteria.weak->share);
  return comparison;
}

void AddRemarks(const OutputCriteria& criteria, Comparison& comparison) {
  if (criteria.raised) comparison.rule += ", raised to StableHLO";
  if (!criteria.meaning.empty()) comparison.rule += ", " + criteria.meaning;
  if (criteria.own_inputs) comparison.rule += ", on inputs that the target generated itself";
}

}  // namespace opbyop::reference
