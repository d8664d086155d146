// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One op after its operands have got static shapes: the shapes of its results, and its static form.
//
//   if (failed(RefineResults(op))) ...;      // tensor<?xf32> -> tensor<4xf32>, where the operands tell
//   op = MakeStatic(op);                     // stablehlo.dynamic_reshape -> stablehlo.reshape
//
// Shapes come from the op's own type inference and, where it leaves some open (a shape is an operand, say), from rules
// of this file. Element types are never changed; a shape that contradicts the declared one is an error.
#ifndef OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_
#define OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// Every dimension that one of the two knows; null where they contradict each other or are no ranked tensors.
mlir::Type MeetTypes(mlir::Type declared, llvm::ArrayRef<int64_t> shape);

// Every dimension that both know to be the same, as types of values that may be either; null where they are of
// different rank or no tensors and not the same.
mlir::Type JoinTypes(mlir::Type a, mlir::Type b);

// An error is reported as a diagnostic at the op.
llvm::LogicalResult RefineResults(mlir::Operation* op);

// The op that stands in the place of `op` now: itself, or its static counterpart where its operands and results have
// static shapes and the operands that become attributes are known.
mlir::Operation* MakeStatic(mlir::Operation* op);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPECIALIZE_REFINE_TYPES_H_
