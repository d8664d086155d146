// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a device computes that takes subnormal numbers for zero, as CPUs and GPUs can be told to.
//
//   Evaluator evaluator(module, Flushing({.bounds = true}));
//
// Ops that compute flush their operands and their results, and ops that order their operands compare subnormal numbers
// as zeros. Those that only move or choose elements, or change their sign bit, do not. A result may be found to be
// subnormal before it is rounded or after: what is rounded up to the least normal number may be zero too.
#ifndef OPBYOP_REFERENCE_EVAL_FLUSHING_H_
#define OPBYOP_REFERENCE_EVAL_FLUSHING_H_

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// The same evaluation by such a device; a hook of `options` comes first.
EvalOptions Flushing(EvalOptions options);

// The elements as such a device reads them.
Tensor WithSubnormalsAsZeros(Tensor t);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_FLUSHING_H_
