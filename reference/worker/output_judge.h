// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One output of a device by every criterion of a run (docs/numerics.md): its bound, as a policy relaxes it; what the
// device may give as well, as its target declares; what rounding in the promised precision does; and where a
// whole model's bound says nothing, the weak criterion.
//
//   Expected<Comparison> c = JudgeOutput(0, expected, shape, bytes, {.relaxation = policy.For(op, dtype, target)});
//
// What the comparisons of all outputs make of the case: manifests/results/comparison_verdict.h.
#ifndef OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "manifests/policies/policy.h"
#include "manifests/results/result.h"
#include "reference/eval/alternatives.h"
#include "reference/tensor/tensor.h"
#include "reference/worker/whole_model.h"
#include "support/expected.h"

namespace opbyop::reference {

struct OutputCriteria {
  Policy::Applied relaxation;
  // What the device may give as well, asked where the plain output is refused; nullptr: nothing.
  AlternativeResults* alternatives = nullptr;
  std::optional<WeakCriterion> weak;  // of a whole model
  bool own_inputs = false;            // the target generated the inputs itself: no policy's
  bool raised = false;                // the program was a compiler's IR, raised to StableHLO
};

// `expected` with its bound and deviations; `shape` and `bytes` are what the device gave, in stored form. kBadInput
// where the shape or the size is another than that of `expected`; kUnsupported where an alternative cannot be
// evaluated.
Expected<Comparison> JudgeOutput(int64_t output, const Tensor& expected, const Shape& shape,
                                 std::span<const std::byte> bytes, const OutputCriteria& criteria);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
