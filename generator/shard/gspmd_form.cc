// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/gspmd_form.h"

#include "generator/shard/propagation.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::generator {
namespace {

mlir::DictionaryAttr WithoutShardy(mlir::DictionaryAttr attributes) {
  llvm::SmallVector<mlir::NamedAttribute> kept;
  for (const mlir::NamedAttribute attribute : attributes) {
    if (!attribute.getName().getValue().starts_with("sdy.")) kept.push_back(attribute);
  }
  return mlir::DictionaryAttr::get(attributes.getContext(), kept);
}

void DropAttributes(mlir::Operation* op) {
  if (auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (const mlir::DictionaryAttr own = function.getArgAttrDict(i)) function.setArgAttrs(i, WithoutShardy(own));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      if (const mlir::DictionaryAttr own = function.getResultAttrDict(i))
        function.setResultAttrs(i, WithoutShardy(own));
    }
  }
  op->setDiscardableAttrs(WithoutShardy(op->getDiscardableAttrDictionary()));
}

void ReplaceConstraint(sdy::ShardingConstraintOp op, const Division& division, int64_t devices) {
  mlir::OpBuilder b(op);
  const auto target = b.getNamedAttr("call_target_name", b.getStringAttr("Sharding"));
  const auto text = b.getNamedAttr("mhlo.sharding", b.getStringAttr(ToText(division, devices)));
  auto call = stablehlo::CustomCallOp::create(b, op.getLoc(), op->getResultTypes(), op->getOperands(),
                                              llvm::ArrayRef<mlir::NamedAttribute>{target, text});
  op->replaceAllUsesWith(call);
  op->erase();
}

// Replaces each constraint, drops the attributes of Shardy, and the meshes unless a manual computation needs them.
void Rewrite(mlir::ModuleOp module, llvm::function_ref<void(sdy::ShardingConstraintOp)> replace) {
  llvm::SmallVector<sdy::ShardingConstraintOp> constraints;
  module.walk([&](sdy::ShardingConstraintOp op) { constraints.push_back(op); });
  for (sdy::ShardingConstraintOp op : constraints) replace(op);
  bool has_manual = false;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    DropAttributes(op);
    const bool is_manual = mlir::isa<sdy::ManualComputationOp>(op);
    has_manual |= is_manual;
    return is_manual ? mlir::WalkResult::skip() : mlir::WalkResult::advance();
  });
  if (has_manual) return;
  for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>())) mesh.erase();
}

}  // namespace

void ToGspmdForm(mlir::ModuleOp module) {
  const Shardings shardings = PropagateShardings(module);
  llvm::DenseMap<mlir::Operation*, Division> divisions;
  module.walk([&](sdy::ShardingConstraintOp op) {
    const mlir::Value result = op->getResult(0);
    Division& division = divisions[op];
    for (int64_t i = 0; i < mlir::cast<mlir::RankedTensorType>(result.getType()).getRank(); ++i) {
      division.push_back(shardings.AxesOf(result, static_cast<size_t>(i)).vec());
    }
  });
  Rewrite(module, [&](sdy::ShardingConstraintOp op) { ReplaceConstraint(op, divisions.at(op), shardings.devices()); });
}

void DropShardings(mlir::ModuleOp module) {
  Rewrite(module, [](sdy::ShardingConstraintOp op) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

}  // namespace opbyop::generator
