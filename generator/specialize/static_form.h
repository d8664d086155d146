// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The op that a dynamic op stands for once its shapes are known.
//
//   mlir::Operation* form = CreateStaticForm(op);   // stablehlo.slice of stablehlo.real_dynamic_slice
//
// JAX writes some dynamic ops as custom calls: `stablehlo.dynamic_reduce_window` has the sizes of its window as operands
// and its body as a function. Other calls of JAX name the operands that are no more than the shapes of their results.
#ifndef OPBYOP_GENERATOR_SPECIALIZE_STATIC_FORM_H_
#define OPBYOP_GENERATOR_SPECIALIZE_STATIC_FORM_H_

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// Attribute of a call: the numbers of the operands that hold the shapes of its results, in their order.
inline constexpr llvm::StringLiteral kShapeOperands = "indices_of_shape_operands";

// Returns an op in no block, with results of the same types, that the caller inserts or destroys. Returns null if there
// is no such op, or if an operand that becomes an attribute is unknown.
mlir::Operation* CreateStaticForm(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_STATIC_FORM_H_
