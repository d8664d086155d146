// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates a program as a device does that flushes subnormal numbers to zero. CPUs and GPUs have such a mode.
//
//   Evaluator evaluator(module, Flushing({.bounds = true}, target.arithmetic.flushes));
//
// Ops that compute flush their operands, their results or both. If operands are flushed, ops that order them compare
// subnormal numbers as zeros. Ops that only move or choose elements do not flush; ops that only change the sign bit do
// so only if FlushedParts says it. A device may detect a subnormal result before or after rounding, so a result that is
// rounded up to the least normal number may be zero too.
#ifndef OPBYOP_REFERENCE_EVAL_FLUSHING_H_
#define OPBYOP_REFERENCE_EVAL_FLUSHING_H_

#include "manifests/targets/arithmetic.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Returns options for an evaluation as by such a device. A hook in `options` is called first.
EvalOptions Flushing(EvalOptions options, FlushedParts parts = {.operands = true, .results = true});

// Returns the tensor with its subnormal elements replaced by zeros of the same sign, as such a device reads it.
Tensor WithSubnormalsAsZeros(Tensor t);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_FLUSHING_H_
