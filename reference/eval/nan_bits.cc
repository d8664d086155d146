// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/nan_bits.h"

#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::reference {

bool KeepsBits(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  const OpKind kind = opbyop::KindOf(name);
  return name == "stablehlo.bitcast_convert" || name == "stablehlo.select" || kind == OpKind::kDataMovement ||
         kind == OpKind::kBroadcast;
}

namespace {

// The values that an argument of a loop or of a function stands for. None for what is given: an argument of the program,
// and of other regions.
llvm::SmallVector<mlir::Value> SourcesOf(mlir::BlockArgument argument) {
  mlir::Operation* const parent = argument.getOwner()->getParentOp();
  const unsigned number = argument.getArgNumber();
  llvm::SmallVector<mlir::Value> sources;
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(parent)) {
    sources.push_back(loop->getOperand(number));
    sources.push_back(loop->getRegion(1).front().getTerminator()->getOperand(number));
  } else if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(parent)) {
    const auto module = function->getParentOfType<mlir::ModuleOp>();
    const auto uses = mlir::SymbolTable::getSymbolUses(function, module);
    if (!uses) return sources;
    for (const mlir::SymbolTable::SymbolUse& use : *uses) {
      if (auto call = llvm::dyn_cast<mlir::func::CallOp>(use.getUser())) sources.push_back(call.getOperand(number));
    }
  }
  return sources;
}

}  // namespace

bool HasFreeNanBits(mlir::Value value) {
  llvm::SmallVector<mlir::Value> open = {value};
  llvm::SmallPtrSet<void*, 8> seen;
  while (!open.empty()) {
    const mlir::Value next = open.pop_back_val();
    if (!llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(next)) ||
        !seen.insert(next.getAsOpaquePointer()).second) {
      continue;
    }
    mlir::Operation* const op = next.getDefiningOp();
    if (op == nullptr) {
      llvm::append_range(open, SourcesOf(llvm::cast<mlir::BlockArgument>(next)));
    } else if (!op->hasTrait<mlir::OpTrait::ConstantLike>()) {
      if (!KeepsBits(op)) return true;
      llvm::append_range(open, op->getOperands());
    }
  }
  return false;
}

}  // namespace opbyop::reference
