// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a program's tensors are of sizes that 64 bits count. Products of dimensions are computed everywhere; what
// wraps would be another program.
//
//   if (mlir::failed(VerifyCountableTypes(module))) ...   // the diagnostic names the op, the type and its place
#ifndef OPBYOP_IR_COUNTABLE_TYPES_H_
#define OPBYOP_IR_COUNTABLE_TYPES_H_

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace opbyop {

// Checks the types of the values and constants of all ops before anything, verifiers included, computes with them.
mlir::LogicalResult VerifyCountableTypes(mlir::ModuleOp module);

}  // namespace opbyop

#endif  // OPBYOP_IR_COUNTABLE_TYPES_H_
