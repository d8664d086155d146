// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of elements that a device may take from elsewhere, because an index is inexact: the greatest of several numbers
// that are nearly equal, or a rounded number, may be another one there.
//
//   table["stablehlo.gather"] = &AtInexactIndices<&Gather, 1, 1>;   // operand 1 has indices
#ifndef OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_
#define OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_

#include <cstddef>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Widens the bounds of `results`, which `eval` gave: the op is evaluated with each of the indices that a device may have.
// Bounds are infinite if those are too many. Each index vector must decide elements of its own, or all elements.
Expected<Values> WithOtherIndices(OpContext& context, EvalFn eval, size_t first, size_t last, Values results);

// The same for an op whose index vectors decide elements together: every bound is infinite if an index is inexact.
void OpenIfIndicesAreInexact(const Tensor& indices, Values& results);

// Evaluates an op whose operands `first` to `last` are indices; kToTheEnd: all from `first` on.
inline constexpr size_t kToTheEnd = ~size_t{0};
template <auto kEval, size_t kFirst, size_t kLast>
Expected<Values> AtInexactIndices(OpContext& context) {
  Expected<Values> results = kEval(context);
  if (!results || !context.bounds()) return results;
  const size_t last = kLast == kToTheEnd ? context.size() - 1 : kLast;
  return WithOtherIndices(context, kEval, kFirst, last, std::move(*results));
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_OPS_INEXACT_INDICES_H_
