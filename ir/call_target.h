// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The target of a custom call.
//
//   if (CallTargetOf(op) == "Sharding") ...   // of any other op it is empty
#ifndef OPBYOP_IR_CALL_TARGET_H_
#define OPBYOP_IR_CALL_TARGET_H_

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace opbyop {

inline llvm::StringRef CallTargetOf(mlir::Operation* op) {
  if (op->getName().getStringRef() != "stablehlo.custom_call") return "";
  const auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  return target ? target.getValue() : "";
}

}  // namespace opbyop

#endif  // OPBYOP_IR_CALL_TARGET_H_
