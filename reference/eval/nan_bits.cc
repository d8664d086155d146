// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/nan_bits.h"

#include "ir/op_info.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::reference {

bool KeepsBits(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  const OpKind kind = opbyop::KindOf(name);
  return name == "stablehlo.bitcast_convert" || name == "stablehlo.select" || kind == OpKind::kDataMovement ||
         kind == OpKind::kBroadcast;
}

bool HasFreeNanBits(mlir::Value value) {
  llvm::SmallVector<mlir::Value> open = {value};
  llvm::SmallPtrSet<mlir::Operation*, 8> seen;
  while (!open.empty()) {
    const mlir::Value next = open.pop_back_val();
    mlir::Operation* const op = next.getDefiningOp();
    const bool is_given = op == nullptr || op->hasTrait<mlir::OpTrait::ConstantLike>();
    if (is_given || !llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(next)) || !seen.insert(op).second) continue;
    if (!KeepsBits(op)) return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

}  // namespace opbyop::reference
