// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the comparisons of a case's outputs make of it. Whoever has comparisons, in a worker, a slot or a chained run,
// decides by this.
//
//   const ComparisonVerdict verdict = VerdictOf(record.comparisons);
//   verdict.status;       // pass, imprecise or fail
//   verdict.diagnostic;   // of the output that decides; empty where all pass
#ifndef OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_
#define OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_

#include <optional>
#include <span>
#include <string>

#include "manifests/results/result.h"

namespace opbyop {

struct ComparisonVerdict {
  Status status = Status::kPass;
  std::optional<size_t> deciding;  // index of the comparison that the status comes from; nullopt where all pass
  std::string diagnostic;
};

// The first output that is not accepted fails the case; where all are, the first whose errors are beyond what rounding
// in the promised precision does makes it imprecise. That nothing was compared is not looked at.
ComparisonVerdict VerdictOf(std::span<const Comparison> comparisons);

// One sentence on an output that is not accepted: its worst element, how many there are, and by how much.
std::string DescribeMismatch(const Comparison& comparison);
// The same on an output whose elements are all within their bounds, but not as rounding leaves them.
std::string DescribeImprecision(const Comparison& comparison);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_COMPARISON_VERDICT_H_
