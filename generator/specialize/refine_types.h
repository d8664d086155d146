// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Refines one op whose operands have static shapes: derives the shapes of its results and its static form.
//
//   if (failed(RefineResults(op))) ...;      // tensor<?xf32> -> tensor<4xf32>, if the operands determine it
//   op = MakeStatic(op);                     // stablehlo.dynamic_reshape -> stablehlo.reshape
//
// Shapes come from the op's own type inference and, if it leaves some dynamic (because a shape is an operand, say),
// from rules in this file. Element types are never changed; a shape that contradicts the declared one is an error.
#ifndef OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_
#define OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// The type with every dimension that either one knows. Returns null if they contradict each other or are not ranked
// tensors.
mlir::Type MeetTypes(mlir::Type declared, llvm::ArrayRef<int64_t> shape);

// The type with every dimension in which both agree, for a value that may have either type. Returns null if the ranks
// differ, or if the types are no tensors and differ.
mlir::Type JoinTypes(mlir::Type a, mlir::Type b);

// Reports an error as a diagnostic at the op.
llvm::LogicalResult RefineResults(mlir::Operation* op);

// Returns the op that now takes the place of `op`: its static counterpart if its operands and results have static
// shapes and the operands that become attributes are known, else `op` itself.
mlir::Operation* MakeStatic(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_
