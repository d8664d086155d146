// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/local_ops.h"

#include <algorithm>
#include <utility>

#include "generator/program/constants.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace opbyop::generator {
namespace {

mlir::RankedTensorType TypeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

using FactorAxes = llvm::SmallVector<llvm::ArrayRef<Axis>, 8>;

// The axes by which an op divides each factor: those of its results first, then of its operands. A factor is whole
// whose dimensions do not divide evenly, or if the op divides another factor by the same axes.
FactorAxes ChooseAxes(mlir::Operation* op, const ShardingRule& rule, const Shardings& shardings) {
  FactorAxes axes(static_cast<size_t>(rule.factors));
  const auto each = [&](auto visit) {
    for (const auto [value, factors] : llvm::zip(op->getResults(), rule.results)) visit(value, factors);
    for (const auto [value, factors] : llvm::zip(op->getOperands(), rule.operands)) visit(value, factors);
  };
  const auto divides = [&](int factor, int64_t parts) {
    bool even = true;
    each([&](mlir::Value value, const ShardingRule::Factors& factors) {
      for (const auto [own, size] : llvm::zip(factors, TypeOf(value).getShape())) {
        even &= own != factor || (size > 0 && size % parts == 0);
      }
    });
    return even;
  };
  each([&](mlir::Value value, const ShardingRule::Factors& factors) {
    for (const auto [i, factor] : llvm::enumerate(factors)) {
      if (factor == ShardingRule::kWhole || !axes[static_cast<size_t>(factor)].empty()) continue;
      const llvm::ArrayRef<Axis> wanted = shardings.AxesOf(value, i);
      if (wanted.empty() || !divides(factor, PartsOf(wanted))) continue;
      if (llvm::any_of(axes, [&](llvm::ArrayRef<Axis> other) { return Overlap(other, wanted); })) continue;
      axes[static_cast<size_t>(factor)] = wanted;
    }
  });
  return axes;
}

mlir::RankedTensorType LocalType(mlir::Value value, const ShardingRule::Factors& factors, const FactorAxes& axes) {
  const mlir::RankedTensorType type = TypeOf(value);
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (const auto [size, factor] : llvm::zip(shape, factors)) {
    if (factor != ShardingRule::kWhole) size /= PartsOf(axes[static_cast<size_t>(factor)]);
  }
  return mlir::RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

// The elements of the constant that a value repeats; null if it is not computed from a constant alone.
mlir::ElementsAttr RepeatedElement(mlir::Value value) {
  mlir::Operation* source = value.getDefiningOp();
  while (mlir::isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(source)) {
    source = source->getOperand(0).getDefiningOp();
  }
  return source != nullptr && IsConstant(source) ? ConstantElements(source) : nullptr;
}

// Adapts attributes that repeat the size of a dimension.
void ResizeAttributes(mlir::Operation* op) {
  const auto resize = [&](mlir::Value value, llvm::ArrayRef<int64_t> before) {
    llvm::SmallVector<int64_t> sizes(before);
    for (const auto [size, local] : llvm::zip(sizes, TypeOf(value).getShape())) size = std::min(size, local);
    return sizes;
  };
  if (auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op)) {
    slice.setLimitIndices(resize(slice.getOperand(), slice.getLimitIndices()));
  } else if (auto dynamic = mlir::dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    dynamic.setSliceSizes(resize(dynamic.getOperand(), dynamic.getSliceSizes()));
  }
}

}  // namespace

Expected<LocalOps> LocalOps::Make(mlir::ModuleOp module) {
  Expected<Shardings> shardings = PropagateShardings(module);
  if (!shardings) return Unexpected(shardings.error());
  LocalOps local(std::move(*shardings));
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
  const FactorAxes axes = ChooseAxes(op, *rule, shardings_);
  if (llvm::all_of(axes, [](llvm::ArrayRef<Axis> own) { return own.empty(); })) return op;

  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(body_);
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::Value> operands;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made;
  for (const auto [value, factors] : llvm::zip(op->getOperands(), rule->operands)) {
    const mlir::RankedTensorType type = LocalType(value, factors, axes);
    mlir::Value& operand = made[{value, type}];
    if (!operand) operand = Operand(value, type, builder);
    operands.push_back(operand);
  }
  mlir::Operation* local = builder.clone(*op, mapping);
  local->setOperands(operands);
  for (auto [result, factors] : llvm::zip(local->getResults(), rule->results)) {
    result.setType(LocalType(result, factors, axes));
  }
  ResizeAttributes(local);
  return local;
}

}  // namespace opbyop::generator
