// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the values of a program of many ops were made of, beside their bounds (EvalOptions::provenance).
//
//   TrackProvenance(context, again, results);
//   results[0].tensor().provenance().scale   // 3.0, where log(exp(x)) - x is 1e-7
//
// A bound that has become infinite on its way through the ops says nothing. What a right device may be off by then
// depends on the values that were rounded: where large ones cancel, the result is small and the error is not.
#ifndef OPBYOP_REFERENCE_EVAL_PROVENANCE_H_
#define OPBYOP_REFERENCE_EVAL_PROVENANCE_H_

#include <functional>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Sets the provenance of every tensor of `results`, which `context` was evaluated to. `alone` evaluates the op by
// itself, on operands without error: what is infinitely wide then too the specification leaves open.
void TrackProvenance(const OpContext& context, const std::function<Expected<Values>(OpContext&)>& alone,
                     Values& results);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PROVENANCE_H_
