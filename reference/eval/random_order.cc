// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/random_order.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::reference {

namespace {

bool IsScalar(mlir::Value value) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

// Whether all elements are the same number.
bool IsSplat(mlir::Operation* op) {
  if (op->getName().getStringRef() == "stablehlo.broadcast_in_dim") return IsScalar(op->getOperand(0));
  return llvm::isa_and_nonnull<mlir::SplatElementsAttr>(op->getAttr("value"));
}

}  // namespace

bool IsInRandomOrder(mlir::Value value, mlir::Operation* entry) {
  llvm::SetVector<mlir::Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    mlir::Value of = reached[i];
    if (IsScalar(of)) continue;
    mlir::Operation* op = of.getDefiningOp();
    if (op == nullptr && of.getParentRegion()->getParentOp() == entry) continue;
    if (op == nullptr) return false;
    if (IsSplat(op)) continue;
    const llvm::StringRef name = op->getName().getStringRef();
    if (!IsElementwise(name) && name != "stablehlo.transpose" && name != "stablehlo.reshape") return false;
    for (mlir::Value operand : op->getOperands()) reached.insert(operand);
  }
  return true;
}

bool HasDeviations(const OpContext& context, bool inexact, unsigned operands) {
  const EvalOptions& options = context.evaluator.options();
  if (!options.deviations || !inexact) return options.deviations;
  if (!options.likely || context.op->getNumOperands() < operands) return false;
  const Expected<mlir::Operation*> entry = EntryOf(context.evaluator.module());
  return entry && llvm::all_of(context.op->getOperands().take_front(operands),
                               [&](mlir::Value operand) { return IsInRandomOrder(operand, *entry); });
}

}  // namespace opbyop::reference
