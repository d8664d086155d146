// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the terms of a sum come in random order, as the standard deviation of its rounding errors presumes
// (docs/numerics/several-ops.md).
//
//   const bool deviates = HasDeviations(context, /*inexact=*/HasErrors(context.in(0)), /*operands=*/1);
#ifndef OPBYOP_REFERENCE_EVAL_RANDOM_ORDER_H_
#define OPBYOP_REFERENCE_EVAL_RANDOM_ORDER_H_

#include "mlir/IR/Value.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// True for an argument of the entry function, and for what elementwise ops, transposes and reshapes make of arguments
// and of single numbers. Other ops may arrange numbers: a sort, a sum along a dimension, a broadcast.
bool IsInRandomOrder(mlir::Value value, mlir::Operation* entry);

// Whether the sum that is evaluated gets deviations. `inexact`: its terms have errors of ops before it; its first
// `operands` operands must then be in random order.
bool HasDeviations(const OpContext& context, bool inexact, unsigned operands);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_RANDOM_ORDER_H_
