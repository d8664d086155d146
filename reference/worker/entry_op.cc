// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/entry_op.h"

#include <utility>

#include "ir/stablehlo/stablehlo.h"

namespace opbyop::reference {
namespace {

Expected<EntryOp> WithOperands(mlir::Operation* op, const Values& arguments, Evaluator& evaluator);

Expected<Value> ValueOf(mlir::Value value, const Values& arguments, Evaluator& evaluator) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) return arguments[argument.getArgNumber()];
  mlir::Operation* op = value.getDefiningOp();
  if (!llvm::isa<stablehlo::ConstantOp, stablehlo::BroadcastInDimOp>(op)) {
    return MakeError(ExitCode::kUnsupported, "an operand is computed by another op");
  }
  const Expected<EntryOp> inner = WithOperands(op, arguments, evaluator);
  if (!inner) return Unexpected(inner.error());
  OpContext context = inner->In(evaluator);
  Expected<Values> results = evaluator.Evaluate(context);
  if (!results) return Unexpected(results.error());
  return std::move(results->front());
}

Expected<EntryOp> WithOperands(mlir::Operation* op, const Values& arguments, Evaluator& evaluator) {
  EntryOp found{op, {}};
  for (mlir::Value operand : op->getOperands()) {
    Expected<Value> value = ValueOf(operand, arguments, evaluator);
    if (!value) return Unexpected(value.error());
    found.operands.push_back(std::move(*value));
  }
  return found;
}

}  // namespace

mlir::Operation* ReturnedOp(mlir::Operation* entry) {
  mlir::Operation* end = entry->getRegion(0).front().getTerminator();
  mlir::Operation* op = end->getNumOperands() == 1 ? end->getOperand(0).getDefiningOp() : nullptr;
  return op != nullptr && op->getNumResults() == 1 ? op : nullptr;
}

Expected<EntryOp> EntryOp::Of(mlir::Operation* entry, const Values& arguments, Evaluator& evaluator) {
  mlir::Operation* op = ReturnedOp(entry);
  if (op == nullptr) {
    return MakeError(ExitCode::kUnsupported, "the function does not return the one result of an op");
  }
  return WithOperands(op, arguments, evaluator);
}

}  // namespace opbyop::reference
