// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that a device keeps in a wider type between two ops of a program, although the program rounds them: XLA's
// option xla_allow_excess_precision, which is on by default, is such a permission.
//
//   if (HasExcess(result)) value = WithExcess(context, std::move(value));
//
// The bound then covers both, the rounded and the unrounded value. `reduce_precision` states that a value is rounded, so
// its result has no excess.
#ifndef OPBYOP_REFERENCE_EVAL_EXCESS_PRECISION_H_
#define OPBYOP_REFERENCE_EVAL_EXCESS_PRECISION_H_

#include "mlir/IR/Value.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// Whether the value is a result of a float type narrower than f32, or a conversion to a narrower type, which an op of
// its block uses other than to return it.
bool HasExcess(mlir::Value result);

// Widens the bound of a rounded result of the op. `context` has its operands, unless the op has reused their memory.
Value WithExcess(const OpContext& context, Value value);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EXCESS_PRECISION_H_
