// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the sizes of a program's tensors fit 64 bits. Much code computes products of dimensions; if they
// overflowed, it would work on another program.
//
//   if (mlir::failed(VerifyCountableTypes(module))) ...   // the diagnostic names the op, the type and its place
#ifndef OPBYOP_IR_COUNTABLE_TYPES_H_
#define OPBYOP_IR_COUNTABLE_TYPES_H_

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace opbyop {

// Checks the types of the values and constants of all ops. Must be called before any code, including verifiers,
// computes with them.
mlir::LogicalResult VerifyCountableTypes(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_COUNTABLE_TYPES_H_
