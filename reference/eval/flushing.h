// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a device computes that takes subnormal numbers for zero, as CPUs and GPUs can be told to.
//
//   Evaluator evaluator(module, {.bounds = true, .hook = FlushSubnormals});
//
// Ops that compute flush their operands and their results. Those that only move or choose elements, or change their
// sign bit, do not.
#ifndef OPBYOP_REFERENCE_EVAL_FLUSHING_H_
#define OPBYOP_REFERENCE_EVAL_FLUSHING_H_

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// A hook of the evaluator (EvalOptions).
Expected<bool> FlushSubnormals(OpContext& context, Values& results);

using EvalHook = decltype(EvalOptions::hook);

// The same beside a hook that watches, which comes first; `guard` may be empty.
EvalHook FlushingUnder(EvalHook guard);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_FLUSHING_H_
