// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The verdict on a case from the comparisons of its outputs. Workers, slots and chained runs all use it.
//
//   const ComparisonVerdict verdict = VerdictOf(record.comparisons);
//   verdict.status;       // pass, imprecise or fail
//   verdict.diagnostic;   // of the output that decides; empty if all pass
#ifndef OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_
#define OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_

#include <optional>
#include <span>
#include <string>

#include "manifests/results/result.h"

namespace opbyop {

struct ComparisonVerdict {
  Status status = Status::kPass;
  std::optional<size_t> deciding;  // index of the comparison that the status comes from; nullopt if all pass
  std::string diagnostic;
};

// The first output that is not accepted fails the case. If all are accepted, the first with errors beyond rounding in
// the promised precision makes it imprecise. Without comparisons the result is a pass: callers check that separately.
ComparisonVerdict VerdictOf(std::span<const Comparison> comparisons);

// "output 1", or "process 3, output 1" if several processes have it.
std::string NameOfOutput(const Comparison& comparison);

// Describes an output that is not accepted in one sentence: its worst element, how many there are, and by how much.
std::string DescribeMismatch(const Comparison& comparison);
// The same for an output whose elements are within their bounds, but have errors beyond rounding.
std::string DescribeImprecision(const Comparison& comparison);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_
