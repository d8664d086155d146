// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One output of a device by every criterion of a run (docs/numerics.md): its bound, as a policy relaxes it; what a
// device may give that takes subnormal numbers for zero; what rounding in the promised precision does; and where a
// whole model's bound says nothing, the weak criterion.
//
//   Expected<Comparison> c = JudgeOutput(0, expected, shape, bytes, {.relaxation = policy.For(op, dtype, target)});
//
// What the comparisons of all outputs make of the case: manifests/comparison_verdict.h.
#ifndef OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "manifests/policy.h"
#include "manifests/result.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/tensor.h"
#include "reference/worker/whole_model.h"
#include "support/expected.h"

namespace opbyop::reference {

// What a device gives that takes subnormal numbers for zero, for all outputs of one run: evaluated at most once, where
// the first output is refused.
//
//   FlushedResults flushed([&] { return evaluator.CallFunction(entry, arguments); });
//   criteria.flushed = flushed.Output(i);
class FlushedResults {
 public:
  explicit FlushedResults(std::function<Expected<Values>()> evaluate) : evaluate_(std::move(evaluate)) {}

  // For OutputCriteria, which must not outlive this. The output must be a tensor.
  std::function<Expected<Tensor>()> Output(size_t i);
  bool evaluated() const { return !values_.empty(); }

 private:
  std::function<Expected<Values>()> evaluate_;
  Values values_;
};

struct OutputCriteria {
  Policy::Applied relaxation;
  // The same output of a device that takes subnormal numbers for zero, called where the plain one is refused. Empty:
  // the device does not.
  std::function<Expected<Tensor>()> flushed;
  std::optional<WeakCriterion> weak;  // of a whole model
  bool own_inputs = false;            // the target generated the inputs itself: no policy's
  bool raised = false;                // the program was a compiler's IR, raised to StableHLO
};

// `expected` with its bound and deviations; `shape` and `bytes` are what the device gave, in stored form. kBadInput
// where the shape or the size is another than that of `expected`; an error of `flushed` as it is.
Expected<Comparison> JudgeOutput(int64_t output, const Tensor& expected, const Shape& shape,
                                 std::span<const std::byte> bytes, const OutputCriteria& criteria);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_OUTPUT_JUDGE_H_
