// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/local_ops.h"

#include <utility>

#include "generator/program/constants.h"
#include "ir/sharding/factor_axes.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace opbyop::generator {
namespace {

mlir::RankedTensorType TypeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

// The elements of the constant that a value repeats; null if it is not computed from a constant alone.
mlir::ElementsAttr RepeatedElement(mlir::Value value) {
  mlir::Operation* source = value.getDefiningOp();
  while (mlir::isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(source)) {
    source = source->getOperand(0).getDefiningOp();
  }
  return source != nullptr && IsConstant(source) ? ConstantElements(source) : nullptr;
}

}  // namespace

Expected<LocalOps> LocalOps::Make(mlir::ModuleOp module) {
  Shardings shardings = PropagateShardings(module);
  for (const Shardings::LeftOut& note : shardings.left_out()) {
    if (!note.is_understood) return MakeError(ExitCode::kUnsupported, note.value + ": " + note.why);
  }
  LocalOps local(std::move(shardings));
  mlir::OpBuilder builder(module.getContext());
  local.module_ = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(local.module_->getBody());
  auto function = mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), "main", builder.getFunctionType({}, {}));
  local.body_ = function.addEntryBlock();
  return local;
}

mlir::Value LocalOps::Operand(mlir::Value value, mlir::RankedTensorType type, mlir::OpBuilder& builder) {
  if (type == value.getType() && folder_.CanFold(value)) {
    llvm::SetVector<mlir::Operation*> chain;
    folder_.AppendChain(value, chain);
    mlir::IRMapping mapping;
    for (mlir::Operation* op : chain) builder.clone(*op, mapping);
    return mapping.lookup(value);
  }
  auto splat = mlir::dyn_cast_or_null<mlir::SplatElementsAttr>(RepeatedElement(value));
  if (splat && splat.getElementType() == type.getElementType()) {
    return stablehlo::ConstantOp::create(builder, value.getLoc(), splat.resizeSplat(type));
  }
  return body_->addArgument(type, value.getLoc());
}

mlir::Operation* LocalOps::Of(mlir::Operation* op) {
  if (!shardings_.any()) return op;
  const std::optional<ShardingRule> rule = RuleOf(op);
  if (!rule) return op;
  const FactorAxes axes = ChooseFactorAxes(
      op, *rule, [&](mlir::Value value, size_t dimension) { return shardings_.AxesOf(value, dimension).vec(); },
      [](int) { return true; });
  if (IsWhole(axes)) return op;

  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(body_);
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::Value> operands;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made;
  for (const auto [value, factors] : llvm::zip(op->getOperands(), rule->operands)) {
    const mlir::RankedTensorType type = LocalType(TypeOf(value), DivisionOf(factors, axes));
    mlir::Value& operand = made[{value, type}];
    if (!operand) operand = Operand(value, type, builder);
    operands.push_back(operand);
  }
  mlir::Operation* local = builder.clone(*op, mapping);
  local->setOperands(operands);
  for (auto [result, factors] : llvm::zip(local->getResults(), rule->results)) {
    result.setType(LocalType(TypeOf(result), DivisionOf(factors, axes)));
  }
  ResizeAttributes(local);
  return local;
}

}  // namespace opbyop::generator
