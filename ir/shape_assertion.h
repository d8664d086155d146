// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognises custom_call @shape_assertion, with which programs of JAX check their shapes. Its first operand must be
// true.
#ifndef OPBYOP_IR_SHAPE_ASSERTION_H_
#define OPBYOP_IR_SHAPE_ASSERTION_H_

#include "ir/call_target.h"
#include "mlir/IR/Operation.h"

namespace opbyop {

inline bool IsShapeAssertion(mlir::Operation* op) {
  return CallTargetOf(op) == "shape_assertion" && op->getNumOperands() > 0;
}

}  // namespace opbyop

#endif  // OPBYOP_IR_SHAPE_ASSERTION_H_
