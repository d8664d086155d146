// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a device computes that takes subnormal numbers for zero, as CPUs and GPUs can be told to.
//
//   Evaluator evaluator(module, Flushing({.bounds = true}, target.arithmetic.flushes));
//
// Ops that compute flush their operands, their results or both, and where operands are flushed, ops that order them
// compare subnormal numbers as zeros. Those that only move or choose elements do not, nor those that change their sign
// bit unless that is said. A result may be found to be
// subnormal before it is rounded or after: what is rounded up to the least normal number may be zero too.
#ifndef OPBYOP_REFERENCE_EVAL_FLUSHING_H_
#define OPBYOP_REFERENCE_EVAL_FLUSHING_H_

#include "manifests/targets/arithmetic.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// The same evaluation by such a device; a hook of `options` comes first.
EvalOptions Flushing(EvalOptions options, FlushedParts parts = {.operands = true, .results = true});

// The elements as such a device reads them.
Tensor WithSubnormalsAsZeros(Tensor t);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_FLUSHING_H_
