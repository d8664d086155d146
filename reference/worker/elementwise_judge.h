// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges an output of one elementwise op without holding all of its values: blocks of elements that stay in the cache
// are evaluated, get their bounds, and are compared. If there is one operand and its type has few codes, each code is
// evaluated only once.
//
//   std::optional<Comparison> c = JudgeElementwise(entry, evaluator, arguments, bytes, {.factor = 1});
//
// Only outputs that are right have such a comparison. It then is what JudgeOutput gives, except for a composite: it is
// judged as the op that it stands for. A device may also compute its decomposition, but what is right for the op is right
// either way.
#ifndef OPBYOP_REFERENCE_WORKER_ELEMENTWISE_JUDGE_H_
#define OPBYOP_REFERENCE_WORKER_ELEMENTWISE_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "manifests/results/result.h"
#include "reference/bounds/compare.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Limits by which a program is judged one way or the other. The defaults are those of every run.
struct ElementwiseLimits {
  int64_t fewest = int64_t{1} << 15;          // elements of an output that is judged by blocks
  int64_t block = int64_t{1} << 13;           // elements of a block: five vectors of doubles fit a second-level cache
  int64_t fewest_by_code = int64_t{1} << 20;  // elements of an output that is judged by code
};

// Returns nullopt if the program is not one elementwise op of arguments, few constants and counts (iota), has few
// elements, or has an output that is refused or that no one rule describes: the caller then judges it as a whole. The
// size of `bytes` must be right.
// PCC, cosine and RMSE of an output that is judged by code are added up by code and may differ in their last digits.
// By code, an output may also take elements of the `alternatives` to the evaluator's options.
std::optional<Comparison> JudgeElementwise(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                           std::span<const std::byte> bytes, const CompareOptions& options,
                                           std::span<const Alternative> alternatives = {},
                                           const ElementwiseLimits& limits = {});

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ELEMENTWISE_JUDGE_H_
