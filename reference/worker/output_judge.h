// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges one output of a device by every criterion of a run (docs/numerics.md): its bound, possibly relaxed by a
// policy; the alternative results that the target declares; the effect of rounding in the promised precision; and, if
// the bound of a whole model says nothing, the weak criterion.
//
//   Expected<Comparison> c = JudgeOutput(0, expected, shape, bytes, {.relaxation = policy.For(op, dtype, target)});
//
// manifests/results/comparison_verdict.h combines the comparisons of all outputs into the verdict of a case.
#ifndef OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manifests/policies/policy.h"
#include "manifests/results/result.h"
#include "reference/eval/alternatives.h"
#include "reference/tensor/tensor.h"
#include "reference/worker/whole_model.h"
#include "support/expected.h"

namespace opbyop::reference {

struct OutputCriteria {
  Policy::Applied relaxation;
  // Other results that the device may give, evaluated if the plain output is refused. nullptr: none.
  AlternativeResults* alternatives = nullptr;
  // The same results, and first the plain one, with bounds that are likely (EvalOptions::likely). For programs of
  // several ops whose result has no deviations. nullptr: the second criterion is that of the deviations alone.
  AlternativeResults* likely = nullptr;
  std::optional<WeakCriterion> weak;  // for whole models only
  // The plain results with narrow types rounded toward zero: how far roundings alone move the outputs of a whole model.
  AlternativeResults* rounded = nullptr;
  bool own_inputs = false;  // the target generated the inputs itself, not by a policy
  bool raised = false;      // the program is a compiler's IR that was raised to StableHLO
  std::string meaning;      // whose definitions gave calls of the program their meaning; empty: nobody's
};

// The ways to evaluate a program whose results are OutputCriteria::likely.
std::vector<Alternative> LikelyWaysOf(const Arithmetic& declared, EvalOptions plain);

// `expected` has its bound and deviations. `shape` and `bytes` are the device's output, in stored form. Returns
// kBadInput if the shape or the size differs from that of `expected`, and kUnsupported if an alternative cannot be
// evaluated.
Expected<Comparison> JudgeOutput(int64_t output, const Tensor& expected, const Shape& shape,
                                 std::span<const std::byte> bytes, const OutputCriteria& criteria);

// Adds to a comparison's rule what the criteria say about program and inputs.
void AddRemarks(const OutputCriteria& criteria, Comparison& comparison);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
