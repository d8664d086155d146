// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tracks, in addition to bounds, facts about the values that each tensor depends on (EvalOptions::provenance). For
// programs of many ops.
//
//   TrackProvenance(context, again, results);
//   results[0].tensor().provenance().scale   // 3.0, where log(exp(x)) - x is 1e-7
//
// In a long program a bound may become infinite and then says nothing. The error of a right device then depends on the
// size of the values that were rounded: if large values cancel, the result is small and the error is not.
#ifndef OPBYOP_REFERENCE_EVAL_PROVENANCE_H_
#define OPBYOP_REFERENCE_EVAL_PROVENANCE_H_

#include <functional>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Sets the provenance of every tensor of `results`, the results of evaluating `context`. `alone` evaluates the op by
// itself, on operands without error. An element whose bound is infinite even then is left open by the specification.
void TrackProvenance(const OpContext& context, const std::function<Expected<Values>(OpContext&)>& alone,
                     Values& results);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PROVENANCE_H_
